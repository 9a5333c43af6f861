"""The check of the load finds what it is there to find."""

from __future__ import annotations

import pytest

from tests.faults.ledger import Report, Row, compare
from tests.faults.load import Load
from tests.faults.shapes import Answer
from tests.faults.truth import Truth, tag_of


@pytest.fixture(scope="module")
def truth() -> Truth:
    made = Truth()
    made.batch("native", 3)
    return made


def compared(truth: Truth, said: list[Answer], stored: dict[str, list[Row]]) -> Report:
    load = Load.__new__(Load)  # without its thread and its connections: it is not asked
    load.truth = truth
    return compare(load, said, stored)


def test_each_sample_carries_its_tag(truth: Truth) -> None:
    for tag, known in truth.known.items():
        assert tag_of(str(known.sample)) == tag


def test_what_is_right_and_recorded_passes(truth: Truth) -> None:
    for tag, known in truth.known.items():
        report = compared(truth, [Answer(tag, known.right, False, "r")], {tag: [Row("r", known.right)]})
        assert (report.answered, report.wrong, report.lost, report.twice) == (1, [], [], [])


def test_a_missing_score_is_neither_lost_nor_wrong(truth: Truth) -> None:
    for tag in truth.known:
        report = compared(truth, [Answer(tag, None, True, None)], {})
        assert (report.missing, report.wrong, report.lost) == (1, [], [])


def test_a_wrong_answer_a_lost_record_and_a_second_one_are_found(truth: Truth) -> None:
    for tag, known in truth.known.items():
        right, wrong = known.right, 1.0 - known.right
        assert compared(truth, [Answer(tag, wrong, False, "r")], {tag: [Row("r", wrong)]}).wrong
        assert compared(truth, [], {tag: [Row("r", wrong)]}).wrong
        assert compared(truth, [Answer(tag, right, False, "r")], {}).lost
        assert compared(truth, [Answer(tag, right, False, "r")], {tag: [Row("another", right)]}).lost
        assert compared(truth, [Answer(tag, right, False, None)], {tag: [Row("r", None)]}).lost
        assert compared(truth, [], {tag: [Row("r", right), Row("s", right)]}).twice
        assert compared(truth, [Answer(tag, right, False, "r")] * 2, {tag: [Row("r", right)]}).twice


def test_a_number_that_stands_in_for_a_missing_one_is_known_by_its_record(truth: Truth) -> None:
    [right] = [tag for tag, known in truth.known.items() if known.right == 1.0][:1]
    assert compared(truth, [Answer(right, 0.0, False, None)], {right: [Row("r", None)]}).missing == 1
    assert compared(truth, [Answer(right, 0.0, False, None)], {right: [Row("r", 1.0)]}).wrong
