"""A plug-in that does on purpose what hostile responses make verifiers do. Only tests load it.

The reference says what happens while it is prepared, the response what happens while it is checked:
``spin`` burns CPU, ``sleep`` waits, ``crash`` ends the process, ``bloat`` eats memory, ``nest`` recurses,
``raise`` raises, ``slow:<seconds>`` burns so many CPU seconds and is then correct; anything else is correct.
"""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable
from typing import ClassVar

from trueward import Example, Sample, SampleVerifier, Task, Verdict
from trueward.authoring.verifier import defect
from trueward.wire.verifier import Lane


def _spin() -> None:
    while True:
        pass


def _sleep() -> None:
    time.sleep(3600)


def _crash() -> None:
    os.kill(os.getpid(), signal.SIGSEGV)


def _bloat() -> None:
    hoard = []
    while True:
        hoard.append(bytearray(2**24))


def _nest() -> None:
    _nest()


def _raise() -> None:
    raise ValueError("a bug of the verifier")


_DOINGS: dict[str, Callable[[], None]] = {
    "spin": _spin,
    "sleep": _sleep,
    "crash": _crash,
    "bloat": _bloat,
    "nest": _nest,
    "raise": _raise,
}


def _do(what: str) -> None:
    if what.startswith("slow:"):
        end = time.process_time() + float(what.removeprefix("slow:"))
        while time.process_time() < end:
            pass
    _DOINGS.get(what, lambda: None)()


class Hostile(SampleVerifier):
    name = "hostile"
    summary = "Does on purpose what hostile responses make verifiers do."
    lane: ClassVar[Lane] = "cpu"
    deterministic = True
    examples = (Example(sample=Sample(response="fine", reference="fine"), outcome="correct"),)

    def triage(self, sample: Sample) -> Verdict | Task:
        return defect(sample, self.needs) or (str(sample.reference), sample.response_text, sample.prompt_text)

    def prepare(self, task: Task) -> None:
        assert isinstance(task, tuple)
        _do(task[0])

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, tuple)
        _do(task[1])
        return Verdict.correct("survived")
