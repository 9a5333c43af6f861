"""The first wrong step: both accuracies, their harmonic mean, and verdicts that say nothing of steps."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from audits.bench.first_error import read_prediction
from audits.subject_verdict import Judged
from tests.audits.bench.scripted import RECIPE, Scripted, benched
from trueward.errors import InvalidRequest
from trueward.wire.verdict import Outcome

STEPS: list[JsonValue] = ["one", "two", "three"]


def solution(label: int, said: JsonValue, number: int = 0, **rest: JsonValue) -> dict[str, JsonValue]:
    """A row whose verifier says this in its evidence."""
    return {"prompt": f"q{number}", "steps": STEPS, "label": label, "metadata": {"evidence": said}, **rest}


def judged(evidence: dict[str, JsonValue]) -> Judged:
    return Judged(None, 1.0, Outcome.SCORED, "", "", None, 0.0, evidence)


@pytest.mark.parametrize(
    ("evidence", "said"),
    [
        ({"first_error": 2}, 2),
        ({"first_error": -1}, -1),
        ({"first_error": 3}, None),
        ({"first_error": -2}, None),
        ({"first_error": True}, None),
        ({"first_error": "1"}, None),
        ({"steps": [0.9, 0.4, 0.1]}, 1),
        ({"steps": [0.9, 0.5, 1]}, -1),
        ({"steps": [0.9, 0.4]}, None),
        ({"steps": [0.9, 0.4, "0"]}, None),
        ({"steps": [0.9, 1.4, 0.1]}, None),
        ({"steps": [True, False, True]}, None),
        ({"steps": [0.9, float("nan"), 0.1]}, None),
        ({"steps": {"0": 0.1}}, None),
        ({}, None),
    ],
)
def test_evidence_says_which_step(evidence: dict[str, JsonValue], said: int | None) -> None:
    assert read_prediction(judged(evidence), 3) == said


async def test_f1_is_the_harmonic_mean_of_both_accuracies() -> None:
    """The worked number: .6 and .9 make .72."""
    rows = [solution(1, {"first_error": 1 if number < 6 else 2}, number) for number in range(10)]
    rows += [solution(-1, {"first_error": -1 if number < 9 else 0}, 10 + number) for number in range(10)]
    found: Any = (await benched("first_error", rows)).findings["by_example"]
    assert (found["erroneous"]["rate"], found["flawless"]["rate"]) == (0.6, 0.9)
    assert found["f1"] == pytest.approx(0.72)
    low, high = found["interval"]
    assert low < 0.72 < high


async def test_domains_weigh_the_same_in_the_mean_by_section() -> None:
    rows = [solution(1, {"first_error": 1}, number, domain="a") for number in range(4)]
    rows += [solution(-1, {"first_error": -1}, domain="a"), solution(-1, {"first_error": -1}, domain="b")]
    rows += [solution(0, {"first_error": 1}, domain="b")]
    report = await benched("first_error", rows)
    findings: Any = report.findings
    assert findings["domains"]["a"]["f1"] == 1.0
    assert findings["domains"]["b"]["f1"] == 0.0
    assert findings["by_section"] == {"f1": 0.5, "sections": 2}
    assert findings["by_example"]["f1"] == pytest.approx(2 * 0.8 / 1.8)


async def test_what_cannot_be_read_is_wrong_and_shown_apart() -> None:
    rows = [solution(-1, {}, 1), solution(-1, {"first_error": -1}, 2), solution(0, {"steps": [0.1, 1, 1]}, 3)]
    report = await benched("first_error", rows)
    findings: Any = report.findings
    assert findings["unparsed"] == 1
    assert findings["by_example"]["flawless"]["rate"] == 0.5
    assert any("1 verdicts do not say which step" in note for note in report.notes)


async def test_no_verdict_at_all_is_no_error() -> None:
    class Down(Scripted):
        def _one(self, subject: Any, sample: Any) -> Any:
            text = "timeout" if sample.prompt == "q1" else "1"
            return super()._one(subject, sample.model_copy(update={"response": text}))

    rows = [solution(-1, {"first_error": -1}, 1), solution(-1, {"first_error": -1}, 2)]
    report = await benched("first_error", rows, Down())
    findings: Any = report.findings
    assert findings["missing"] == {"rows": 1, "by_reason": {"timeout": 1}}
    assert any(note.startswith("1 rows have no verdict") and note.endswith("timeout (1)") for note in report.notes)
    assert findings["by_example"]["flawless"] == {
        "rate": 1.0,
        "interval": pytest.approx([0.2065, 1.0], abs=1e-4),
        "rows": 1,
    }
    assert findings["by_example"]["f1"] is None
    with pytest.raises(InvalidRequest, match="no verdict on any of the 1 rows"):
        await benched("first_error", rows[:1], Down())


async def test_a_subject_that_says_nothing_of_steps_is_noted() -> None:
    report = await benched("first_error", [solution(-1, {}), solution(1, {})])
    assert any("no verdict says anything of steps" in note for note in report.notes)


async def test_a_recipe_is_refused() -> None:
    with pytest.raises(InvalidRequest, match="asks a verifier"):
        await benched("first_error", [solution(-1, {})], subject=RECIPE)


async def test_errors_that_were_overlooked_are_the_worst() -> None:
    rows = [
        solution(-1, {"first_error": 0}, 1),
        solution(2, {"first_error": 1}, 2),
        solution(2, {"first_error": -1}, 3),
    ]
    worst: Any = (await benched("first_error", rows)).findings["worst"]
    assert [(one["row"], one["predicted"], one["step"]) for one in worst] == [
        (3, -1, "three"),
        (1, 0, None),
        (2, 1, "three"),
    ]


async def test_the_verifier_gets_the_steps() -> None:
    judging = Scripted()
    await benched("first_error", [solution(-1, {"first_error": -1})], judging)
    [[sample]] = judging.requests
    assert sample.metadata == {"evidence": {"first_error": -1}, "steps": STEPS}
    assert sample.response == "one\n\ntwo\n\nthree"
