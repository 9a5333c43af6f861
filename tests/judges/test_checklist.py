"""``checklist``: items paid once, conversations ended by what they lack, and quotations that must stand there."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from judges.checklist import ChecklistVerifier
from judges.checklist.items import Checklist
from judges.checklist.tally import Tally
from tests.judges.replies import Replies, verdict_of
from trueward.types import Outcome, Sample, Verdict
from verifiers import registry

TALK = [
    {
        "role": "assistant",
        "content": "Let me look.",
        "tool_calls": [{"function": {"name": "find", "arguments": "Rome"}}],
    },
    {"role": "tool", "content": "3 flights to Rome"},
    {"role": "assistant", "content": "There are 3 flights."},
    {"role": "user", "content": "Book the first."},
    {"role": "assistant", "content": "Booked flight 1."},
]
FIND = {"question": "FIND: calls find", "weight": 0.5}
TELL = {"question": "THREE: tells that there are 3", "weight": 0.3}
BOOK = {"question": "BOOKED: books", "weight": 0.2}


def checklist(**params: object) -> ChecklistVerifier:
    made = registry.create("checklist", params)  # type: ignore[arg-type]
    assert isinstance(made, ChecklistVerifier)
    return made


def talk(*turns: list[dict[str, object]], **metadata: object) -> Sample:
    given = {"checklist": {"turns": [*turns]}} if turns else metadata
    return Sample.model_validate({"prompt": "Flights to Rome?", "response": TALK, "metadata": given})


QUOTES = {"FIND": '"find"', "THREE": "there are 3 flights", "BOOKED": "Booked flight 1"}


def honest(text: str) -> str:
    """Quotes what is there."""
    said = text.rpartition("The conversation since:")[2].partition("The items:")[0].casefold()
    names = re.findall(r"⟦ITEM \d+ [0-9a-f]+⟧\n([A-Z]+):", text)
    rows = [(QUOTES[name], QUOTES[name].casefold() in said) for name in names]
    return reply([(quote if there else "", there) for quote, there in rows])


def reply(rows: list[tuple[str, bool]]) -> str:
    return json.dumps({"items": [{"item": n, "quote": quote, "met": met} for n, (quote, met) in enumerate(rows, 1)]})


def judge(sample: Sample, judge: Callable[[str], str] = honest, **params: object) -> Verdict:
    return verdict_of(checklist(**params), sample, Replies(judge))


def test_an_item_pays_when_it_is_first_met() -> None:
    tally = Tally(Checklist.model_validate({"turns": [[{**FIND}, {**TELL}, {**BOOK}]]}))
    tally.begin()
    tally.step([0])
    tally.step([0, 1])
    assert tally.step_scores == [pytest.approx(0.5), pytest.approx(0.3)]
    assert tally.turn_scores == [pytest.approx(0.8)]
    assert tally.open == [2]


def test_a_conversation_is_paid_turn_by_turn_and_step_by_step() -> None:
    verdict = judge(talk([FIND, TELL], [BOOK]))
    assert verdict.outcome is Outcome.SCORED
    assert verdict.score == pytest.approx(1.0)
    assert verdict.evidence["step_scores"] == pytest.approx([0.625, 0.375, 1.0])
    assert verdict.evidence["turn_scores"] == pytest.approx([1.0, 1.0])


def test_only_open_items_are_asked_about_and_a_turn_without_any_costs_nothing() -> None:
    models = Replies(honest)
    verdict_of(checklist(), talk([FIND], [BOOK]), models)
    # the first turn's only item is met by its first step: its second is not asked about
    assert len(models.asked) == 2


def test_what_a_turn_must_have_ends_the_conversation() -> None:
    refund = {"question": "REFUND: offers a refund", "required": True}
    QUOTES["REFUND"] = "refund"
    verdict = judge(talk([FIND, refund], [BOOK]))
    assert verdict.evidence["ended_after_turn"] == 0
    assert verdict.score == pytest.approx(0.5 / 1.5 / 2)


def test_several_checklists_end_a_conversation_by_majority_and_are_averaged() -> None:
    QUOTES["REFUND"] = "refund"
    strict = {"turns": [[{"question": "REFUND: offers a refund", "required": True}], [BOOK]]}
    mild = {"turns": [[FIND], [BOOK]]}
    ended = judge(talk(checklists=[strict, strict, mild]))
    assert ended.evidence["ended_after_turn"] == 0
    assert ended.score == pytest.approx(0.5 / 3)
    lives = judge(talk(checklists=[strict, mild]))
    assert lives.evidence["ended_after_turn"] is None
    assert lives.score == pytest.approx((0.5 + 1.0) / 2)


@pytest.mark.parametrize("quote", ["", "   ", "the refund was paid", "Flights to Rome?"])
def test_what_is_met_without_words_that_stand_there_is_not_met(quote: str) -> None:
    def gullible(text: str) -> str:
        return reply([(quote, True)])

    assert judge(talk([TELL]), gullible).score == 0.0


def test_a_quotation_may_change_white_space_case_and_marks() -> None:
    assert judge(talk([TELL]), lambda text: reply([("THERE are\n3  flights", True)])).score == 1.0


def test_a_reply_that_leaves_an_item_out_is_not_read() -> None:
    verdict = judge(talk([FIND, TELL]), lambda text: reply([("x", True)]))
    assert verdict.reason_code == "judge_malformed"


@pytest.mark.parametrize(
    "metadata",
    [
        {"checklist": {"turns": []}},
        {"checklist": {"turns": [[]]}},
        {"checklist": {"turns": [[{"question": ""}]]}},
        {"checklist": {"turns": [[{"question": "q", "weight": 0}]]}},
        {"checklists": []},
        {"checklists": [{"turns": [[FIND]]}, {"turns": [[FIND], [BOOK]]}]},
        {"checklist": "all"},
    ],
)
def test_a_checklist_that_cannot_be_read_is_the_caller_s_doing(metadata: dict[str, object]) -> None:
    verdict = judge(talk(**metadata))
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "bad_checklist")


def test_a_turn_that_was_not_reached_earns_nothing() -> None:
    verdict = judge(talk([FIND], [BOOK], [TELL]))
    assert verdict.score == pytest.approx(2 / 3)
    assert verdict.evidence["turn_scores"] == pytest.approx([1.0, 1.0])
