"""Makes the locks of every environment: ``python -m scripts.locks`` (``make lock``), which needs an index.

A lock, ``locks/NAME.txt``, has the version and the hashes of all that an environment installs beside the project's
own two distributions, for every Python and platform that they run on. What it asks for are the two ``pyproject.toml``,
some of their extras, and ``locks/NAME.in``. A version that is locked stays until something asks for another one, or
``--upgrade`` is given. Environments that share packages with the service take its versions.

Not covered: torch (``locks/torch.txt``), npm's packages, Debian's.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
LOCKS = ROOT / "locks"
OURS = ("trueward", "trueward-trainer")
FOLDERS = {"server": "", "client": "client", "trainer": "trainer"}
PROJECTS = {name: ROOT / folder / "pyproject.toml" for name, folder in FOLDERS.items()}
UV = ROOT / ".venv-lock/bin/uv"


@dataclass(frozen=True)
class Lock:
    """One environment: the extras of each distribution that it has, or None where it is without that distribution."""

    name: str
    server: tuple[str, ...] | None = None
    client: tuple[str, ...] | None = None
    like: str | None = None
    """The lock whose versions it takes where both have a package."""
    closed: bool = False
    """Its ``.in`` names all that is installed; nothing that these depend on is added."""


EVERY = (
    Lock("developer", server=("dev", "docker", "procedural", "models", "otel", "redis"), client=()),
    Lock("server", server=("docker", "redis"), client=(), like="developer"),
    Lock("models", server=("docker", "redis", "models"), client=(), like="developer"),
    Lock("ray", server=("ray", "models"), client=(), like="developer"),
    Lock("build", like="developer"),
    Lock("sbom", like="developer"),
    Lock("client", client=(), like="developer"),
    Lock("mcp", client=("mcp",)),
    Lock("trl", client=()),
    Lock("trainers", closed=True),
    Lock("sinks", closed=True),
    Lock("oracles"),
    Lock("generators"),
    Lock("docs"),
    Lock("charts"),
    Lock("llama", closed=True),
    Lock("real", closed=True),
    Lock("encoder", closed=True),
    Lock("lock"),
)


def asked(lock: Lock) -> list[str]:
    """The requirement lines that a lock answers."""
    lines: list[str] = []
    for name, extras in (("server", lock.server), ("client", lock.client)):
        if extras is None:
            continue
        project = tomllib.loads(PROJECTS[name].read_text(encoding="utf-8"))["project"]
        lines += project["dependencies"]
        for extra in extras:
            lines += project["optional-dependencies"][extra]
    return [line for line in lines if line not in OURS] + named(lock)


def named(lock: Lock) -> list[str]:
    """The lines of its ``.in``, if it has one."""
    source = LOCKS / f"{lock.name}.in"
    lines = source.read_text(encoding="utf-8").splitlines() if source.exists() else []
    return [line for line in lines if line and not line.startswith("#")]


def command(lock: Lock, options: Sequence[str]) -> list[str]:
    """What makes it; reads the requirement lines from standard input."""
    torch = ["--constraint", "locks/torch.txt", "--no-emit-package", "torch"]
    given = ["--universal", "--python-version", "3.11", "--fork-strategy", "fewest", "--generate-hashes"]
    given += ["--config-file", "locks/uv.toml", "--no-annotate", "--no-header", "--quiet", *torch, *options]
    if lock.like is not None:
        given += ["--constraint", f"locks/{lock.like}.txt"]
    if lock.closed:
        given += ["--no-deps"]
    return [str(UV), "pip", "compile", "-", *given, "--output-file", f"locks/{lock.name}.txt"]


def make(lock: Lock, options: Sequence[str] = ()) -> None:
    """Writes one; raises where the requirements contradict each other."""
    lines = "\n".join(asked(lock)) + "\n"
    subprocess.run(command(lock, options), input=lines, text=True, check=True, cwd=ROOT)  # noqa: S603 - our own words


if __name__ == "__main__":
    for lock in EVERY:
        print(f"locks/{lock.name}.txt", flush=True)
        make(lock, sys.argv[1:])
