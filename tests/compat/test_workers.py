"""Children that judge: what hangs is ended, and whose doing it was is told apart."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from trueward.compat import place
from trueward.compat.place import VARIABLE, PythonPlace
from trueward.compat.workers import ChildEnded, WorkerChild, Workers, workers
from trueward.errors import NotInstalled
from trueward.wire.verdict import Outcome, Verdict

BACKTRACKS = {"pattern": "(a|b|ab)*c"}
HANGS = {"response": "ab" * 60 + "d"}


def hung() -> Verdict:
    return workers(__name__).verdict("regex", dict(BACKTRACKS), dict(HANGS), cpu_s=1.0)


def test_a_response_that_hangs_is_ended_and_priced_in_any_thread() -> None:
    found: list[Verdict] = []
    thread = threading.Thread(target=lambda: found.append(hung()))
    thread.start()
    thread.join(120)
    assert [(verdict.outcome, verdict.reason_code) for verdict in found] == [(Outcome.INVALID, "resource_limit")]


def test_the_next_answer_comes_from_a_fresh_child() -> None:
    asked = workers(__name__)
    assert asked.verdict("math", {}, {"response": "\\boxed{2}", "reference": "2"}).score == 1.0


def test_a_pattern_that_hangs_on_any_response_is_not_the_response_s_doing() -> None:
    slow = {"pattern": "(?s)^" + "(.?)" * 60 + "\n$"}  # so many ways to share a few characters
    found = workers(__name__).verdict("regex", dict(slow), {"response": "x" * 40}, cpu_s=1.0)
    assert (found.outcome, found.score) == (Outcome.ABSTAINED, None)


def test_a_child_that_is_killed_from_outside_costs_nobody_a_reward() -> None:
    asked = Workers(workers(__name__)._place)
    sample = {"response": "\\boxed{2}", "reference": "2"}
    assert asked.verdict("math", {}, dict(sample)).score == 1.0
    (child,) = asked.children()
    os.kill(child, signal.SIGKILL)
    assert asked.verdict("math", {}, dict(sample)).score == 1.0
    asked.close()


def test_a_child_that_does_not_answer_in_time_is_ended() -> None:
    child = WorkerChild(workers(__name__)._place)
    os.kill(child.pid, signal.SIGSTOP)
    with pytest.raises(ChildEnded, match="no answer within") as ended:
        child.ask({"text": "2"}, wall_s=0.2)
    assert ended.value.late
    with pytest.raises(ProcessLookupError):
        os.kill(child.pid, 0)


def test_an_environment_with_the_client_alone_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setattr(place, "find_spec", lambda name: None)
    with pytest.raises(ImportError, match=r"has only its client.*TRUEWARD_PYTHON=/path/to/trueward/\.venv/bin/python"):
        place.find("trueward.compat.verl")


def test_an_interpreter_that_is_not_there_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "/nowhere/python")
    with pytest.raises(ImportError, match="TRUEWARD_PYTHON is '/nowhere/python', and no program is there"):
        place.find("trueward.compat.verl")


def test_an_interpreter_without_the_server_says_what_it_lacks(tmp_path: Path) -> None:
    import sys

    bare = tmp_path / "python"
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -S -I "$@"\n')
    bare.chmod(0o755)
    with pytest.raises(NotInstalled, match="cannot judge: ModuleNotFoundError"):
        Workers(PythonPlace(str(bare))).verdict("math", {}, {"response": "2", "reference": "2"})
