"""Programming languages as data: one YAML file each beside this one; adding a language is adding a file.

After "Agnostics" (arXiv 2508.04865): a language is a file name, a compile command, a run command and what it
needs. Commands are argument lists; ``{file}`` stands for the source file, ``{memory_mib}`` for the memory limit
in MiB. They run without a shell, a network, a HOME or a writable root, in a working directory and a /tmp of their
own, with :data:`ENVIRONMENT`.

A backend takes a command from :meth:`Language.compile_command` and :meth:`Language.run_command`, and gives it the
limits of :meth:`Language.compiling` and :meth:`Language.running`, so that a runtime's own cost is nobody's fault.

Not here: where tool chains come from (``scripts/toolchains.sh``, images), and whether one is there
(``Sandbox.languages``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from types import MappingProxyType

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from sandbox.base import SandboxFailure
from sandbox.limits import Limits

ENVIRONMENT: Mapping[str, str] = MappingProxyType(
    {"PATH": "/usr/local/bin:/usr/bin:/bin", "LANG": "C.UTF-8", "LC_ALL": "C.UTF-8", "MALLOC_ARENA_MAX": "1"}
)
"""The whole environment of compilers and programs, before a language's own.

Threads share one heap of glibc: each of their own would reserve 64 MiB of a program's address space.
"""

_HERE = Path(__file__).parent
_MIB = 2**20
_COMPILE_DISK_BYTES = 512 * _MIB
_COMPILE_PROCESSES = 256
_COMPILE_CORES = 8


class Language(BaseModel):
    """One programming language; ``name`` is the file's stem."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    aliases: tuple[str, ...] = Field((), description="other names, as fences of Markdown write them")
    file: str = Field(description="name of the source file; the code verifier's candidate is `solution.<ext>`")
    compile: tuple[str, ...] = Field((), description="command that compiles {file}; empty: none")
    run: tuple[str, ...] = Field(description="command that runs the program")
    version: tuple[str, ...] = Field(description="command that prints the version; it fails where it is missing")
    packages: tuple[str, ...] = Field((), description="Debian packages of the tool chain")
    etc: tuple[str, ...] = Field((), description="files and folders of /etc that the tool chain reads")
    environment: dict[str, str] = Field({}, description="environment variables of compiler and program")
    proc: bool = Field(False, description="whether it needs /proc")
    address_space: bool = Field(
        True, description="whether it runs under a limit of address space (the JVM, Go, V8 do not)"
    )
    threads: int = Field(0, ge=0, description="threads that the runtime starts by itself, added to `processes`")
    startup_s: float = Field(0.0, ge=0, description="seconds that an empty program takes, added to time limits")
    startup_memory_mib: int = Field(0, ge=0, description="memory that an empty program takes, added to the limit")
    compile_memory_mib: int = Field(1024, gt=0, description="memory that the compiler may use, whatever the limit is")
    tier: str = Field("ci", pattern="^(ci|prove)$", description="whether the suite or `make prove` tests it")

    @property
    def variables(self) -> dict[str, str]:
        """The whole environment of its compiler and its programs."""
        return {**ENVIRONMENT, **self.environment}

    @property
    def compile_command(self) -> tuple[str, ...]:
        """The compiler's command line; empty where there is none."""
        return tuple(part.replace("{file}", self.file) for part in self.compile)

    def run_command(self, limits: Limits) -> tuple[str, ...]:
        """The program's command line, without its arguments; ``limits`` as they were asked for."""
        memory_mib = str(max(1, limits.memory_bytes // _MIB))
        return tuple(part.replace("{file}", self.file).replace("{memory_mib}", memory_mib) for part in self.run)

    def compiling(self, limits: Limits) -> Limits:
        """The compiler's limits: only ``compile_s`` is the caller's, for a big compiler is not the program's doing."""
        return replace(
            limits,
            wall_s=limits.compile_s,
            cpu_s=_COMPILE_CORES * limits.compile_s,
            memory_bytes=self.compile_memory_mib * _MIB,
            disk_bytes=max(limits.disk_bytes, _COMPILE_DISK_BYTES),
            processes=max(limits.processes, _COMPILE_PROCESSES),
            silence_s=None,
        )

    def running(self, limits: Limits) -> Limits:
        """The program's limits: those asked for plus what an empty program takes."""
        return replace(
            limits,
            wall_s=limits.wall_s + self.startup_s,
            cpu_s=limits.cpu_s + self.startup_s,
            memory_bytes=limits.memory_bytes + self.startup_memory_mib * _MIB,
            processes=limits.processes + self.threads,
        )


@cache
def languages() -> dict[str, Language]:
    """Every language by name. Raises :class:`SandboxFailure` for a file that is none, with its name."""
    return {file.stem: read(file) for file in sorted(_HERE.glob("*.yaml"))}


def read(file: Path) -> Language:
    """The language of a file. Raises :class:`SandboxFailure`: what is wrong in it is nobody's program's doing."""
    try:
        said = yaml.safe_load(file.read_text(encoding="utf-8"))
        if not isinstance(said, dict):
            raise SandboxFailure(f"the language file {file.name} is no mapping of keys")
        return Language.model_validate({"name": file.stem, **said})
    except yaml.YAMLError as broken:
        raise SandboxFailure(f"the language file {file.name} is no YAML: {' '.join(str(broken).split())}") from broken
    except ValidationError as refused:
        wrong = "; ".join(_problem(item["loc"], item["type"], item["msg"]) for item in refused.errors())
        raise SandboxFailure(f"the language file {file.name} is wrong: {wrong}") from refused


def _problem(loc: tuple[int | str, ...], kind: str, said: str) -> str:
    where = ".".join(str(part) for part in loc)
    if kind == "extra_forbidden":
        known = ", ".join(name for name in Language.model_fields if name != "name")
        return f"there is no key {where}; known: {known}"
    return f"{where}: {said}"


_VERSION = re.compile(r"(?<=\D)[-_ ]?\d{1,4}(?:\.\d{1,4}){0,3}\Z")


@lru_cache(maxsize=1024)  # fences name languages as a response likes
def find_language(name: str) -> Language | None:
    """The language of that name or alias, in any case; of one with a version (``python3.11``) where it has no own."""
    wanted = name.strip().lower()
    for one in dict.fromkeys((wanted, _VERSION.sub("", wanted))):
        for language in languages().values():
            if one == language.name or one in language.aliases:
                return language
    return None
