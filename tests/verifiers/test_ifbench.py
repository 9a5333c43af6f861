"""IFBench: the verdicts of the official checker, of its first release and of today, on responses that we generated.

They stand in ``tests/cases/official/ifbench.jsonl``. ``published`` is the checker of the first release, as lighteval
0.13.0 distributes it; its verdicts are those of the results published with the paper. ``revised`` is the checker of
github.com/allenai/IFBench at commit 1d62c1d. Both ran with NLTK 3.9.1, emoji 2.16.0 and syllapy 0.8.0; each gives the
strict and the loose verdict. ``words:start_verb`` is missing: its trained tagger could not be had.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from pydantic import JsonValue

from tests.each import check_each
from trueward import Message, Sample, Verdict
from verifiers.instructions import InstructionsVerifier
from verifiers.instructions.catalogue import CONSTRAINTS, REVISED
from verifiers.instructions.constraint import Constraint
from verifiers.instructions.verifier import InstructionsParams, readings

CASES = Path(__file__).parents[1] / "cases" / "official" / "ifbench.jsonl"
OWN = {name: kind for name, kind in CONSTRAINTS.items() if ".ifbench." in kind.__module__}
NO_ORACLE = {"words:start_verb"}
"""Judged by lexicon and rule, where the official checker asks a trained tagger."""


def judged(response: str | list[Message], reference: JsonValue, **params: bool) -> Verdict:
    verifier = InstructionsVerifier(InstructionsParams(**params))
    return verifier.verify([Sample(response=response, reference=reference)])[0]


def one(name: str, **arguments: JsonValue) -> JsonValue:
    return {"instruction_id_list": [name], "kwargs": [arguments]}


def strict_and_loose(constraint: Constraint, response: str) -> list[bool]:
    strict = constraint.check(response).followed
    return [strict, strict or any(constraint.check(reading).followed for reading in readings(response))]


def official() -> list[dict[str, JsonValue]]:
    return [json.loads(line) for line in CASES.read_text(encoding="utf-8").splitlines()]


def check(case: dict[str, JsonValue]) -> None:
    name, response = str(case["id"]), str(case["response"])
    for release, catalogue in (("published", CONSTRAINTS), ("revised", REVISED)):
        constraint = catalogue[name].model_validate(case["kwargs"])
        assert strict_and_loose(constraint, response) == case[release], (release, constraint, response)


def test_there_are_58() -> None:
    assert len(OWN) == 58


def test_the_verdicts_are_those_of_the_official_checker() -> None:
    check_each(((f"{number} {case['id']}", case) for number, case in enumerate(official(), start=1)), check)


def test_the_official_cases_show_each_constraint_followed_and_not() -> None:
    # strictly, which is the first of the two verdicts
    seen = Counter((str(case["id"]), str(case["published"]).startswith("[True")) for case in official())
    assert {name for name in OWN if seen[name, True] and seen[name, False]} == OWN.keys() - NO_ORACLE


@pytest.mark.parametrize(
    ("opening", "verb"),
    [
        ("Write the letter first.", True), ("Exploring caves is fun.", True), ("Plan your trip early.", True),
        ("Plans change.", False), ("The plan is simple.", False), ("Don't go.", True), ("Sure, here it is:", False),
        ("Went there once.", True), ("King of the hill.", False), ("**Run** away", False), ("Let us begin.", True),
        ("Research shows it.", False), ("", False),
    ],
)  # fmt: skip
def test_a_verb_at_the_start_is_told_by_lexicon_and_rule(opening: str, verb: bool) -> None:
    assert CONSTRAINTS["words:start_verb"]().check(opening).followed is verb


def test_white_space_at_the_ends_is_part_of_the_response() -> None:
    assert judged("one\n", one("format:no_whitespace")).outcome == "incorrect"
    assert judged("one\n", one("format:no_whitespace"), loose=True).outcome == "correct"
    assert judged("<think>hm</think>\n\none\n", one("format:no_whitespace")).outcome == "correct"


def test_of_a_conversation_the_last_message_of_the_policy_is_judged() -> None:
    turns = [
        Message(role="assistant", content="a long answer to the first turn"),
        Message(role="user", content="Now without white space."),
        Message(role="assistant", content="short"),
    ]
    assert judged(turns, one("format:no_whitespace")).outcome == "correct"
    assert judged(turns[:1], one("format:no_whitespace")).outcome == "incorrect"


def test_a_prompt_of_several_turns_takes_no_part() -> None:
    turns = [Message(role=role, content="a b") for role in ("user", "assistant", "user")]
    sample = Sample(prompt=turns, response="ab", reference=one("format:no_whitespace"))
    assert InstructionsVerifier().verify([sample])[0].outcome == "correct"


def test_revised_judges_as_the_repository_does_today() -> None:
    text, reference = "Emmanuel came.", one("count:person_names", N=1)
    assert judged(text, reference).outcome == "correct"
    assert judged(text, reference, revised=True).outcome == "incorrect"


@pytest.mark.parametrize(
    ("name", "arguments", "said"),
    [
        ("count:person_names", {}, "N: "), ("count:person_names", {"N": -1}, "N: "),
        ("count:person_names", {"N": 1.5}, "N: "), ("count:words_japanese", {"N": 0}, "N: "),
        ("ratio:stop_words", {"percentage": "much"}, "percentage: "),
        ("ratio:overlap", {"percentage": 5}, "reference_text: "),
        ("count:keywords_multiple", {"keyword1": "a"}, "keyword2: "), ("format:list", {"sep": ""}, "sep: "),
        ("words:vowel", {"N": 3}, "N: "),
    ],
)  # fmt: skip
def test_arguments_that_are_not_valid_are_named(name: str, arguments: dict[str, JsonValue], said: str) -> None:
    verdict = judged("text", one(name, **arguments))
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "reference_unparsable")
    assert said in verdict.reason


def test_null_arguments_count_as_not_given() -> None:
    arguments: dict[str, JsonValue] = {"N": 2.0, "keyword": None, "m": None, "percentage": None}
    assert judged("Emma met Liam.", one("count:person_names", **arguments)).outcome == "correct"


SOME: dict[str, JsonValue] = {
    "min_words": 1, "max_words": 9, "N": 2, "n": 1, "m": 2, "small_n": 2, "percentage": 50, "keyword": "a", "word": "a",
    "reference_text": "a. b. c.", "prompt_to_repeat": "a b c", "n_start": 1, "n_end": 2, "options": "a/b", "sep": "-",
    "phrase": "a b z", "first_word": "a", "last_word": "a", "frequency": 2, "n_sent": 1, "n_words": 2, "letter": "a",
    "let_frequency": 2,
    **{f"keyword{number}": "a" for number in range(1, 6)},
}  # fmt: skip
PIECES = [
    "a", "\n", " \n", "'", '"', '". ', ". ", "? ", ".\u00a0", "U.S. ", "a. ", "* a\n", "Question 1\n", "A) a\n", "<i>",
    "([{", "a,", '"a",', "[]()", "\u0301", "😀. ", "cannot ", "“”", "<stop>", "a-", "Zimbabwe\n", "``", "\x1c", "İ",
]  # fmt: skip


@pytest.mark.parametrize("piece", PIECES)
def test_time_is_linear_and_nothing_raises_in_hostile_repetition(piece: str) -> None:
    # quadratic work on so many characters would take minutes a constraint, not the test's time limit
    text = piece * (15_000 // len(piece))
    kinds = {*CONSTRAINTS.values(), *REVISED.values()}
    for kind in (kind for kind in kinds if ".ifeval." not in kind.__module__):
        constraint = kind.model_validate({field: SOME[field] for field in kind.model_fields if field in SOME})
        for response in (text, f'Question 1 x\n"{text}x'):
            constraint.check(response)
