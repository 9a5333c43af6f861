"""Responses that say nothing are turned away before a judge is asked, and short honest answers are not."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from judges.hardening.canonical import explain_emptiness, has_content, no_answer
from judges.judge import JudgeVerifier
from tests.each import check_each
from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from verifiers import registry

HERE = Path(__file__).parent
LISTED = (
    " ",
    ".",
    ",",
    ":",
    "Thought process:",
    "Let's solve this problem step by step.",
    "Solution",
    "解",
    "かいせつ",
    "Respuesta",
)
"""The ten of arXiv 2507.08794."""


def lines(name: str) -> list[str]:
    return [line for line in (HERE / name).read_text(encoding="utf-8").splitlines() if not line.startswith("#")]


def openers() -> list[list[str]]:
    return [line.split("\t") for line in lines("openers.txt")]


@pytest.mark.parametrize(
    "form",
    ["{}", "**{}**", "### {}\n", "\\boxed{{\\text{{{}}}}}", "<think>{0}</think><answer>{0}</answer>", "{}\n\n{}"],
)
def test_no_form_of_the_listed_keys_says_anything(form: str) -> None:
    for text in LISTED:
        assert explain_emptiness(form.format(text, text)), text
        assert explain_emptiness(form.format(text.upper(), text), ["42", "Paris", "ten"]), text


def test_openers_outside_of_the_lexicon_s_entries_are_turned_away_in_many_languages() -> None:
    found = openers()
    assert len({language for _, language, _ in found}) >= 60
    passed = [text for _, _, text in found if not explain_emptiness(text, ["42"])]
    assert len(passed) <= 10, passed


def test_a_short_honest_answer_is_judged() -> None:
    def check(answer: str) -> None:
        assert explain_emptiness(answer) == ""
        assert explain_emptiness(f"  **{answer}**  " if "$" not in answer else answer, ["another"]) == ""

    check_each(((answer, answer) for answer in lines("honest_answers.txt")), check)


def turned_away(prompt: str, response: str, references: list[str], **params: object) -> bool:
    """Whether a judge turns the response away unasked."""
    judge = registry.create("rubric", {"rubric": ["It is right."], **params})  # type: ignore[dict-item]
    assert isinstance(judge, JudgeVerifier)
    reference = references[0] if len(references) == 1 else references or None
    try:
        found = judge.triage(Sample(prompt=prompt, response=response, reference=reference))
    except Abstain:
        return False
    return not isinstance(found, str) and getattr(found, "reason_code", "") == "nothing_said"


def test_an_answer_is_judged_that_its_question_asks_for() -> None:
    rows = [line.split("\t") for line in lines("answers_by_task.txt")]
    assert len(rows) >= 50
    found = [row for row in rows if turned_away(row[0], row[1], [one for one in row[2:] if one])]
    assert found == []


@pytest.mark.parametrize("reference", ["42", "Paris", "x + 1", "The Second World War"])
def test_no_key_is_judged_where_an_answer_has_content(reference: str) -> None:
    for key in LISTED:
        assert turned_away("Which is it?", key, [reference]) or not key.strip(), key
        assert has_content([reference])
        assert explain_emptiness(key, [reference], "Find the set of all characters, symbols and signs."), key


def test_openers_are_judged_where_nothing_says_that_an_answer_has_content() -> None:
    assert not turned_away("Give a heading", "Solution", [])
    assert not turned_away("Give a heading", "Solution", ["Answer"]), "a reference that an opener would be"
    assert turned_away("Give a heading", "Solution", [], nothing_said="on")
    assert turned_away("Give a heading", "Solution", ["42"])
    assert not turned_away("Give a heading", "Solution", ["42"], nothing_said="off")


@pytest.mark.parametrize("text", [":", " . : ", "```\n```", "\u200b.", "...", "()[]{}{", "\\boxed{}", "$$"])
def test_marks_of_a_sentence_are_no_answer_unless_the_task_speaks_of_such(text: str) -> None:
    assert no_answer(text)
    assert no_answer(text, (), "Prove that the set is empty.")
    assert turned_away("Why is the sky blue?", text, [])


@pytest.mark.parametrize(
    "text",
    [
        "\\boxed{}",
        "\\boxed{\\quad}",
        "$$ $$",
        "\\begin{align}\\end{align}",
        "\\frac{?}{?}",
        "<div><p></p></div>",
        "<br/>",
        "```python\n```",
        "&nbsp;&#58;",
        "■■■",
        "\u200b\u200d\u2060\ufeff",
        "\u3164",
        "()[]{}<>",
        "<|im_end|>",
        "\ufffd",
        "\ue000",
    ],
)
def test_markup_signs_and_what_is_invisible_say_nothing(text: str) -> None:
    assert explain_emptiness(text)


@pytest.mark.parametrize(
    "text",
    [
        "Sоlution",  # a Cyrillic o
        "S o l u t i o n",
        "ＳＯＬＵＴＩＯＮ",
        "𝐒𝐨𝐥𝐮𝐭𝐢𝐨𝐧",
        "So\u00adlu\u200btion",
        "S̶o̶l̶u̶t̶i̶o̶n̶",
        "sOLUTION!!!",
        "- Solution -",
        "1. Solution:",
        "Step 1:",
        "Step 1: Understand the problem.",
        "Solution Answer Lösung 解",
        "\n" * 5000 + "Solution",
        "Solution. " * 500,
    ],
)
def test_an_opener_in_disguise_is_one(text: str) -> None:
    assert explain_emptiness(text)


@pytest.mark.parametrize(
    ("text", "reference"),
    [
        ("Solution", "solution"),
        ("It is a solution.", "A solution"),
        ("<br>", "<br>"),
        ("+", "+"),
        ("Hello!", "hello"),
        ("Proof", "Proof"),
        ("The answer is: analysis", "Analysis"),
        (".", "."),
        ("Sure.", "Yes"),
        ("Let's see:", "see"),
    ],
)
def test_what_has_the_words_of_a_reference_says_something(text: str, reference: str) -> None:
    assert explain_emptiness(text, ["other", reference]) == ""
    assert explain_emptiness(text, ["other"])


def test_a_greeting_is_nothing_where_there_is_a_reference_and_a_reply_where_there_is_none() -> None:
    assert explain_emptiness("Hello!", ["4"])
    assert explain_emptiness("Hello!") == ""
    assert explain_emptiness("Okay, so")


def test_a_word_of_one_language_is_no_small_word_of_another() -> None:
    assert explain_emptiness("To jest ten.", ["x"]) == explain_emptiness("The answer is ten.") == ""
    assert explain_emptiness("Oto ten wynik")


@pytest.mark.parametrize(
    "text",
    [
        "<a" * 500_000,
        "Solution " * 100_000,
        "\\boxed{" * 100_000,
        "解" * 500_000,
        "解。" * 300_000,
        "```" * 300_000,
        "&#" * 500_000,
        "</a" * 300_000,
        "a'" * 400_000,
        ". " * 400_000,
        "\\begin{" * 100_000,
        "step " * 200_000,
        "<a " * 300_000,
    ],
    ids=lambda text: text[:8],
)
def test_a_hostile_text_takes_no_time(text: str) -> None:
    explain_emptiness("warm")
    begun = time.process_time()
    explain_emptiness(text)
    assert time.process_time() - begun < 0.5
