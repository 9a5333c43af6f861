"""Verdicts from child processes that can be killed, for whatever thread, actor or process asks.

A comparison that hangs is ended by ending its child: no signal is set, no thread is left behind, and the caller may be
any thread, a Ray actor, or a daemonic process, which may not start processes by :mod:`multiprocessing`. Children are
started when they are first needed, one for each call at a time and at most as many as there are processors; they end
with the process that started them. A fork begins with none.

Whose doing an exhausted limit is: the response's (``invalid: resource_limit``) where harmless responses are judged
against the same reference, else the reference's (``abstained``). A child that ran out of wall clock and used little CPU
was starved: it is tried once more, then the verdict is ``timeout``.
"""

from __future__ import annotations

import atexit
import json
import os
import select
import signal
import subprocess
import threading
import time
from collections.abc import Mapping
from typing import NoReturn, cast

from pydantic import JsonValue

from trueward.client.chunk import clean, clean_text
from trueward.compat.place import PythonPlace, find
from trueward.errors import NotInstalled
from trueward.wire.verdict import Verdict

Fields = dict[str, JsonValue]

CPU_S = 5.0
"""CPU seconds for one comparison."""

PATIENCE = 6.0
"""The wall clock that a call may take, in multiples of its CPU seconds, beside ``GRACE_S``: machines are loaded."""

GRACE_S = 20.0

_START_S = 60.0
_MOST = 8
_BOOT = "import sys; sys.path[:0] = sys.argv[1:]; from verifiers.child import main; main()"


class ChildEnded(Exception):
    """The child ended, or was ended, without an answer."""

    def __init__(self, said: str, *, exhausted: bool = False, late: bool = False) -> None:
        super().__init__(said)
        self.exhausted = exhausted
        """It used up its CPU seconds."""
        self.late = late
        """The wall clock ran out, and not its CPU seconds."""


class WorkerChild:
    """One process; for one call at a time."""

    def __init__(self, place: PythonPlace) -> None:
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        process = subprocess.Popen(  # noqa: S603 - the interpreter that the user named, or this one
            [place.python, "-P", "-c", _BOOT, *place.folders],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # Ctrl-C in the trainer's terminal is the trainer's to handle
        )
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        self._process, self._requests, self._answers = process, process.stdin, process.stdout
        with process.stderr as errors:
            try:
                self._received(_START_S)
            except ChildEnded as ended:
                said = errors.read().decode(errors="replace").strip().splitlines() or [str(ended)]
                raise NotInstalled(f"{place.python} cannot judge: {said[-1]}") from ended

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, request: Fields, wall_s: float) -> Fields:
        """The answer. Raises :class:`ChildEnded`; the child is then gone."""
        try:
            self._requests.write(json.dumps(request).encode() + b"\n")
            self._requests.flush()
        except OSError:
            self._give_up()
        return self._received(wall_s)

    def end(self) -> int:
        """Ends the process, if it has not; its exit code."""
        self._process.kill()
        for pipe in (self._requests, self._answers):
            try:
                pipe.close()
            except OSError:
                continue  # what was to be written has nobody to read it
        return self._process.wait()

    def disown(self) -> None:
        """In a fork: the process is the parent's."""
        for pipe in (self._requests, self._answers):
            os.close(pipe.fileno())
        self._process.returncode = 0

    def _received(self, wall_s: float) -> Fields:
        read, end_s = b"", time.monotonic() + wall_s
        while not read.endswith(b"\n"):
            left_s = end_s - time.monotonic()
            if left_s <= 0 or not select.select([self._answers], [], [], left_s)[0]:
                self.end()
                raise ChildEnded(f"no answer within {wall_s:.3g} s", late=True)
            piece = os.read(self._answers.fileno(), 65536)
            if not piece:
                self._give_up()
            read += piece
        answer: Fields = json.loads(read)
        return answer

    def _give_up(self) -> NoReturn:
        """The child closed its end, so it is about to be gone."""
        try:
            code = self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            code = None
        self.end()
        raise ChildEnded(f"the child ended with exit code {code}", exhausted=code == -signal.SIGXCPU)


class Workers:
    """The children of this process."""

    def __init__(self, place: PythonPlace) -> None:
        self._place = place
        self._idle: list[WorkerChild] = []
        self._all: set[WorkerChild] = set()
        self._lock = threading.Lock()
        self._room = threading.Semaphore(min(_MOST, os.cpu_count() or 1))

    def extract(self, text: str) -> tuple[str | None, str]:
        """The final answer of a text and the rule that found it, or None and the reason why there is none."""
        try:
            found = self._ask({"text": clean_text(text)}, _wall_s(CPU_S))
        except ChildEnded as ended:
            return None, "resource_limit" if ended.exhausted else "unjudgeable_response"
        answer = found["answer"]
        return (None if answer is None else str(answer)), str(found["rule"])

    def verdict(
        self, verifier: str, params: Mapping[str, JsonValue], sample: Fields, *, cpu_s: float = CPU_S
    ) -> Verdict:
        """The verdict on a sample; a failure of ours is one without a score."""
        request: Fields = {
            "verifier": verifier,
            "params": dict(params),
            "sample": cast(Fields, clean(sample)),
            "cpu_s": cpu_s,
        }
        try:
            found = self._ask(request, _wall_s(cpu_s))
        except ChildEnded as first:
            if first.exhausted:
                return self._blamed(request, first)
            try:
                found = self._ask(request, _wall_s(cpu_s))
            except ChildEnded as second:
                return self._blamed(request, second)
        return Verdict.model_validate(found["verdict"])

    def children(self) -> set[int]:
        """The process ids of those that live."""
        with self._lock:
            return {child.pid for child in self._all}

    def close(self) -> None:
        """Ends every child."""
        with self._lock:
            children, self._all, self._idle = self._all, set(), []
        for child in children:
            child.end()

    def disown(self) -> None:
        """In a fork: what was started is the parent's."""
        for child in self._all:
            child.disown()

    def _blamed(self, request: Fields, ended: ChildEnded) -> Verdict:
        if ended.late:
            return Verdict(outcome="timeout", reason_code="starved", reason=str(ended))
        cpu_s = float(str(request["cpu_s"]))
        try:
            sound = bool(self._ask(request | {"controls": True}, _wall_s(cpu_s))["sound"])
        except ChildEnded:
            sound = False
        if not sound:
            return Verdict.abstained(
                "reference_resource_limit", f"no response is judged against this reference: {ended}"
            )
        if ended.exhausted:
            return Verdict.invalid("resource_limit", f"judging this response took more than {cpu_s:.3g} CPU seconds")
        return Verdict.invalid("unjudgeable_response", f"judging this response failed twice: {ended}")

    def _ask(self, request: Fields, wall_s: float) -> Fields:
        with self._room:
            child = self._take_child()
            try:
                answer = child.ask(request, wall_s)
            except BaseException:  # ended, or interrupted in the middle of an answer that nobody will read
                with self._lock:
                    self._all.discard(child)
                child.end()
                raise
            with self._lock:
                self._idle.append(child)
            return answer

    def _take_child(self) -> WorkerChild:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        child = WorkerChild(self._place)
        with self._lock:
            self._all.add(child)
        return child


def _wall_s(cpu_s: float) -> float:
    return GRACE_S + PATIENCE * cpu_s


_of_place: dict[PythonPlace, Workers] = {}
_opening = threading.Lock()


def workers(name: str) -> Workers:
    """Those of this process. Raises ImportError where no verifiers are; ``name`` is the module that asks."""
    place = find(name)
    with _opening:
        return _of_place.setdefault(place, Workers(place))


def close() -> None:
    """Ends every child of this process; the next call starts new ones."""
    with _opening:
        held = list(_of_place.values())
        _of_place.clear()
    for one in held:
        one.close()


def _begin_anew() -> None:
    global _opening
    _opening = threading.Lock()
    for one in _of_place.values():
        one.disown()
    _of_place.clear()


atexit.register(close)
os.register_at_fork(after_in_child=_begin_anew)
