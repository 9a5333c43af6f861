"""The client of any server that speaks SandboxFusion's ``POST /run_code``.

Its isolation is the server's. Each run sends and compiles the whole program, so ``compiled`` is known after the
first run. The server reports neither CPU time nor memory (both 0 here), and has no status for a memory limit: such
a run is ``signalled`` or ``nonzero_exit``.
Not covered (``Unsupported``): pairs, command lines, arguments, input that is not UTF-8, and programs that use the
files of the harness.
"""

from __future__ import annotations

import asyncio
import base64
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from types import MappingProxyType

import httpx2

from sandbox.base import Execution, Program, SandboxFailure, Status, Unsupported
from sandbox.languages import Language, find_language, languages
from sandbox.limits import Limits
from sandbox.remote.breaker import Breaker
from sandbox.remote.reply import read_reply, report_flood

NAMES: Mapping[str, str] = MappingProxyType(
    {
        **{name: name for name in ("bash", "cpp", "go", "java", "lua", "perl", "php", "python", "ruby", "rust")},
        "javascript": "nodejs",
        "r": "R",
    }
)
"""Our languages by SandboxFusion's names."""

MARGIN_S = 10.0
_RETRIED = {429, 500, 502, 503, 504}
_MIB = 2**20


class RemoteSandbox:
    """See :class:`sandbox.base.Sandbox`.

    ``url`` is the server's root. ``concurrency`` bounds requests at once; ``attempts`` those of one run, for a
    server that cannot be reached or answers 429 or 5xx, with doubling pauses from ``pause_s``. A request may take
    the limits of the run plus ``margin_s``, and wait as long for a server that is down; a caller with less time cancels
    it. ``names`` maps our languages to
    the server's.
    """

    name = "remote"

    def __init__(
        self,
        url: str,
        *,
        concurrency: int = 16,
        attempts: int = 3,
        pause_s: float = 0.2,
        margin_s: float = MARGIN_S,
        names: Mapping[str, str] = NAMES,
        breaker: Breaker | None = None,
    ) -> None:
        self._attempts = attempts
        self._pause_s = pause_s
        self.margin_s = margin_s
        self._names = names
        self._breaker = breaker or Breaker()
        self._slots = asyncio.Semaphore(concurrency)
        self._client = httpx2.AsyncClient(base_url=url.rstrip("/"), limits=httpx2.Limits(max_connections=concurrency))

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[RemoteWorkspace]:
        language = find_language(program.language)
        if language is None or language.name not in self._names:
            raise Unsupported(f"the sandbox server has no {program.language!r}")
        if program.command or program.arguments:
            raise Unsupported("a remote sandbox takes neither a command nor arguments")
        if program.harness:
            raise Unsupported("a remote sandbox has no files of the harness")
        yield RemoteWorkspace(self, program, language, self._names[language.name], limits)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise Unsupported("a remote sandbox cannot run two programs against each other")

    async def languages(self) -> dict[str, str]:
        missing = "SandboxFusion has no such language"
        return {name: "" if name in self._names else missing for name in languages()}

    async def close(self) -> None:
        await self._client.aclose()

    async def ask(self, request: dict[str, object], deadline_s: float, limit_bytes: int) -> bytes | None:
        """The reply's body, None where it is longer than the limit. Raises SandboxFailure for everything else."""
        async with self._slots:
            for attempt in range(1, self._attempts + 1):
                await self._recovered(deadline_s)
                self._breaker.record_sent()
                try:
                    async with asyncio.timeout(deadline_s):
                        body = await self._post(request, limit_bytes)
                except (httpx2.TransportError, _Unwell) as error:
                    self._breaker.record_failure()
                    if attempt == self._attempts:
                        raise SandboxFailure(f"the sandbox server cannot be used: {error!r}") from error
                    await asyncio.sleep(self._pause_s * 2 ** (attempt - 1))
                except TimeoutError as error:
                    # Not again: the program may be what takes so long.
                    self._breaker.record_abandoned()
                    raise SandboxFailure(f"the sandbox server did not answer within {deadline_s:g} s") from error
                except BaseException:  # the caller left, or the server refuses: no evidence that it is down
                    self._breaker.record_abandoned()
                    raise
                else:
                    self._breaker.record_answer()
                    return body
        raise AssertionError("unreachable: the last attempt returns or raises")

    async def _recovered(self, deadline_s: float) -> None:
        """Waits while the server is down, for so long. Raises SandboxFailure then."""
        now = asyncio.get_running_loop().time
        until = now() + deadline_s
        while (wait_s := self._breaker.wait_s()) > 0:
            if now() + wait_s > until:
                raise SandboxFailure(f"the sandbox server has been down for {self._breaker.down_s:.0f} s")
            await asyncio.sleep(wait_s)

    async def _post(self, request: dict[str, object], limit_bytes: int) -> bytes | None:
        async with self._client.stream("POST", "/run_code", json=request, timeout=None) as response:
            if response.status_code in _RETRIED:
                raise _Unwell(f"status {response.status_code}")
            if response.status_code != 200:
                raise SandboxFailure(f"the sandbox server refuses the request: status {response.status_code}")
            body = bytearray()
            async for chunk in response.aiter_bytes():
                body += chunk
                if len(body) > limit_bytes:
                    return None
            return bytes(body)


class _Unwell(Exception):
    """An answer that says that the server cannot answer now."""


class RemoteWorkspace:
    """See :class:`sandbox.base.Workspace`."""

    def __init__(self, sandbox: RemoteSandbox, program: Program, language: Language, name: str, limits: Limits) -> None:
        self._sandbox = sandbox
        self._program = program
        self._language = language
        self._name = name
        self._limits = limits
        self._compiled: Execution | None = None

    @property
    def compiled(self) -> Execution | None:
        return self._compiled

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        if self._compiled is not None and self._compiled.status is Status.COMPILE_ERROR:
            return self._compiled
        limits = limits or self._limits
        running = self._language.running(limits)
        deadline_s = running.wall_s + (limits.compile_s if self._language.compile else 0.0) + self._sandbox.margin_s
        # Output and files, each character at its longest in JSON.
        limit_bytes = 2**20 + 6 * limits.output_bytes * (2 + 2 * len(self._program.fetch))
        body = await self._sandbox.ask(self._request(stdin, limits), deadline_s, limit_bytes)
        if body is None:
            return report_flood()
        compiled, ran = read_reply(body, limits, self._program.fetch)
        self._compiled = self._compiled or compiled
        return ran

    def _request(self, stdin: bytes, limits: Limits) -> dict[str, object]:
        try:
            text = stdin.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Unsupported("a remote sandbox takes only input that is UTF-8") from error
        running = self._language.running(limits)
        # Servers set it as address space, which the JVM, Go and V8 reserve by the gigabyte.
        memory_mib = running.memory_bytes // _MIB if self._language.address_space else -1
        return {
            "code": self._program.source,
            "language": self._name,
            "stdin": text,
            "compile_timeout": limits.compile_s,
            "run_timeout": running.wall_s,
            "memory_limit_MB": memory_mib,
            "files": {path: base64.b64encode(data).decode() for path, data in self._program.files.items()},
            "fetch_files": list(self._program.fetch),
        }
