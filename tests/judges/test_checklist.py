"""``checklist``: items paid once, conversations ended by what they lack, and quotations that must stand there."""

from __future__ import annotations

import json
import re
import time
import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from judges.checklist import ChecklistVerifier
from judges.checklist.items import Checklist
from judges.checklist.quotation import shows
from judges.checklist.tally import Tally
from tests.judges.replies import Replies, verdict_of
from tests.rewards.situation import priced, recipe
from trueward.wire.sample import Message, Sample
from trueward.wire.verdict import Outcome, Verdict
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


def test_steps_and_turns_stand_where_they_were_said() -> None:
    """In the text of the policy's messages alone, whether or not the conversation was carried to its end."""
    sample = talk([FIND, TELL], [BOOK])
    evidence = judge(sample).evidence
    spans = {name: [tuple(span) for span in evidence[name]] for name in ("step_spans", "turn_spans")}  # type: ignore
    text = sample.response_text
    assert [text[a:b] for a, b in spans["step_spans"]] == ["Let me look.", "There are 3 flights.", "Booked flight 1."]
    assert [text[a:b] for a, b in spans["turn_spans"]] == ["Let me look.\n\nThere are 3 flights.", "Booked flight 1."]
    ended = judge(talk([{**BOOK, "required": True}], [FIND])).evidence
    assert ended["turn_spans"] == [[0, len("Let me look.\n\nThere are 3 flights.")]]
    paid = priced(
        recipe(terms=["checklist"], shaping=[{"steps": {"steps": "turn_scores"}, "term": "checklist"}]),
        checklist=judge(sample),
    )
    assert paid.step_spans == spans["turn_spans"]


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


def turn(*contents: str, arguments: object = None) -> list[Message]:
    calls = [] if arguments is None else [{"type": "function", "function": {"name": "book", "arguments": arguments}}]
    said = [{"role": "assistant", "content": one} for one in contents]
    asked = {"role": "user", "content": "Book the first for two people."}
    called = {"role": "assistant", "content": "", "tool_calls": calls}
    return [Message.model_validate(one) for one in (*said, asked, *([called] if calls else []))]


@pytest.mark.parametrize(
    ("quote", "item", "contents"),
    [
        ("e", "Does it call book?", "I have booked the first one."),
        ("the", "Does it call book?", "I have booked the first one."),
        ("I have", "Does it call book?", "I have booked the first one."),
        ("book", "Does it call book?", "I have booked the first one."),
        (".", "Does it end?", "I have booked the first one."),
        ("for two people", "Is it for two?", "I have booked the first one."),
        ("book the first", "Does it call book?", "Fine."),
    ],
)
def test_a_letter_a_part_of_a_word_and_the_user_s_words_show_nothing(quote: str, item: str, contents: str) -> None:
    assert not shows(quote, item, turn(contents))


@pytest.mark.parametrize(
    ("quote", "item", "contents"),
    [
        ("Paris", "Does it name the capital?", "It is Paris."),
        ("42", "Does it say how many?", "There are 42 of them."),
        ("yes", "Does it say yes?", "I say yes, of course."),
        ("No.", "Does it refuse?", "No."),
        ("巴黎", "Does it name the capital?", "首都是巴黎。"),
        ("“booked”", "Does it book?", 'It says "Booked" now.'),
        ("first one. Enjoy!", "Is it polite?", "I have booked the first one. Enjoy!"),
    ],
)
def test_an_answer_of_one_word_shows_what_it_says(quote: str, item: str, contents: str) -> None:
    assert shows(quote, item, turn(contents))


@pytest.mark.parametrize("arguments", ['{"to": "Rome", "n": 2}', '{"to":"Rome","n":2}', {"to": "Rome", "n": 2}])
@pytest.mark.parametrize("quote", ['"to": "Rome"', '{"to": "Rome", "n": 2}', '"name": "book"', "Rome"])
def test_a_call_is_quoted_as_it_was_written(arguments: object, quote: str) -> None:
    assert shows(quote, "Does it call book with Rome?", turn(arguments=arguments))


SENTENCE = "Your table for two is booked at the café, for 19:30."


@given(st.data())
def test_a_quotation_may_leave_out_what_a_text_is_set_in(data: DataObject) -> None:
    """Emphasis in the text, in the quotation or in neither, marks around the quotation, either form of an accent."""
    marks = st.sampled_from(["", "*", "**", "`", "_", "***"])

    def dress() -> str:
        words = []
        for word in SENTENCE.split():
            mark = data.draw(marks)
            words.append(f"{mark}{word}{mark}")
        return unicodedata.normalize(data.draw(st.sampled_from(["NFC", "NFD"])), " ".join(words))

    around = data.draw(st.sampled_from(["", '"', "“”", "'", "‘’"]))
    quote = f"{around[:1]}{dress()}{around[-1:]}"
    assert shows(quote, "Is a table booked?", turn(f"Sure. {dress()} Enjoy!"))
    assert not shows(quote.replace("19", "20"), "Is a table booked?", turn(f"Sure. {dress()} Enjoy!"))


def test_a_long_quotation_of_one_letter_is_looked_for_in_linear_time() -> None:
    start = time.process_time()
    assert not shows("a" * 50_000, "Does it say so?", turn("a" * 100_000))
    assert time.process_time() - start < 1


def test_words_of_an_earlier_turn_prove_nothing_in_this_one() -> None:
    """The quotation stands in the conversation, and the turn that it is given for has another."""
    verdict = judge(talk([TELL], [BOOK]), lambda text: reply([("There are 3 flights.", True)]))
    assert verdict.evidence["turn_scores"] == [1.0, 0.0]
    unproved = verdict.evidence["unproved"]
    assert isinstance(unproved, list)
    assert unproved[-1] == {"checklist": 0, "turn": 1, "item": 0, "quote": "There are 3 flights."}


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
