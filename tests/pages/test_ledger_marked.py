"""Steps in a response and lists in the evidence: places that fit are marked, whatever else a verifier wrote is not."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import JsonValue

from app.pages.ledger.markup import mark_steps, marks, tables
from app.pages.ledger.views import ScoredStep
from tests.pages.hostile import PAYLOADS
from tests.pages.markup import Elements
from trueward.wire.record import VerdictDetail, VerdictRecord
from trueward.wire.verdict import Producer, Verdict


def detail(evidence: dict[str, JsonValue]) -> VerdictDetail:
    producer = Producer(name="steps", version="1", params="sha256:0")
    said = Verdict.scored(0.5, "scored", evidence=evidence, record="A", producer=producer)
    where: dict[str, Any] = dict.fromkeys(("group", "pair", "run", "step", "policy", "data_source"))
    record = VerdictRecord(
        record="A", created_at="2026-01-01T00:00:00Z", sample="f", split="train", verdict=said, **where
    )
    return VerdictDetail(**dict(record), content={"response": "one two"}, params=None)


def test_steps_are_marked_by_their_scores_and_the_text_stays_what_it_is() -> None:
    shown = detail({"step_scores": [0.1, 0.95], "step_spans": [[0, 3], [4, 7]]})
    [steps] = marks(shown, [shown])
    assert (steps.by, [step.level for step in steps.steps]) == ("steps", [0, 4])
    page = Elements(mark_steps("one two", steps.steps))
    assert page.text == "one0.1 two0.95"
    assert [given["class"] for _, given in page.tags] == ["step l0", "worth", "step l4", "worth"]


def test_scores_of_any_scale_have_a_level() -> None:
    shown = detail({"step_scores": [-3.0, 0.0, 2.0], "step_spans": [[0, 1], [1, 2], [2, 3]]})
    assert [step.level for step in marks(shown, [shown])[0].steps] == [0, 3, 4]


@pytest.mark.parametrize(
    "evidence",
    [
        {"step_scores": [1.0], "step_spans": [[0, 1], [1, 2]]},
        {"step_scores": ["1"], "step_spans": [[0, 1]]},
        {"step_scores": [1.0], "step_spans": [[0]]},
        {"step_scores": [1.0], "step_spans": ["ab"]},
        {"step_scores": [1.0], "step_spans": [[0, "1"]]},
        {"step_scores": [], "step_spans": []},
        {"step_scores": {"a": 1}, "step_spans": 3},
    ],
)
def test_evidence_that_is_no_steps_marks_nothing(evidence: dict[str, JsonValue]) -> None:
    shown = detail(evidence)
    assert marks(shown, [shown]) == []


def test_steps_that_overlap_or_lie_outside_are_left_out() -> None:
    places = [(2, 5), (0, 3), (4, 6), (5, 5), (6, 99), (200, 300)]
    steps = [ScoredStep(start=start, end=end, score=1.0, level=4) for start, end in places]
    page = Elements(mark_steps("0123456789", steps))
    assert page.text == "01234" + "1" + "56789" + "1"


@pytest.mark.parametrize("payload", PAYLOADS[::5])
def test_no_payload_in_a_step_becomes_an_element(payload: str) -> None:
    middle = len(payload) // 2
    page = Elements(mark_steps(payload, [ScoredStep(start=0, end=middle, score=0.0, level=0)]))
    assert {tag for tag, _ in page.tags} <= {"span"}


def test_lists_of_objects_are_tables() -> None:
    tests: list[JsonValue] = [{"status": "passed", "index": 0}, {"status": "failed", "index": 1, "name": "edge"}]
    wide: list[JsonValue] = [{str(number): number for number in range(50)}]
    many: list[JsonValue] = [{"a": number} for number in range(150)]
    found = tables({"tests": tests, "wide": wide, "many": many, "plain": [1, 2], "text": "x"})
    assert [(one.name, one.columns, len(one.rows), one.more) for one in found] == [
        ("tests", ["status", "index", "name"], 2, 0),
        ("many", ["a"], 100, 50),
    ]
    assert found[0].rows == [["passed", 0, None], ["failed", 1, "edge"]]
