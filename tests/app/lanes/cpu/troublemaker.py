"""A verifier that does in a worker whatever its task says: (stage to do it in, what, argument).

``log``: a file that gets a line whenever an item's check begins, to count runs and name the process.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain, Example, Params, Task, params_hash
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict
from trueward.wire.verifier import Lane


class TroubleParams(Params):
    note: str = ""


class Trouble(NamedTuple):
    what: str
    argument: Any = None
    stage: str = "check"
    log: str | None = None


class Unpicklable:
    """Cannot leave the server."""

    def __reduce__(self) -> str:
        raise RuntimeError("not for pickling")


class Poison:
    """Leaves the server, and cannot be read in a worker."""

    def __reduce__(self) -> tuple[Callable[[str], int], tuple[str]]:
        return int, ("not a number",)


class Troublemaker:
    name: ClassVar[str] = "troublemaker"
    version: ClassVar[str] = "1"
    summary: ClassVar[str] = "does what its task says"
    lane: ClassVar[Lane] = "cpu"
    deterministic: ClassVar[bool] = True
    needs: ClassVar[tuple[str, ...]] = ()
    examples: ClassVar[tuple[Example, ...]] = ()
    Params: ClassVar[type[Params]] = TroubleParams

    def __init__(self, params: TroubleParams | None = None) -> None:
        self._params = params or TroubleParams()

    @property
    def params(self) -> TroubleParams:
        return self._params

    @property
    def producer(self) -> Producer:
        return Producer(name=self.name, version=self.version, params=params_hash(self._params))

    def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
        raise NotImplementedError

    def triage(self, sample: Sample) -> Verdict | Task:
        raise NotImplementedError

    def prepare(self, task: Task) -> None:
        assert isinstance(task, Trouble)
        if task.stage == "prepare":
            _TROUBLES[task.what](task.argument)

    def check(self, task: Task) -> Verdict:
        assert isinstance(task, Trouble)
        if task.log is not None:
            with Path(task.log).open("a") as log:
                log.write(f"{os.getpid()}\n")
        if task.what == "not_a_verdict":
            return None  # type: ignore[return-value]  # that is the trouble
        found = _TROUBLES[task.what](task.argument) if task.stage == "check" else None
        if isinstance(found, Verdict):
            return found
        evidence: dict[str, JsonValue] = {"pid": os.getpid(), "found": found, "note": self._params.note}
        return Verdict.correct("fine", evidence=evidence)


def _spin(seconds: float | None) -> None:
    while seconds is None or time.process_time() < seconds:
        pass


def _work(seconds: float) -> None:
    """So many CPU seconds of its own."""
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass


def _eat(bytes_: int) -> int:
    """Of the address space alone: pages that nobody touches."""
    return len(bytes(bytes_))


def _eat_slowly_and_be_killed(bytes_: int) -> None:
    """What the kernel's memory killer looks like from outside."""
    held = b"\1" * bytes_
    time.sleep(0.5)
    if held:
        os.kill(os.getpid(), signal.SIGKILL)


_leak: list[bytes] = []


def _leak_memory(bytes_: int) -> None:
    _leak.append(bytes(bytes_))


def _recurse(depth: int | None) -> int:
    return _recurse(depth) + 1


def _die_once(marker: str) -> None:
    """Dies by a signal at its first run, and only then."""
    if not Path(marker).exists():
        Path(marker).touch()
        os.kill(os.getpid(), signal.SIGKILL)


def _sleep_once(marker: str) -> None:
    if not Path(marker).exists():
        Path(marker).touch()
        time.sleep(3600)


def _fork_a_holder(_: object) -> None:
    """Leaves a child behind, out of reach, that holds the socket to the server; and dies."""
    told, tell = os.pipe()
    if os.fork() == 0:
        os.setsid()
        os.write(tell, b"x")
        time.sleep(4)
        os._exit(0)
    os.read(told, 1)
    os._exit(1)


def _hoard(_: object) -> None:
    """Fills memory to the last byte with small objects."""
    hoard: list[object] = []
    while True:
        hoard.append([hoard])


def _deep(depth: int) -> Verdict:
    nested: JsonValue = 1
    for _ in range(depth):
        nested = [nested]
    return Verdict.model_construct(None, outcome=Outcome.CORRECT, score=1.0, reason_code="x", evidence={"deep": nested})


def _abstain(_: object) -> None:
    raise Abstain("unreadable_reference", "cannot read it")


def _raise(text: str) -> None:
    raise KeyError(text)


def _surrogate(_: object) -> Verdict:
    return Verdict.correct("fine", "\ud800")


def _oversized(_: object) -> Verdict:
    return Verdict.correct("fine", "x" * 5_000_000)


def _impossible(_: object) -> Verdict:
    """What only a corrupted worker makes: right, and without a score."""
    return Verdict.model_construct(outcome=Outcome.CORRECT, score=None, reason_code="fine")


def _nothing(argument: JsonValue) -> JsonValue:
    return argument


_TROUBLES: dict[str, Callable[[Any], Any]] = {
    "nothing": _nothing,
    "spin": _spin,
    "work": _work,
    "sleep": lambda seconds: time.sleep(3600 if seconds is None else seconds),
    "sleep_once": _sleep_once,
    "eat": _eat,
    "leak": _leak_memory,
    "eat_and_be_killed": _eat_slowly_and_be_killed,
    "recurse": _recurse,
    "raise": _raise,
    "abstain": _abstain,
    "segfault": lambda _: ctypes.string_at(0),
    "exit": os._exit,
    "system_exit": sys.exit,
    "die_once": _die_once,
    "fork_a_holder": _fork_a_holder,
    "hoard": _hoard,
    "deep": _deep,
    "surrogate": _surrogate,
    "oversized": _oversized,
    "impossible": _impossible,
    "modules": lambda name: name in sys.modules,
    "main_file": lambda _: getattr(sys.modules["__main__"], "__file__", None),
}


def create(name: str, params: Mapping[str, JsonValue]) -> Troublemaker:
    assert name == Troublemaker.name
    if params.get("note") == "unloadable":
        raise RuntimeError("this verifier cannot be made")
    return Troublemaker(TroubleParams.model_validate(dict(params)))
