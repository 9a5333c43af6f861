"""Judges of one case at a time in processes of their own, with the CPU seconds of each case.

A process that takes longer than ``HARD_S`` by the clock over one case is killed and replaced: that case has no
answer. Cases are dealt in turn, so that a case which comes again after a multiple of ``workers`` others meets the
same process.
"""

from __future__ import annotations

import multiprocessing
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from importlib import import_module
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess

HARD_S = 20.0
_START_S = 120.0

Judge = Callable[[str, Sequence[str]], bool | None]
"""Of a response and its acceptable references: accepted, not accepted, or no answer."""


@dataclass(frozen=True, slots=True)
class Case:
    response: str
    references: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Judged:
    """``accepted`` is None where there is no answer; ``cpu_s`` is what the process used for this case."""

    accepted: bool | None
    cpu_s: float
    killed: bool = False


def judged(judge: str, cases: Sequence[Case], warm: Sequence[Case], workers: int) -> list[Judged]:
    """All cases in order by ``judge``, a ``module:function``, in ``workers`` processes."""
    answers: list[Judged | None] = [None] * len(cases)

    def work(first: int) -> None:
        worker = _Worker(judge, warm)
        for number in range(first, len(cases), workers):
            answer = worker.ask(cases[number])
            if answer is None:
                worker.stop()
                answer, worker = Judged(None, HARD_S, killed=True), _Worker(judge, warm)
            answers[number] = answer
        worker.stop()

    with ThreadPoolExecutor(workers) as threads:
        for done in [threads.submit(work, first) for first in range(workers)]:
            done.result()
    return [answer for answer in answers if answer is not None]


class _Worker:
    def __init__(self, judge: str, warm: Sequence[Case]) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process: BaseProcess = context.Process(target=_serve, args=(judge, list(warm), theirs), daemon=True)
        self._process.start()
        theirs.close()
        if not self._pipe.poll(_START_S) or self._pipe.recv() != "ready":
            raise RuntimeError(f"a worker of {judge} did not start")

    def ask(self, case: Case) -> Judged | None:
        """None where the process hangs or died."""
        with suppress(EOFError, OSError):
            self._pipe.send(case)
            if self._pipe.poll(HARD_S):
                answer = self._pipe.recv()
                assert isinstance(answer, Judged)
                return answer
        return None

    def stop(self) -> None:
        self._process.kill()
        self._process.join()
        self._pipe.close()


def _serve(judge: str, warm: list[Case], pipe: Connection) -> None:
    module, _, name = judge.partition(":")
    call: Judge = getattr(import_module(module), name)
    for case in warm:
        call(case.response, case.references)
    pipe.send("ready")
    with suppress(EOFError):
        while True:
            case = pipe.recv()
            started_s = time.process_time()
            accepted = call(case.response, case.references)
            pipe.send(Judged(accepted, time.process_time() - started_s))
