"""Each fault is named by the run that has it, with counts and records; a healthy run has none."""

from __future__ import annotations

from typing import Any

import pytest

from app.doctor.faults import faults_of
from app.doctor.faults.missing import DO
from tests.app.doctor.made import found, seen, summary

BOXED = frozenset({"\\boxed"})
TAGGED = frozenset({"<answer>"})


def test_a_healthy_run_has_no_fault() -> None:
    assert found(seen(place) for place in range(256)) == {}


def test_a_run_without_records_has_no_fault() -> None:
    assert faults_of(summary([])) == []


def test_what_the_responses_write_stands_beside_what_is_read() -> None:
    records = [seen(place) for place in range(4)]
    records += [seen(place, "invalid", "no_answer", content={"forms": TAGGED}) for place in range(4, 200)]
    fault = found(records, reads=["boxed"])["no_answer"]
    assert (fault.count, fault.of, fault.cost) == (196, 200, 0.98)
    assert fault.sentence == "98% `no_answer`: the responses write <answer>, the verifier reads \\boxed"
    assert fault.records == ["r00004", "r00005", "r00006"]


def test_responses_without_a_mark_are_told_to_be_asked_for_one() -> None:
    fault = found(seen(place, "invalid", "no_answer") for place in range(40))["no_answer"]
    assert "the responses mark no answer" in fault.sentence
    assert "let the prompt ask for a form" in fault.advice


@pytest.mark.parametrize(
    ("code", "kind", "words"),
    [
        ("unclosed_thinking", "unclosed_thinking", "within their thinking"),
        ("empty", "empty", "no text"),
        ("resource_limit", "invalid", "`resource_limit`: said so"),
    ],
)
def test_each_other_cause_of_invalid_has_its_words(code: str, kind: str, words: str) -> None:
    records = [seen(place, "invalid", code) if place % 2 else seen(place) for place in range(128)]
    fault = found(records)[kind]
    assert words in fault.sentence
    assert fault.count == 64


def test_a_policy_that_has_not_learned_the_form_yet_is_no_fault() -> None:
    records = [seen(place, "invalid", "no_answer") if place % 12 == 1 else seen(place) for place in range(240)]
    assert found(records) == {}


def test_responses_that_end_without_a_stop_were_cut() -> None:
    cut = {"finish_reason": "length", "tokens": 512}
    records = [seen(place, content=cut) if place % 5 < 2 else seen(place) for place in range(200)]
    fault = found(records)["cut"]
    assert fault.sentence == "40% end without a stop, cut at the limit of new tokens: the longest have 512"
    assert fault.count == 80


def test_without_finish_reasons_the_greatest_number_of_tokens_tells() -> None:
    def one(place: int) -> Any:
        return seen(place, content={"finish_reason": None, "tokens": 256 if place % 4 == 1 else place % 90})

    assert "exactly 256 tokens long" in found(map(one, range(200)))["cut"].sentence
    even = [seen(place, content={"finish_reason": None, "tokens": place}) for place in range(200)]
    assert "cut" not in found(even)


def test_samples_without_a_reference_are_told_by_data_source() -> None:
    records = [
        seen(place, "abstained", "no_reference", source="X") if place % 10 < 3 else seen(place, source="Y")
        for place in range(200)
    ]
    fault = found(records)["no_reference"]
    assert fault.sentence == "30% of the samples come without a reference, of the data source 'X' (100% of its)"


def test_references_that_cannot_be_read_are_told_with_the_reason() -> None:
    records = [
        seen(place, "abstained", "reference_unparsable", reason="no number") if place % 4 == 1 else seen(place)
        for place in range(80)
    ]
    fault = found(records)["unreadable_reference"]
    assert fault.sentence == "25% have a reference that the verifier cannot read: no number"
    assert fault.count == 20


@pytest.mark.parametrize("code", [*DO, "some_other_cause"])
def test_every_other_missing_score_says_what_the_operator_does(code: str) -> None:
    records = [seen(place, "error", code) if place % 8 == 1 else seen(place) for place in range(160)]
    fault = found(records)["missing"]
    assert f"12.5% missing by `{code}`" in fault.sentence
    assert fault.advice


def test_a_component_that_paid_nobody_is_named_and_a_penalty_is_not() -> None:
    def one(place: int) -> Any:
        return seen(place, components={"math": float(place % 2), "format": 0.0, "repetition": 0.0})

    records = [one(place) for place in range(2560)]
    fault = found(records, penalties=frozenset({"repetition"}))["unpaid_component"]
    assert fault.sentence == "component `format` paid nobody in 2,560 records"
    assert "unpaid_component" not in found(records[:40], penalties=frozenset({"repetition"}))


@pytest.mark.parametrize(("by_fallback", "told"), [(64, False), (65, True), (128, True)])
def test_more_than_half_of_what_a_term_pays_by_its_fallback_is_told(by_fallback: int, told: bool) -> None:
    records = [seen(place, components={"math": float(place < 128)}) for place in range(256)]
    fallbacks = {one.record: {"math": "regex"} for one in records[:by_fallback]}
    faults = found(records, fallbacks=fallbacks)
    assert ("paid_by_fallback" in faults) is told
    if told:
        fault = faults["paid_by_fallback"]
        assert (fault.count, fault.of, fault.cost) == (by_fallback, 128, by_fallback / 256)
    assert "paid_by_fallback" not in found(records[:63], fallbacks=fallbacks)


def test_where_nothing_was_judged_no_component_is_to_blame() -> None:
    unread = [seen(place, "invalid", "no_answer", components={"math": 0.0, "format": 0.0}) for place in range(256)]
    assert set(found(unread)) == {"no_answer"}


def test_a_component_that_is_the_whole_reward_is_told_as_that() -> None:
    records = [seen(place, "incorrect", components={"math": 0.0}) for place in range(128)]
    assert set(found(records)) == {"one_reward"}


def test_groups_without_a_difference_are_counted_by_side() -> None:
    records = [seen(place, reward=float(place % 2) if place < 100 else float(place < 200)) for place in range(256)]
    fault = found(records)["flat_groups"]
    assert "all 4 members of 60.9% of the groups have the same reward" in fault.sentence
    assert "25 groups at the highest reward (too easy), 14 below it" in fault.sentence
    assert (fault.count, fault.of) == (39, 64)


def test_groups_in_which_nothing_was_judged_are_no_flat_groups() -> None:
    records = [seen(place, "invalid", "no_answer") if place < 200 else seen(place) for place in range(256)]
    assert set(found(records)) == {"no_answer"}


def test_a_reward_that_never_changes_is_one_fault() -> None:
    assert set(found(seen(place, "incorrect") for place in range(128))) == {"one_reward"}


def test_equal_responses_in_a_group_and_to_many_prompts() -> None:
    alike = [seen(place, content={"digest": f"text {place // 4}"}) for place in range(64)]
    assert set(found(alike)) == {"same_responses"}
    one = [seen(place, content={"digest": "same" if place % 2 else f"text {place}"}) for place in range(64)]
    assert found(one)["shared_response"].sentence.endswith("the same response, to 16 of 16 prompts")
    short = [seen(place, content={"digest": "4", "length": 1}) for place in range(64)]
    assert found(short) == {}


def test_the_most_costly_stands_first() -> None:
    records = [
        seen(place, "abstained", "no_reference")
        if place % 10 == 1
        else seen(place, "invalid", "no_answer")
        if place % 2
        else seen(place)
        for place in range(200)
    ]
    faults = faults_of(summary(records))
    assert [fault.kind for fault in faults] == ["no_answer", "no_reference"]
    assert faults[0].cost > faults[1].cost
