"""Promise 1 as a table: cause x stage x seen before."""

from __future__ import annotations

import pytest

from app.lanes.cpu.ending import Cause, Ending, judge
from app.lanes.cpu.progress import Stage

INVALID, ABSTAINED, ERROR, AGAIN = "invalid", "abstained", "error", None


@pytest.mark.parametrize(
    ("cause", "stage", "first", "second"),
    [
        (Cause.CPU, Stage.CHECK, INVALID, INVALID),
        (Cause.CPU, Stage.PREPARE, ABSTAINED, ABSTAINED),
        (Cause.WALL, Stage.CHECK, AGAIN, INVALID),
        (Cause.WALL, Stage.PREPARE, ABSTAINED, ABSTAINED),
        (Cause.WALL, Stage.LOAD, ERROR, ERROR),
        (Cause.MEMORY, Stage.CHECK, AGAIN, INVALID),
        (Cause.MEMORY, Stage.PREPARE, AGAIN, ABSTAINED),
        (Cause.MEMORY, Stage.LOAD, AGAIN, ERROR),
        (Cause.CRASH, Stage.CHECK, AGAIN, ERROR),
        (Cause.CRASH, Stage.PREPARE, AGAIN, ERROR),
        (Cause.CRASH, Stage.LOAD, AGAIN, ERROR),
    ],
)
def test_whose_doing_it_was(cause: Cause, stage: Stage, first: str | None, second: str) -> None:
    ending = Ending(cause, stage, cpu_s=1.0, wall_s=2.0)
    verdicts = [judge(ending, set()), judge(ending, {cause})]
    assert [verdict and verdict.outcome.value for verdict in verdicts] == [first, second]
    for verdict in verdicts:
        assert verdict is None or verdict.elapsed_s == 2.0


@pytest.mark.parametrize("other", [Cause.CRASH, Cause.MEMORY])
def test_another_cause_confirms_nothing(other: Cause) -> None:
    assert judge(Ending(Cause.WALL, Stage.CHECK), {other}) is None


def test_the_evidence_names_the_limit_and_what_was_used() -> None:
    verdict = judge(Ending(Cause.CPU, Stage.CHECK, cpu_s=2.01, wall_s=2.5), set())
    assert verdict is not None
    assert verdict.evidence == {"limit": "cpu_s", "cpu_s": 2.01, "wall_s": 2.5}
