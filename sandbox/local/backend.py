"""The local backend: programs run on this machine, each in a jail of the Linux kernel. No set-up.

A server is started apart (:mod:`.jail`) when it is first needed, and keeps a slot for each worker, two where it runs
pairs; a slot runs one program at a time. A program gets: a pid, mount, network, ipc, uts and user namespace; a
read-only root with the machine's tool chains; a tmpfs of its own for files, gone after the run; no network; no
privileges and no way to new ones; a seccomp filter; limits of the kernel. Works as root and as any user that may make
user namespaces.

Python programs start from a warm interpreter (some milliseconds); the others by exec. What a compiler made is
carried into each run as files. Silence (``silence_s``) is not watched within pairs, whose outputs nobody sees.

Not covered: side channels of time and cache between programs that run at once, and bugs of the kernel itself.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported
from sandbox.languages import Language, find_language, languages
from sandbox.limits import Limits
from sandbox.local.execution import execute, execute_pair
from sandbox.local.features import Feature, feature
from sandbox.local.payload import File, Payload, pack
from sandbox.local.pool import Pool
from sandbox.local.slot import Ended, Order

FLOOR = frozenset({"mounts", "network", "root", "seccomp", "processes"})
"""Without these nothing is run, whatever is configured. No-new-privileges and rlimits are never optional."""

_PROBE = Limits(wall_s=20.0, cpu_s=20.0, memory_bytes=2**30, processes=128)


class LocalSandbox:
    """See the module. ``workers``: runs at once; a pair, whose programs mostly wait for each other, is one.

    ``python``: the interpreter of Python programs, by default the one that runs this service, without its virtual
    environment. ``floor``: features (:meth:`features`) to insist on besides :data:`FLOOR`. Failures of the jail,
    of the server, and a host below the floor are :class:`sandbox.base.SandboxFailure`.
    """

    name = "local"

    def __init__(self, workers: int = 2, python: str | None = None, floor: Iterable[str] = ()) -> None:
        self._pool = Pool(workers, python or _base_python(), FLOOR | frozenset(floor))
        self._why: dict[str, str] = {}

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[LocalWorkspace]:
        """See :class:`sandbox.base.Sandbox`. Unsupported also for file names outside the working directory."""
        language = await self._usable(program.language)
        compiled: Execution | None = None
        files = _files(program, language)
        if language.compile and not program.command:
            compiled, files = await self._compile(files, language, limits)
        payload = await self._pack(program, language, files, limits)
        try:
            yield LocalWorkspace(self._pool, language, payload, limits, compiled)
        finally:
            payload.close()

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        """See :class:`sandbox.base.Sandbox`."""
        async with self.open(first, limits) as one, self.open(second, limits) as two:
            for failed, other in ((one, two), (two, one)):
                if failed.broken:
                    idle = replace(failed.broken, status=Status.STOPPED, stdout=b"", stderr=b"")
                    return (failed.broken, other.broken or idle) if failed is one else (idle, failed.broken)
            async with self._pool.lease(2) as slots:
                return await execute_pair((slots[0], slots[1]), (one.order(limits), two.order(limits)))

    async def languages(self) -> dict[str, str]:
        """See :class:`sandbox.base.Sandbox`; probed once."""
        return {name: await self._lacks(language) for name, language in languages().items()}

    async def features(self) -> list[Feature]:
        """What this host grants of the kernel's isolation, for diagnosis. Raises SandboxFailure only where the
        server does not even start."""
        found = await self._pool.features()
        if any(not each.present and each.name in FLOOR for each in found):
            return found
        try:
            await self._probe(("true",), proc=False)
        except SandboxFailure as failure:
            return [*found, feature("processes", str(failure))]
        found.append(feature("processes", None))
        return [*found, feature("proc", await self._proc_lacks() or None)]

    async def close(self) -> None:
        """See :class:`sandbox.base.Sandbox`."""
        self._pool.close()

    async def _usable(self, name: str) -> Language:
        language = find_language(name)
        if language is None:
            raise Unsupported(f"no such language: {name[:100]}")
        why = await self._lacks(language)
        if why:
            raise Unsupported(f"{language.title} cannot be used here: {why}")
        return language

    async def _lacks(self, language: Language) -> str:
        if language.name not in self._why:
            self._why[language.name] = await self._ask(language)
        return self._why[language.name]

    async def _ask(self, language: Language) -> str:
        if language.name == "python":
            return ""  # the server itself is one
        if language.proc and (why := await self._proc_lacks()):
            return f"it needs /proc, which the kernel refuses: {why}"
        ended = await self._probe(language.version, proc=language.proc, environment=language.environment)
        if ended.status is Status.FINISHED:
            return ""
        if ended.status is not Status.NONZERO_EXIT:  # slow or short of memory today: not to be remembered
            raise SandboxFailure(f"`{' '.join(language.version)}` ended as {ended.status}")
        said = (ended.stderr or ended.stdout).decode(errors="replace").strip().partition("\n")[0][:200]
        return f"`{' '.join(language.version)}` failed: {said}; Debian packages: {' '.join(language.packages)}"

    async def _proc_lacks(self) -> str:
        if "/proc" not in self._why:
            try:
                ended = await self._probe(("test", "-e", "/proc/self/stat"), proc=True)
                self._why["/proc"] = "" if ended.status is Status.FINISHED else "it is empty"
            except SandboxFailure as failure:
                self._why["/proc"] = str(failure)
        return self._why["/proc"]

    async def _probe(
        self, command: Iterable[str], *, proc: bool, environment: dict[str, str] | None = None
    ) -> Execution:
        payload = pack({}, command, {**await self._variables(), **(environment or {})}, python=False)
        try:
            async with self._pool.lease(1) as (slot,):
                return await execute(slot, Order(payload, _PROBE, proc=proc, address_space=False), b"")
        finally:
            payload.close()

    async def _compile(
        self, files: dict[str, File], language: Language, limits: Limits
    ) -> tuple[Execution, dict[str, File]]:
        payload = pack(files, language.compile_command, await self._variables(language), python=False)
        order = Order(payload, language.compiling(limits), fetch=None, proc=language.proc, address_space=False)
        try:
            async with self._pool.lease(1) as (slot,):
                made: list[Ended] = []
                execution = await execute(slot, order, b"", made.append)
        finally:
            payload.close()
        if execution.status is not Status.FINISHED:
            return replace(execution, status=Status.COMPILE_ERROR, files={}), files
        return replace(execution, files={}), made[0].files

    async def _pack(self, program: Program, language: Language, files: dict[str, File], limits: Limits) -> Payload:
        warm = language.name == "python" and not program.command
        run = (language.file,) if warm else program.command or language.run_command(limits)
        payload = pack(files, (*run, *program.arguments), await self._variables(language), python=warm)
        payload.fetch, payload.fetch_bytes = program.fetch, program.fetch_bytes
        return payload

    async def _variables(self, language: Language | None = None) -> dict[str, str]:
        variables = dict((language or languages()["python"]).variables)
        folder = await self._pool.folder()
        if not folder.startswith("/usr/"):
            variables["PATH"] = f"{folder}:{variables['PATH']}"
        return variables


class LocalWorkspace:
    """See :class:`sandbox.base.Workspace`."""

    def __init__(
        self, pool: Pool, language: Language, payload: Payload, limits: Limits, compiled: Execution | None
    ) -> None:
        self.compiled = compiled
        self._pool = pool
        self._language = language
        self._payload = payload
        self._limits = limits

    @property
    def broken(self) -> Execution | None:
        """What the compiler did, where it failed."""
        failed = self.compiled and self.compiled.status is Status.COMPILE_ERROR
        return self.compiled if failed else None

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        """See :class:`sandbox.base.Workspace`."""
        if self.broken:
            return self.broken
        async with self._pool.lease(1) as (slot,):
            return await execute(slot, self.order(limits or self._limits), stdin)

    def order(self, limits: Limits) -> Order:
        """What a slot needs to know of a run under these limits."""
        language = self._language
        return Order(
            self._payload,
            language.running(limits),
            fetch=self._payload.fetch,
            proc=language.proc,
            address_space=language.address_space,
        )


def _files(program: Program, language: Language) -> dict[str, File]:
    """All files; the source is the first, where the jail looks for it."""
    source = program.source.encode()
    if any(name.startswith(f"{language.file}/") for name in program.files):
        raise Unsupported(f"{language.file} is the source's name, not a folder")
    others = {name: File(content) for name, content in program.files.items() if name != language.file}
    return {language.file: File(source)} | others


def _base_python() -> str:
    return str(getattr(sys, "_base_executable", "") or sys.executable)
