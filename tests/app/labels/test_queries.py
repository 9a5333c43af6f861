"""Each query matches what it says and nothing else, in populations small enough to count by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pytest

from app.labels.queries import QueriedPopulation, probabilities
from app.labels.second_verdicts import ReadAnswer, shape
from audits.labelled.columns import NameColumn
from audits.labelled.records import Records
from trueward.errors import InvalidRequest
from trueward.wire.audit import Subject
from trueward.wire.draw import (
    Cell,
    Disagreement,
    GroupJump,
    NearThreshold,
    NewForm,
    Query,
    RandomStratified,
    RecordList,
    SuspectedReference,
)

OTHER = Subject(verifier="other")
NAN = float("nan")


def column(values: Sequence[str]) -> NameColumn:
    names = list(dict.fromkeys(values))
    return NameColumn(np.array([names.index(value) for value in values], dtype=np.int64), names)


def view(
    accepted: Sequence[float],
    *,
    group: Sequence[int] | None = None,
    score: Sequence[float] | None = None,
    step: Sequence[str] | None = None,
    source: Sequence[str] | None = None,
    sample: Sequence[str] | None = None,
    other: Mapping[str, bool | None] | None = None,
    answers: Mapping[str, str] | None = None,
    threshold: float | None = None,
) -> QueriedPopulation:
    """Records r0, r1, ... of samples s0, s1, ..., all of one group unless ``group`` says otherwise."""
    size = len(accepted)
    outcomes = ["timeout" if np.isnan(one) else "correct" if one else "incorrect" for one in accepted]
    records = Records(
        record=[f"r{place}" for place in range(size)],
        sample=list(sample or (f"s{place}" for place in range(size))),
        group=np.array(group or [0] * size, dtype=np.int64),
        accepted=np.array(accepted, dtype=np.float64),
        score=np.array(accepted if score is None else score, dtype=np.float64),
        confidence=np.full(size, NAN),
        outcome=column(outcomes),
        features={"data_source": column(source or ["none"] * size), "step": column(step or ["none"] * size)},
    )
    read = {record: ReadAnswer(text, shape(text)) for record, text in (answers or {}).items()}
    return QueriedPopulation(records, threshold, {OTHER.model_dump_json(): other or {}}, read)


def matched(query: Query, population: QueriedPopulation) -> list[int]:
    found = probabilities(query, population)
    assert set(found[found > 0]) <= {float(query.probability)}
    return np.flatnonzero(found).tolist()


def test_disagreement_needs_a_verdict_of_both() -> None:
    query = Disagreement(other=OTHER, probability=0.8)
    said = {"s0": False, "s1": True, "s2": True, "s3": False, "s4": None}
    assert matched(query, view([1, 1, 0, 0, 1, NAN, 1], other={**said, "s5": True})) == [0, 2]


def test_a_cell_is_what_both_said() -> None:
    said = {"s0": False, "s1": True, "s2": True, "s3": None, "s5": True}
    both = view([1, 1, 0, 1, 1, NAN], other=said)

    def cell(accepted: bool, second: bool | None) -> list[int]:
        return matched(Cell(accepted=accepted, other=OTHER, said=second, probability=0.5), both)

    assert [cell(True, True), cell(True, False), cell(True, None), cell(False, True)] == [[1], [0], [3, 4], [2]]
    assert matched(Cell(accepted=True, probability=0.5), both) == [0, 1, 3, 4]


def test_a_cell_of_a_slice_has_one_of_its_values_or_none_of_them() -> None:
    sliced = view([1, 1, 0, 1, NAN, 1], source=["a", "b", "a", "c", "a", "a"])

    def cell(*values: str, outside: bool = False) -> list[int]:
        named = Cell(accepted=True, feature="data_source", values=list(values), outside=outside, probability=0.5)
        return matched(named, sliced)

    assert [cell("a"), cell("a", "c"), cell("d")] == [[0, 5], [0, 3, 5], []]
    assert [cell("a", outside=True), cell(outside=True)] == [[1, 3], [0, 1, 3, 5]]


def test_near_threshold_takes_the_subjects_where_it_has_none() -> None:
    scores = [0.1, 0.4, 0.5, 0.6, 0.9, NAN]
    near = view([0, 0, 1, 1, 1, NAN], score=scores, threshold=0.5)
    assert matched(NearThreshold(margin=0.15, probability=1), near) == [1, 2, 3]
    assert matched(NearThreshold(margin=0.05, threshold=0.9, probability=1), near) == [4]
    with pytest.raises(InvalidRequest, match="needs a threshold"):
        probabilities(NearThreshold(margin=0.1, probability=1), view([1.0]))


def test_a_group_jump_is_the_only_one_of_its_kind_among_three_or_more() -> None:
    accepted = [1, 0, 0, 0, 1, 1, 0, 1, 0, 1, 1, 0, 0, NAN, 0]
    group = [0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 4, 4, 4]
    # group 0: one accepted; 1: one rejected; 2: two members only; 3: two of each; 4: two verdicts only
    assert matched(GroupJump(probability=0.5), view(accepted, group=group)) == [0, 3]
    assert matched(GroupJump(probability=0.5, least=4), view(accepted, group=group)) == []


def test_a_groups_name_at_another_step_is_another_group() -> None:
    jump = view([1, 0, 0, 1, 0, 0], step=["1", "1", "1", "2", "2", "2"])
    assert matched(GroupJump(probability=0.5), jump) == [0, 3]
    assert matched(GroupJump(probability=0.5), view([1, 0, 0, 1, 0, 0])) == []


def test_a_new_form_is_one_that_few_answers_have() -> None:
    answers = {f"r{place}": str(place) for place in range(18)} | {"r18": "5 cm", "r19": "\\frac{1}{2}"}
    population = view([1.0] * 21, answers=answers)
    assert matched(NewForm(share=0.06, probability=0.5), population) == [18, 19]
    assert matched(NewForm(share=0.05, probability=0.5), population) == []


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ("3/14 cm", "5/6  kg", True),
        ("\\frac{1}{2}", "\\frac{10}{3}", True),
        ("1.5", "15", False),
        ("x_1", "x_12", True),
    ],
)
def test_the_shape_of_an_answer_forgets_which_digits_and_letters(one: str, other: str, alike: bool) -> None:
    assert (shape(one) == shape(other)) is alike
    assert len(shape("1 + " * 1000)) == 64


def test_a_suspected_reference_is_rejected_by_one_and_accepted_by_another() -> None:
    query = SuspectedReference(second=OTHER, probability=1)
    answers = {"r0": "3", "r1": "3", "r2": "3", "r3": "2", "r4": "3", "r5": "3", "r6": "4"}
    group = [0, 0, 0, 0, 1, 1, 1]
    rejects = [0, 0, 0, 1, 1, 0, 0]
    seconds = {"s0": True, "s1": True, "s2": None, "s4": True, "s5": True}
    # group 0: three of four say 3, rejected, seconded; group 1: the reference accepts one of the 3s
    assert matched(query, view(rejects, group=group, answers=answers, other=seconds)) == [0, 1, 2]
    assert matched(query, view(rejects, group=group, answers=answers, other={})) == []
    agreed = SuspectedReference(second=OTHER, probability=1, agree=0.8)
    assert matched(agreed, view(rejects, group=group, answers=answers, other=seconds)) == []


def test_a_list_of_records_matches_these_whatever_was_said_of_them() -> None:
    population = view([1, 0, NAN])
    found = probabilities(RecordList(probability=1, records=["r0", "r2", "unknown"]), population)
    assert found.tolist() == [1, 0, 1]


def test_strata_give_the_same_expected_number_each() -> None:
    accepted = [1.0] * 60 + [0.0] * 30 + [NAN] * 10
    source = ["a"] * 40 + ["b"] * 60
    chance = probabilities(RandomStratified(probability=0.2), view(accepted, source=source))
    strata = [chance[:40], chance[40:60], chance[60:90], chance[90:]]
    assert [round(float(stratum.sum()), 9) for stratum in strata] == [5, 5, 5, 5]
    all_of_the_small = probabilities(RandomStratified(probability=0.8), view(accepted, source=source))
    assert [round(float(part.sum()), 9) for part in np.split(all_of_the_small, [40, 60, 90])] == [20, 20, 20, 10]


def test_a_response_that_was_judged_twice_is_in_its_stratum_once() -> None:
    chance = probabilities(RandomStratified(probability=0.5), view([1, 1, 1], sample=["a", "a", "b"]))
    assert chance.tolist() == [0.0, 0.5, 0.5]
