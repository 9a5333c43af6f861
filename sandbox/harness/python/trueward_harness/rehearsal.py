"""Runs the harness's own code once where it is preloaded, before there is any program: a fork of an interpreter that
has run a function before starts it sooner, and writes to fewer of the pages that it shares.

A few tests of a function of ours, over two pipes, the two ends one after the other: the candidate's answers are
known beforehand. Whatever it changed in the interpreter is put back.
"""

from __future__ import annotations

import os
import sys
from types import ModuleType

from .assertions import Split
from .candidate import Server
from .channel import Channel, pack_frame
from .loading import deepen
from .program import TestProgram
from .report import verdict

_TIMES = 12
"""Python looks for faster forms of a function's instructions at its eighth call."""


def rehearse() -> None:
    """Both ends of a pair."""
    modules, depth = dict(sys.modules), sys.getrecursionlimit()
    answers, answering = os.pipe()
    questions, asking = os.pipe()
    try:
        deepen()
        server = Server(Channel(questions, answering))
        server.hold(_solution())
        for number in range(_TIMES):
            os.write(answering, pack_frame({"op": "return", "value": number, "updates": [], "nodes": []}))
        _ask(Split(Channel(answers, asking)))
        for _ in range(_TIMES):
            server.answer()
    finally:
        for descriptor in (answers, answering, questions, asking):
            os.close(descriptor)
        sys.setrecursionlimit(depth)
        for name in set(sys.modules) - set(modules):
            del sys.modules[name]
        sys.modules.update(modules)


def _ask(split: Split) -> None:
    split.open()
    for number in range(_TIMES):
        program = TestProgram(f"assert same({number}) == {number}", "rehearsal")
        program.run(split.space(program, None), None)
        assert verdict(None, split.flaws, split.blame) == ("passed", "")


def _solution() -> ModuleType:
    module = ModuleType("solution")
    exec("def same(number):\n    return number", module.__dict__)  # noqa: S102 - our own
    return module
