"""A sandbox with a deadline and with others: how long a program may run, and whose doing its end was."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from types import SimpleNamespace

import pytest

from app.lanes.timed_sandbox import ASLEEP_BYTES, SandboxTurn, TimedSandbox, Unfinished
from sandbox.base import Execution, Program, Status, Usage, spares
from sandbox.limits import Limits

PROGRAM, OTHER = Program("python", "pass"), Program("python", "print(1)")
LATE = (Status.TIME_LIMIT, Status.COMPILE_ERROR)
NOW_S = 100.0


class Clock:
    """The event loop, as far as its time goes."""

    def __init__(self) -> None:
        self.s = NOW_S

    def time(self) -> float:
        return self.s


@dataclass
class Backend:
    """A sandbox, and its only workspace; every run ends with the next of ``ends``."""

    ends: list[Status] = field(default_factory=lambda: [Status.FINISHED])
    cpu_s: float = 0.0
    wall_s: float = 0.0
    compiled: Execution | None = None
    name: str = "backend"
    opened: list[tuple[Program, Limits]] = field(default_factory=list)
    runs: list[tuple[bytes, Limits | None]] = field(default_factory=list)
    pairs: list[tuple[Program, Program, Limits]] = field(default_factory=list)
    left: int = 0
    closed: bool = False

    @asynccontextmanager
    async def open(self, program: Program, limits: Limits) -> AsyncIterator[Backend]:
        self.opened.append((program, limits))
        try:
            yield self
        finally:
            self.left += 1

    async def run(self, stdin: bytes = b"", limits: Limits | None = None) -> Execution:
        self.runs.append((stdin, limits))
        return ended(self.ends.pop(0), self.cpu_s, self.wall_s)

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        self.pairs.append((first, second, limits))
        return ended(self.ends.pop(0), 0.0, self.wall_s), ended(self.ends.pop(0), self.cpu_s, self.wall_s)

    async def languages(self) -> dict[str, str]:
        return {"python": ""}

    async def close(self) -> None:
        self.closed = True


def ended(status: Status, cpu_s: float = 0.0, wall_s: float = 0.0) -> Execution:
    return Execution(status, Usage(cpu_s, wall_s, 0))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr("app.lanes.timed_sandbox.asyncio", SimpleNamespace(get_running_loop=lambda: made))
    return made


def hurried(backend: Backend, left_s: float = 10.0, *, waited: bool = True) -> TimedSandbox:
    return TimedSandbox(backend, NOW_S + left_s, waited=waited)


def beside(
    backend: Backend, turn: SandboxTurn = SandboxTurn.FIRST, *, others: bool = True, left_s: float = 100.0
) -> TimedSandbox:
    """In that turn, while others wait."""
    return TimedSandbox(backend, NOW_S + left_s, waited=False, turn=turn, others=lambda: others)


# how long a program may run


@pytest.mark.parametrize(
    ("left_s", "allowed_s"),
    [(1.0, 0.95), (10.0, 9.5), (1000.0, 999.5), (0.0, 0.01), (-5.0, 0.01)],
    ids=["a twentieth is kept back", "both alike", "half a second at most", "nothing is left", "it has passed"],
)
def test_a_program_is_ended_a_little_before_the_deadline(clock: Clock, left_s: float, allowed_s: float) -> None:
    in_turn, limits, cut = hurried(Backend(), left_s).cut_limits(Limits(wall_s=2000.0))
    assert in_turn.wall_s == limits.wall_s == pytest.approx(allowed_s)
    assert cut


def test_what_is_left_shrinks_as_time_passes_and_is_never_nothing(clock: Clock) -> None:
    hurry, left_s = hurried(Backend(), 10.0), []
    for passed_s in (0.0, 4.0, 5.0, 1.0, 50.0):
        clock.s += passed_s
        left_s.append(hurry.cut_limits(Limits(wall_s=20.0))[1].wall_s)
    assert left_s == pytest.approx([9.5, 5.5, 0.5, 0.01, 0.01])


def test_limits_that_fit_stay_as_they_are(clock: Clock) -> None:
    limits = Limits(wall_s=9.5)
    assert hurried(Backend(), 10.0).cut_limits(limits) == (limits, limits, False)


def test_only_the_time_by_the_clock_is_cut(clock: Clock) -> None:
    limits = Limits(wall_s=60.0, cpu_s=60.0, compile_s=60.0, processes=3)
    cut = replace(limits, wall_s=9.5)
    assert hurried(Backend(), 10.0).cut_limits(limits) == (cut, cut, True)


async def test_each_run_has_what_is_left_when_it_begins(clock: Clock) -> None:
    backend = Backend(ends=[Status.FINISHED] * 3)
    async with hurried(backend).open(PROGRAM, Limits(wall_s=8.0)) as workspace:
        await workspace.run(b"in")
        clock.s += 5.0
        await workspace.run()
        await workspace.run(b"again", Limits(wall_s=2.0))
    assert backend.runs == [
        (b"in", Limits(wall_s=8.0)),
        (b"", Limits(wall_s=4.5)),
        (b"again", Limits(wall_s=2.0)),
    ]


async def test_a_compiler_has_what_is_left_and_the_program_its_own_limits(clock: Clock) -> None:
    backend = Backend()
    for compile_s in (3.0, 30.0):
        async with hurried(backend).open(PROGRAM, Limits(wall_s=60.0, compile_s=compile_s)):
            pass
    assert backend.opened == [
        (PROGRAM, Limits(wall_s=60.0, compile_s=3.0)),
        (PROGRAM, Limits(wall_s=60.0, compile_s=9.5)),
    ]
    assert backend.left == 2


async def test_a_pair_has_what_is_left(clock: Clock) -> None:
    backend = Backend(ends=[Status.FINISHED, Status.STOPPED])
    done = await hurried(backend).pair(PROGRAM, OTHER, Limits(wall_s=60.0))
    assert [one.status for one in done] == [Status.FINISHED, Status.STOPPED]
    assert backend.pairs == [(PROGRAM, OTHER, Limits(wall_s=9.5))]


# whose doing it was


@pytest.mark.parametrize("status", list(Status))
@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize("wall_s", [1.0, 60.0])
async def test_only_a_limit_that_our_own_delay_drew_in_is_not_the_programs_doing(
    clock: Clock, status: Status, waited: bool, wall_s: float
) -> None:
    backend = Backend(ends=[status])
    async with hurried(backend, waited=waited).open(PROGRAM, Limits(wall_s=wall_s)) as workspace:
        if waited and wall_s == 60.0 and status in LATE:
            with pytest.raises(TimeoutError, match="waited for a place"):
                await workspace.run()
        else:
            assert (await workspace.run()).status is status
    assert backend.left == 1


@pytest.mark.parametrize("status", [Status.FINISHED, Status.COMPILE_ERROR])
@pytest.mark.parametrize("waited", [True, False])
@pytest.mark.parametrize("compile_s", [9.5, 30.0])
async def test_a_compiler_that_our_own_delay_drew_in_says_nothing_of_the_program(
    clock: Clock, status: Status, waited: bool, compile_s: float
) -> None:
    backend = Backend(compiled=ended(status))
    opening = hurried(backend, waited=waited).open(PROGRAM, Limits(compile_s=compile_s))
    if waited and compile_s == 30.0 and status is Status.COMPILE_ERROR:
        with pytest.raises(TimeoutError):
            await opening.__aenter__()
    else:
        async with opening as workspace:
            assert workspace.compiled is backend.compiled
    assert backend.left == 1


@pytest.mark.parametrize("ends", [[Status.TIME_LIMIT, Status.STOPPED], [Status.FINISHED, Status.TIME_LIMIT]])
async def test_of_a_pair_neither_may_have_been_drawn_in(clock: Clock, ends: list[Status]) -> None:
    with pytest.raises(TimeoutError):
        await hurried(Backend(ends=list(ends))).pair(PROGRAM, OTHER, Limits(wall_s=60.0))
    for hurry, wall_s in ((hurried(Backend(ends=list(ends)), waited=False), 60.0), (hurried(Backend(ends=ends)), 1.0)):
        done = await hurry.pair(PROGRAM, OTHER, Limits(wall_s=wall_s))
        assert Status.TIME_LIMIT in [one.status for one in done]


# turns

LIMITS = Limits(wall_s=5.0, cpu_s=10.0)


async def test_while_others_wait_the_first_turn_is_short(clock: Clock) -> None:
    backend = Backend(ends=[Status.FINISHED] * 9, wall_s=0.2)
    async with beside(backend).open(PROGRAM, LIMITS) as workspace:
        for _ in range(5):
            await workspace.run()
        with pytest.raises(Unfinished) as cut:
            await workspace.run()
    assert [limits.wall_s for _, limits in backend.runs if limits] == pytest.approx([0.25, 0.25, 0.25, 0.25, 0.2])
    assert (cut.value.turn, cut.value.seconds) == (SandboxTurn.LONG, 5.0)


@pytest.mark.parametrize(
    ("turn", "others"), [(SandboxTurn.FIRST, False), (SandboxTurn.LONG, True), (SandboxTurn.LONG, False)]
)
async def test_who_is_alone_or_had_its_first_turn_has_all_its_time(
    clock: Clock, turn: SandboxTurn, others: bool
) -> None:
    backend = Backend(ends=[Status.TIME_LIMIT] * 3, cpu_s=5.0, wall_s=5.0)
    async with beside(backend, turn, others=others).open(PROGRAM, LIMITS) as workspace:
        assert (await workspace.run()).status is Status.TIME_LIMIT
    hurry = beside(backend, turn, others=others)
    assert (await hurry.pair(PROGRAM, OTHER, LIMITS))[1].status is Status.TIME_LIMIT
    assert backend.runs == [(b"", LIMITS)]
    assert backend.pairs == [(PROGRAM, OTHER, LIMITS)]
    assert hurry.used_s == 5.0


@pytest.mark.parametrize(
    ("cpu_s", "memory_bytes", "turn"),
    [
        (0.02, ASLEEP_BYTES, SandboxTurn.ASLEEP),
        (0.2, ASLEEP_BYTES, SandboxTurn.LONG),
        (0.02, ASLEEP_BYTES + 1, SandboxTurn.LONG),
        (0.0, ASLEEP_BYTES, SandboxTurn.LONG),
    ],
    ids=["it slept", "it worked", "it may take much memory", "nobody can tell"],
)
async def test_what_its_first_turn_ended_starts_anew(
    clock: Clock, cpu_s: float, memory_bytes: int, turn: SandboxTurn
) -> None:
    limits = replace(LIMITS, memory_bytes=memory_bytes)
    for ends in ([Status.TIME_LIMIT, Status.FINISHED], [Status.FINISHED, Status.TIME_LIMIT]):
        backend = Backend(ends=list(ends), cpu_s=cpu_s, wall_s=0.25)
        with pytest.raises(Unfinished) as cut:
            await beside(backend).pair(PROGRAM, OTHER, limits)
        assert cut.value.turn is turn


@pytest.mark.parametrize("status", [status for status in Status if status is not Status.TIME_LIMIT])
async def test_what_ended_by_itself_in_a_short_turn_has_ended(clock: Clock, status: Status) -> None:
    backend = Backend(ends=[status], cpu_s=0.01, wall_s=0.1)
    async with beside(backend).open(PROGRAM, LIMITS) as workspace:
        assert (await workspace.run()).status is status


async def test_a_compiler_has_a_first_turn_too(clock: Clock) -> None:
    for status, took_s, unfinished in (
        (Status.COMPILE_ERROR, 2.0, True),
        (Status.COMPILE_ERROR, 0.1, False),
        (Status.FINISHED, 2.0, False),
    ):
        opening = beside(Backend(compiled=ended(status, took_s, took_s))).open(PROGRAM, LIMITS)
        if unfinished:
            with pytest.raises(Unfinished):
                await opening.__aenter__()
        else:
            async with opening as workspace:
                assert workspace.compiled is not None


async def test_a_program_that_wakes_up_leaves_the_places_of_those_that_sleep(clock: Clock) -> None:
    for cpu_s, wakes in ((0.1, False), (1.25, True)):
        backend = Backend(ends=[Status.TIME_LIMIT], cpu_s=cpu_s, wall_s=5.0)
        async with beside(backend, SandboxTurn.ASLEEP).open(PROGRAM, LIMITS) as workspace:
            if wakes:
                with pytest.raises(Unfinished) as cut:
                    await workspace.run()
                assert cut.value.turn is SandboxTurn.LONG
            else:
                assert (await workspace.run()).status is Status.TIME_LIMIT
        assert backend.runs == [(b"", replace(LIMITS, cpu_s=1.25))]


def test_what_nobody_waits_for_can_be_spared(clock: Clock) -> None:
    assert spares(beside(Backend(), others=False, left_s=11.0), 10.0)
    assert not spares(beside(Backend(), others=False, left_s=10.0), 10.0)
    assert not spares(beside(Backend(), others=True), 10.0)
    assert spares(Backend(), 1e9)


async def test_it_is_that_sandbox_by_name_and_languages_and_leaves_it_open(clock: Clock) -> None:
    backend = Backend()
    hurry = hurried(backend)
    assert (hurry.name, await hurry.languages()) == ("backend", {"python": ""})
    await hurry.close()
    assert not backend.closed
