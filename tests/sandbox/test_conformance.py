"""The conformance suite finds what is wrong with a sandbox, says so, and blames no honest one."""

from __future__ import annotations

import asyncio
import os
import shlex
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Status, Unsupported, Usage
from sandbox.conformance import CHECKS, ConformanceFailure, Report, check_sandbox, pairs
from sandbox.limits import Limits
from tests.sandbox.patience import grace_s
from tests.sandbox.plain import PlainSandbox, PlainWorkspace

UNPROTECTED = {
    "disk",
    "environment",
    "filesystem",
    "fresh_start",
    "host_figures",
    "identity",
    "identity_outside",
    "network",
    "other_processes",
    "proc_and_sys",
    "process_ids",
    "processes",
    "shared_devices",
    "shared_files",
    "side_by_side",
    "system_calls",
}
"""What a sandbox without isolation fails at."""

BOMBS = {"cpu_time", "daemons", "fork_bomb", "hostile_compilations", "inodes", "memory", "silence", "cancelled_runs"}
"""What is not tried where nothing ends it, for the sake of the machine and of time."""

PAIRS = {check.__name__ for check in pairs.CHECKS}
HONEST = set(CHECKS) - UNPROTECTED - BOMBS - PAIRS - {"usage_is_told"}
"""What it can do right all the same. Its peak memory is at least that of this process, which it was forked from."""


def faults(make: Callable[[], Sandbox], *checks: str) -> Report:
    """The report of some checks, whatever they found."""
    try:
        return check_sandbox(make, only=checks, grace_s=0.5, at_once=4)
    except ConformanceFailure as failure:
        return failure.report


def test_every_check_says_what_it_holds_a_sandbox_to() -> None:
    assert [name for name, check in CHECKS.items() if not check.__doc__] == []


def test_an_honest_sandbox_is_not_blamed_for_what_it_does_right() -> None:
    report = check_sandbox(PlainSandbox, only=HONEST, at_once=4, grace_s=grace_s(1.0))
    assert set(report.elapsed_s) == HONEST


def test_a_plain_subprocess_fails_every_check_of_isolation() -> None:
    assert faults(PlainSandbox, *UNPROTECTED).broken == UNPROTECTED


class Counts(PlainSandbox):
    """How many programs it has had open at a time."""

    open_now, most = 0, 0

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[PlainWorkspace]:
        async with super().open(program, limits) as workspace:
            self.open_now += 1
            self.most = max(self.most, self.open_now)
            try:
                yield workspace
            finally:
                self.open_now -= 1


@pytest.mark.parametrize("at_once", [1, 2])
def test_so_many_checks_that_wait_run_side_by_side(at_once: int) -> None:
    counts = Counts()
    with suppress(ConformanceFailure):  # its peak memory is that of this process
        check_sandbox(lambda: counts, only=["closed_output", "usage_is_told"], at_once=at_once)
    assert counts.most == at_once


def test_missing_pairs_are_unsupported_and_no_violation() -> None:
    report = check_sandbox(PlainSandbox, only=["dialogue"])
    assert report.unsupported == {"dialogue": "pairs are missing"}


def test_the_failure_names_the_sandbox_the_check_and_what_was_seen() -> None:
    with pytest.raises(ConformanceFailure, match=r"(?s)plain: .*- network: TCP reaches 127\.0\.0\.1"):
        check_sandbox(PlainSandbox, only=["network"])


class Spoilt(PlainSandbox):
    """A sandbox with one fault: ``spoil`` changes what a run says."""

    name = "spoilt"

    def spoil(self, execution: Execution) -> Execution:
        raise NotImplementedError

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[PlainWorkspace]:
        async with super().open(program, limits) as workspace:
            honest = workspace.run

            async def run(stdin: bytes = b"", limits: Limits | None = None) -> Execution:
                return self.spoil(await honest(stdin, limits))

            workspace.run = run  # type: ignore[method-assign]
            yield workspace


class TruncatesSilently(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        return replace(execution, truncated=False)


class CutsAndCallsItFinished(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        cut = execution.status is Status.OUTPUT_LIMIT
        return replace(execution, status=Status.FINISHED, exit_code=0) if cut else execution


class CutsShort(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        return replace(execution, stdout=execution.stdout[: 2**20 - 1])


class ReadsExitCodesLikeAShell(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        code = execution.exit_code or 0
        signalled = replace(execution, status=Status.SIGNALLED, exit_code=None, signal=code - 128)
        return signalled if code > 128 else execution


class TakesEveryKillForMemory(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        return replace(execution, status=Status.MEMORY_LIMIT) if execution.signal == 9 else execution


class CallsCompilersFailureAnExit(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        failed = execution.status is Status.COMPILE_ERROR
        return replace(execution, status=Status.NONZERO_EXIT) if failed else execution


class BlamesItselfForTracebacks(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        if execution.status is Status.NONZERO_EXIT:
            raise SandboxFailure("exit code 1")
        return execution


class RaisesWhatItLikes(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        raise KeyError("container")


class TellsNoUsage(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        return replace(execution, usage=Usage(0.0, execution.usage.wall_s, 0))


class MixesRunsUp(Spoilt):
    last = b""

    def spoil(self, execution: Execution) -> Execution:
        mixed = replace(execution, stdout=self.last or execution.stdout)
        self.last = execution.stdout
        return mixed


class NormalisesLineEnds(Spoilt):
    def spoil(self, execution: Execution) -> Execution:
        return replace(execution, stdout=execution.stdout.replace(b"\n", b"\r\n"))


class TellsLate(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801 - the attribute that it replaces
        async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
            execution = await super().run(stdin, limits)
            await asyncio.sleep(0.8)
            return execution


class JoinsArgumentsWithSpaces(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801
        async def execute(self, folder: Path, command: tuple[str, ...], stdin: bytes, limits: Limits) -> Execution:
            return await super().execute(folder, ("sh", "-c", " ".join(command)), stdin, limits)


class ReadsInputAsText(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801
        async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
            return await super().run(stdin.decode(errors="replace").encode(), limits)


class FollowsLinks(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801
        def fetch(self, folder: Path, limits: Limits) -> dict[str, bytes]:
            there = {name: folder / name for name in self._program.fetch}
            return {name: _start(path) for name, path in there.items() if path.is_file()}


def _start(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(99)


class BlocksTheLoop(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801
        async def execute(self, folder: Path, command: tuple[str, ...], stdin: bytes, limits: Limits) -> Execution:
            shell = shlex.join(command)
            done = subprocess.run(shell, shell=True, cwd=folder, input=stdin, capture_output=True)  # noqa: ASYNC221
            return Execution(Status.FINISHED, Usage(0, 0, 0), done.returncode, None, done.stdout, done.stderr)


class KeepsDescriptors(PlainSandbox):
    async def close(self) -> None:
        await super().close()
        self._kept = [os.dup(0) for _ in range(3)]


class KeepsFiles(PlainSandbox):
    class workspace(PlainWorkspace):  # noqa: N801
        def fetch(self, folder: Path, limits: Limits) -> dict[str, bytes]:
            for name in self._program.files:
                (folder.parent / f"kept-{name.replace('/', '-')}").touch()
            return super().fetch(folder, limits)


class CallsLanguagesAFailure(PlainSandbox):
    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[PlainWorkspace]:
        try:
            async with super().open(program, limits) as workspace:
                yield workspace
        except Unsupported as refusal:
            raise SandboxFailure(str(refusal)) from refusal


class WorksWhenClosed(PlainSandbox):
    async def close(self) -> None:
        return None


@pytest.mark.parametrize(
    ("spoilt", "check", "told"),
    [
        (TruncatesSilently, "output", "not flagged as truncated"),
        (CutsAndCallsItFinished, "output", "a byte over the limit: finished"),
        (CutsShort, "output", "of 1048576 bytes 1048575 came through"),
        (ReadsExitCodesLikeAShell, "exit_codes", "exit code 137: signalled"),
        (TakesEveryKillForMemory, "own_signals", "SIGKILL ends: memory_limit"),
        pytest.param(
            CallsCompilersFailureAnExit,
            "compile_errors",
            "does not compile: nonzero_exit",
            marks=pytest.mark.toolchain,
        ),
        (BlamesItselfForTracebacks, "syntax_errors", "makes the sandbox fail"),
        (BlamesItselfForTracebacks, "uncaught_exceptions", "the sandbox failed"),
        (RaisesWhatItLikes, "python_runs", "raised KeyError"),
        (TellsNoUsage, "usage_is_told", "0.5 s of CPU in a child: cpu_s 0.000"),
        (MixesRunsUp, "no_mixing", "at the same time"),
        (NormalisesLineEnds, "standard_input", "did not come through"),
        (NormalisesLineEnds, "streams_by_name", "python opens its streams by name"),
        (TellsLate, "wall_clock", "a limit of 1 s took"),
        (JoinsArgumentsWithSpaces, "arguments", "arrives as"),
        (ReadsInputAsText, "standard_input", "did not come through"),
        (FollowsLinks, "fetched_files", "link.txt is fetched"),
        (BlocksTheLoop, "no_mixing", "the event loop stood still"),
        (KeepsDescriptors, "closing", "3 descriptor(s) stay open"),
        (KeepsFiles, "closing", "files are left after close"),
        (CallsLanguagesAFailure, "languages_are_told", "the sandbox failed: there is no language"),
        (WorksWhenClosed, "closed_sandbox", "a closed sandbox says finished"),
    ],
)
def test_a_fault_is_found_and_named(spoilt: Callable[[], Sandbox], check: str, told: str) -> None:
    report = faults(spoilt, check)
    assert told in str(report)


class Outage(PlainSandbox):
    """Loses its programs when struck; ``honest`` ones say so."""

    honest = True

    def __init__(self) -> None:
        super().__init__()
        self.struck = asyncio.Event()

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[PlainWorkspace]:
        async with super().open(program, limits) as workspace:
            whole = workspace.run

            async def run(stdin: bytes = b"", limits: Limits | None = None) -> Execution:
                running, struck = asyncio.create_task(whole(stdin, limits)), asyncio.create_task(self.struck.wait())
                await asyncio.wait([running, struck], return_when=asyncio.FIRST_COMPLETED)
                struck.cancel()
                if running.done():
                    return running.result()
                running.cancel()
                if self.honest:
                    raise SandboxFailure("the server has gone")
                return Execution(Status.NONZERO_EXIT, Usage(0, 1, 0), 1)

            workspace.run = run  # type: ignore[method-assign]
            yield workspace


class OutageIsAnExit(Outage):
    honest = False


def strike(sandbox: Sandbox) -> None:
    assert isinstance(sandbox, Outage)
    sandbox.struck.set()


def test_an_outage_that_is_told_as_one_is_fine() -> None:
    report = check_sandbox(Outage, only=[], strike=strike)
    assert list(report.elapsed_s) == ["outages"]


def test_an_outage_that_is_told_as_a_programs_exit_is_found() -> None:
    with pytest.raises(ConformanceFailure, match="outages: an outage is told as nonzero_exit"):
        check_sandbox(OutageIsAnExit, only=[], strike=strike)


def test_the_suite_leaves_nothing_of_its_own() -> None:
    before = set(Path("/proc/self/fd").iterdir())
    faults(PlainSandbox, "python_runs", "network")
    assert "TRUEWARD_CONFORMANCE_SECRET" not in os.environ
    assert set(Path("/proc/self/fd").iterdir()) == before


def test_every_check_is_documented_by_its_own_words() -> None:
    page = (Path(__file__).parents[2] / "docs/sandbox.md").read_text(encoding="utf-8")
    rows = [f"| `{name}` | {' '.join((check.__doc__ or '').split())} |" for name, check in CHECKS.items()]
    assert [row for row in rows if row not in page] == []


def test_every_status_and_limit_is_documented() -> None:
    page = (Path(__file__).parents[2] / "docs/sandbox.md").read_text(encoding="utf-8")
    names = [*Status, *Limits.__dataclass_fields__]
    assert [name for name in names if f"| `{name}` |" not in page] == []
