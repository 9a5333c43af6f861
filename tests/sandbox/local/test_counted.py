"""What a program was kept from, against a scheduler that knows: no program credits itself with its own crowd."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from sandbox.local.jail.held import Counted, Processes
from sandbox.local.jail.held import Thread as Seen
from sandbox.local.jail.slot import Clock


@dataclass
class Thread:
    """``busy``: the moments at which it has work to do, each with how much; ``kept``: how long it was ready while
    nothing of the program ran."""

    busy: dict[int, int]
    left: int = 0
    ran: int = 0
    waited: int = 0
    kept: int = 0


@dataclass
class Host:
    """Processors that serve ready threads in turns, one unit of time each; ``others`` are always ready."""

    processors: int
    others: int

    def run(self, threads: list[Thread], moments: int, draw: random.Random) -> int:
        """For how many moments something of the threads was ready and nothing of them ran."""
        held = 0
        for now in range(moments):
            for thread in threads:
                thread.left += thread.busy.get(now, 0)
            ready: list[Thread | None] = [thread for thread in threads if thread.left]
            ready += [None] * self.others
            draw.shuffle(ready)
            running = [one for one in ready[: self.processors] if one is not None]
            waiting = [one for one in ready[self.processors :] if one is not None]
            for thread in running:
                thread.left -= 1
                thread.ran += 1
            for thread in waiting:
                thread.waited += 1
                thread.kept += not running
            held += bool(waiting) and not running
        return held


def counted(threads: list[Thread]) -> Counted:
    seen = [Seen(thread.ran, thread.waited, 0.0, 4000.0) for thread in threads]
    return Counted.of(seen, sum(thread.ran for thread in threads))


@pytest.mark.parametrize("seed", range(40))
def test_waits_of_a_programs_own_making_are_never_sure(seed: int) -> None:
    """Threads that work at the same moments and sleep between, on a host without anybody else."""
    draw = random.Random(seed)
    every, work = draw.randint(50, 400), draw.randint(1, 4)
    threads = [Thread(dict.fromkeys(range(0, 4000, every), work)) for _ in range(draw.randint(2, 60))]
    Host(draw.randint(1, 4), 0).run(threads, 4000, draw)
    assert counted(threads).sure_s == 0.0
    assert counted(threads).estimate_held_s(4000) <= 0.5


def test_threads_that_run_for_less_than_a_tick_ran_all_the_same() -> None:
    """Of 58 processes that each ran for 5 ms the kernel tells 0 s in ticks."""
    counted = Counted.of([Seen(0.005, 0.2, 0.0, 10.0)] * 58, 0.0)
    assert counted.estimate_held_s(10.0) == 0.5


@pytest.mark.parametrize("seed", range(40))
def test_a_program_of_one_thread_is_credited_with_all_that_it_was_kept_from(seed: int) -> None:
    draw = random.Random(seed)
    thread = Thread({draw.randrange(3000): draw.randint(1, 300) for _ in range(5)})
    held = Host(draw.randint(1, 4), draw.randint(0, 8)).run([thread], 4000, draw)
    assert counted([thread]).estimate_held_s(4000) == held


@pytest.mark.parametrize("seed", range(40))
def test_and_so_is_one_whose_threads_are_always_ready(seed: int) -> None:
    draw = random.Random(seed)
    threads = [Thread({0: 10_000}) for _ in range(draw.randint(1, 8))]
    held = Host(1, draw.randint(0, 8)).run(threads, 1000, draw)
    assert counted(threads).estimate_held_s(1000) == held


@pytest.mark.parametrize("seed", range(40))
def test_what_is_sure_is_never_more_than_what_the_host_kept_from_the_program(seed: int) -> None:
    draw = random.Random(seed)
    threads = [
        Thread({draw.randrange(3000): draw.randint(1, 40) for _ in range(draw.randint(1, 9))})
        for _ in range(draw.randint(1, 30))
    ]
    held = Host(draw.randint(1, 4), draw.randint(0, 8)).run(threads, 4000, draw)
    assert counted(threads).sure_s <= held


@pytest.mark.parametrize("seed", range(40))
def test_a_crowd_that_worked_at_once_and_sleeps_is_credited_with_that_time_once(seed: int) -> None:
    draw = random.Random(seed)
    threads = [Thread({0: draw.randint(1, 3)}) for _ in range(draw.randint(20, 60))]
    held = Host(2, draw.randint(20, 80)).run(threads, 4000, draw)
    assert counted(threads).estimate_held_s(4000) <= max(held, 0.5)


def test_what_followed_each_other_adds_up() -> None:
    after_each_other = [Seen(0.1, 1.0, 2.0 * number, 2.0 * number + 2.0) for number in range(5)]
    assert Counted.of(after_each_other, 0.0).sure_s == pytest.approx(5 * (1.0 - 0.4))
    parent = Seen(0.1, 0.2, 0.0, 10.0)
    assert Counted.of([parent, *after_each_other], 0.0).sure_s == pytest.approx(5 * (1.0 - 0.5))
    assert Counted.of([Seen(0.1, 1.0, 0.0, 10.0)] * 5, 0.0).sure_s == pytest.approx(1.0 - 0.4)


@pytest.fixture
def proc() -> Iterator[int]:
    descriptor = os.open("/proc", os.O_PATH | os.O_DIRECTORY)
    yield descriptor
    os.close(descriptor)


def test_a_program_that_uses_up_the_process_ids_hides_none_of_what_it_began(proc: int, tmp_path: Path) -> None:
    ids = tmp_path / "last"
    ids.write_text("2\n", encoding="ascii")
    descriptor = os.open(ids, os.O_RDWR)
    processes = Processes(proc, (0,), last_id=descriptor)
    processes.begin(2)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        known = []
        for last in ("2", "30000", "2", "300", "2"):  # in the third the kernel has begun anew
            ids.write_text(f"{last}\n", encoding="ascii")
            known.append(processes.know_all())
        assert known == [True, False, False, False, False]
        processes.begin(2)
        assert processes.know_all()
        os.close(descriptor)
        assert not processes.know_all()
    finally:
        child.kill()
        child.communicate()


class _Awake:
    """Stands for the processes of a slot: how long it was awake."""

    def __init__(self) -> None:
        self.seconds = 0.0

    def awake_s(self) -> float:
        return self.seconds

    def begin(self, first: int) -> None: ...

    def is_stopped(self) -> bool:
        return False

    def count(self) -> Counted:
        return Counted(0.0, 0.0, 0.0)


@pytest.mark.parametrize(("awake_s", "held_s"), [(0.0, 4.0), (0.25, 3.75), (3.9, 0.0), (4.0, 0.0)])
def test_a_slot_that_waits_for_its_turn_is_not_asleep(awake_s: float, held_s: float) -> None:
    """A program's own crowd keeps the slot from running, or gives it much to count: that is no sleeping service."""
    processes: Any = _Awake()
    processes.seconds = 7.0  # before the program began
    clock = Clock(1.0, 60.0, processes)
    clock.pass_by(10.0, 0.0, 0.0)
    clock.start(10.0, 2)
    processes.seconds += awake_s
    clock.pass_by(14.25, 4.25, 4.0)
    clock.look(14.25)
    assert clock.held_s == pytest.approx(held_s)


def test_this_process_is_awake_while_it_works(proc: int) -> None:
    processes = Processes(proc, (0,))
    before_s, used_s = processes.awake_s(), os.times().user
    while os.times().user < used_s + 0.05:
        pass
    assert processes.awake_s() - before_s > 0.03
