"""Extraction as a whole: parts and hedging, thinking that never counts, no exception, time that grows with the text."""

from __future__ import annotations

import time
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import verifiers.extract
from trueward import Sample
from verifiers.extract import Answer, Hedge, NoAnswer, Policy, extract, settle
from verifiers.extract.passage import MOST
from verifiers.extract.vocabulary import languages
from verifiers.legible import legible

MILLION = 1_000_000


def found(response: str, policy: Policy = Policy.MATH, **fields: str) -> Answer | NoAnswer:
    return extract(Sample(response=response, **fields), policy)


def answer(response: str) -> Answer:
    given_answer = found(response)
    assert isinstance(given_answer, Answer), given_answer
    return given_answer


def same(first: str, second: str) -> bool:
    return first.replace("0.5", "1/2") == second.replace("0.5", "1/2")


def settled(response: str, hedge: Hedge = Hedge.PARTS, *, several: bool = False) -> str:
    decided = settle(answer(response), hedge, several=several, equal=same)
    return decided.text if isinstance(decided, Answer) else decided.reason_code


THREE = "It is \\boxed{1}, \\boxed{2} or \\boxed{3}."
SCATTERED = "It may be \\boxed{1}, yet \\boxed{2} is likely, and then \\boxed{3} too."


@pytest.mark.parametrize(
    ("response", "hedge", "several", "expected"),
    [
        (THREE, Hedge.PARTS, False, "hedged"),
        (THREE, Hedge.PARTS, True, "1, 2, 3"),
        (THREE, Hedge.STRICT, True, "hedged"),
        (THREE, Hedge.LAST, False, "3"),
        (SCATTERED, Hedge.PARTS, False, "hedged"),
        (SCATTERED, Hedge.PARTS, True, "hedged"),
        (SCATTERED, Hedge.LAST, False, "3"),
        (SCATTERED.replace(", ", ".\n\n"), Hedge.PARTS, False, "3"),
        ("\\boxed{1}. Or \\boxed{2}. Or \\boxed{3}.", Hedge.PARTS, False, "hedged"),
        ("\\boxed{1}\n\\boxed{2}\n\\boxed{3}", Hedge.PARTS, False, "hedged"),
        ("\\boxed{1}\n\n\\boxed{2}\n\n\\boxed{3}", Hedge.PARTS, False, "3"),
        ("<answer>\\boxed{1} \\boxed{2} \\boxed{3}</answer>", Hedge.PARTS, False, "hedged"),
        ("We have \\boxed{1} or \\boxed{2}", Hedge.PARTS, False, "1, 2"),
        ("We have \\boxed{1} or \\boxed{2}", Hedge.STRICT, False, "1, 2"),
        ("\\boxed{1/2}, that is \\boxed{0.5}, so \\boxed{1/2}", Hedge.PARTS, False, "1/2"),
        ("\\boxed{1/2} or \\boxed{0.5}", Hedge.PARTS, False, "0.5"),
        ("x=\\boxed{1/2}, y=\\boxed{0.5}", Hedge.PARTS, True, "1/2, 0.5"),
        ("\\boxed{1}, then \\boxed{2}, then \\boxed{1}, then \\boxed{2}", Hedge.PARTS, False, "2"),
        ("\\boxed{1/2, 3} or \\boxed{0.5, 3}", Hedge.PARTS, True, "0.5, 3"),
        ("The answer is $1$, $2$ or $3$.", Hedge.PARTS, False, "hedged"),
        ("The answer is $1$, $2$ or $3$.", Hedge.PARTS, True, "1, 2, 3"),
        ("The answer is $1/2$, or $0.5$.", Hedge.PARTS, False, "0.5"),
        ("\\boxed{7}", Hedge.STRICT, False, "7"),
        ("The answer is 7.", Hedge.STRICT, False, "7"),
    ],
)
def test_many_different_boxes_at_the_end_are_no_answer(
    response: str, hedge: Hedge, several: bool, expected: str
) -> None:
    assert settled(response, hedge, several=several) == expected


def test_what_cannot_be_compared_is_not_held_against_the_response() -> None:
    decided = settle(answer(SCATTERED), Hedge.PARTS, several=False, equal=lambda first, second: None)
    assert isinstance(decided, Answer)


def test_hedging_is_decided_in_few_comparisons() -> None:
    asked = []

    def equal(first: str, second: str) -> bool:
        asked.append((first, second))
        return len(asked) > 1

    response = " yet ".join(f"\\boxed{{{number}}}" for number in range(10_000))
    hedger = answer(response)
    assert len(hedger.candidates) == MOST
    settle(hedger, Hedge.PARTS, several=False, equal=equal)
    assert len(asked) <= 2 * MOST


def test_the_span_of_parts_reaches_from_the_first_to_the_last() -> None:
    response = "So $x = \\boxed{ 1 }$ and $y = \\boxed{ 2 }$."
    parts = answer(response)
    assert parts.span is not None
    assert response[slice(*parts.span)] == " 1 }$ and $y = \\boxed{ 2"
    last = settle(parts, Hedge.LAST, several=False, equal=same)
    place = response.index("2")
    assert last == Answer("2", "boxed", (place, place + 1), candidates=("1", "2"))


def test_the_answer_is_cut_from_the_response_as_it_was_written() -> None:
    response = "<think>\u200b</think>\u200bIt is \\bo\u200dxed{４２\u200c}\ufeff."
    cut = answer(response)
    assert cut.span is not None
    assert response[slice(*cut.span)] == cut.text == "４２\u200c"


def test_every_list_of_the_table_of_languages_is_plain_and_lower_case() -> None:
    table = tomllib.loads((Path(verifiers.extract.__file__).parent / "markers.toml").read_text(encoding="utf-8"))
    phrases = [phrase for lists in table.values() for words in lists.values() if words is not True for phrase in words]
    assert [phrase for phrase in phrases if phrase != phrase.lower() or phrase != phrase.strip()] == []
    assert len(languages()) == len(table)


@pytest.mark.parametrize("language", languages(), ids=lambda language: language.nouns[0])
def test_every_noun_announces_after_a_colon_in_every_language(language: verifiers.extract.vocabulary.Language) -> None:
    for noun in (*language.nouns, *language.weak):
        for written in (f"{noun}: 42", f"**{noun.capitalize()}:** 42", f"{noun.upper()} : $42$"):
            assert answer(f"2 + 2\n{written}").text == "42", written


def repeated(scrap: str) -> str:
    return scrap * (MILLION // len(scrap))


HOSTILE = {
    "boxes in one line": repeated("\\boxed{1} or "),
    "different boxes": "".join(f"\\boxed{{{number}}}, " for number in range(70_000)),
    "boxes without braces": repeated("\\boxed 1 "),
    "boxes with groups that never close": repeated("\\boxed a{"),
    "groups after a box": "\\boxed a" + repeated("{}"),
    "names before boxes": repeated("\\boxed{1}" + "a" * 1_500),
    "blanks between boxes": "\\boxed{1}" + " " * MILLION + "\\boxed{2}",
    "words between boxes": "\\boxed{1}" + " and" * 450 + "\\boxed{2}",
    "braces before boxes": repeated("{}") + "\\boxed{1}\\boxed{2}",
    "invisible characters": repeated("a\u200b"),
    "opening tags": repeated("<answer>"),
    "tags with attributes": repeated("<answer "),
    "thinking of another pair": repeated("<reasoning></think>"),
    "channels": repeated("<|channel|>analysis"),
    "nouns and links": repeated("answer to "),
    "hypotheses": repeated("if the answer is 4. "),
    "verdicts": repeated("the answer is correct. "),
    "Chinese nouns": repeated("答案是不"),
    "headings": repeated("\n#### 1. a"),
    "lines that lead on": "answer:" + repeated("is\n"),
    "citations": "answer: 4" + repeated(" [1]")[:3_000],
    "fences": "answer:" + repeated("```\n")[:3_000],
    "table": repeated("|answer|"),
    "fillers": repeated("therefore "),
    "doubts": repeated("not think that the the answer is "),
    "environments": "$$" + repeated("\\begin{a}") + "$$",
    "rows": repeated("\\begin{align}a\\\\\\end{align}"),
    "blank lines": repeated("\n\n"),
    "end tokens": repeated("<|im_end|>"),
    "blanks before an end token": "5" + " " * MILLION + "<eos>",
    "one script after the other": repeated("数1"),
    "bars": repeated("| "),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_million_hostile_characters_take_linear_time(name: str) -> None:
    start = time.process_time()
    for policy in Policy:
        found(HOSTILE[name], policy)
    # under two seconds are seen; quadratic time on a million characters would take hours
    assert time.process_time() - start < 60


LATEX = r"\boxed{ \fbox{ \boxed } { $ $$ \[ \] \( \) \\ & \begin{align} \end{align} x= = ^ 1/2 42"
MARKDOWN = "<answer> </answer> ** ` ``` #### | ~ - , ; . ? [1]"
WORDS = "or and not but because Answer: 答案是 不是 réponse Ответ: （ ｝ ＼boxed｛ \u200b \u202e <|im_end|>"
SPACED = [" ", "\n", "\n\n", "\r\n", "The answer is ", "isn't ", "is not ", "Final Answer\n"]
SCRAPS = st.sampled_from([*f"{LATEX} {MARKDOWN} {WORDS}".split(), *SPACED])
TEXTS = st.lists(SCRAPS, max_size=40).map("".join) | st.text(max_size=200)
PAIRS = st.sampled_from(
    [("<think>", "</think>"), ("<THINKING>", "</Thinking>"), ("[THINK]", "[/THINK]"), ("<reasoning>", "</reasoning>")]
)


@given(TEXTS, st.sampled_from(list(Policy)))
def test_any_text_gives_an_answer_within_it_or_a_reason(text: str, policy: Policy) -> None:
    result = found(text, policy)
    if isinstance(result, NoAnswer):
        assert result.reason_code
        assert result.reason
        return
    assert result.text.strip()
    assert result.span is not None
    assert 0 <= result.span[0] < result.span[1] <= len(text)
    if not result.parts:
        assert legible(text)[slice(*result.span)] == result.text
    for candidate in (*result.parts, *result.candidates):
        assert candidate.strip()


@given(TEXTS, TEXTS, PAIRS, st.sampled_from(list(Policy)), st.booleans())
def test_thinking_never_counts(
    thought: str, said: str, pair: tuple[str, str], policy: Policy, by_template: bool
) -> None:
    opening, closing = pair
    with_thought = found((not by_template) * opening + thought + closing + said, policy, prefix=by_template * opening)
    alone = found(said, policy)
    if isinstance(alone, NoAnswer):
        assert isinstance(with_thought, NoAnswer)
        assert with_thought.reason_code == alone.reason_code
    else:
        assert isinstance(with_thought, Answer)
        assert (with_thought.text, with_thought.rule, with_thought.parts) == (alone.text, alone.rule, alone.parts)


@given(TEXTS, PAIRS, st.sampled_from(list(Policy)))
def test_open_thinking_leaves_no_answer(text: str, pair: tuple[str, str], policy: Policy) -> None:
    result = found(f"\\boxed{{1}} {pair[0]} {text}", policy)
    assert isinstance(result, NoAnswer)
    assert result.reason_code == "unclosed_thinking"


@given(TEXTS, st.sampled_from([Policy.MATH, Policy.TEXT, Policy.BOXED]))
def test_an_empty_final_box_never_falls_back(text: str, policy: Policy) -> None:
    result = found(text.replace("{", "").replace("｛", "").replace("<", "") + " \\boxed{}", policy)
    assert isinstance(result, NoAnswer)


@given(st.integers(0, 999), st.sampled_from(["", "\n", " Sorry.", "\nThat is all I can say."]))
def test_a_denied_answer_is_never_the_answer(number: int, after: str) -> None:
    for denial in ("is not", "isn't", "is certainly not", "cannot be", "is never"):
        result = found(f"The final answer {denial} {number}.{after}")
        assert isinstance(result, NoAnswer)


@given(TEXTS, st.sampled_from(list(Policy)))
def test_extraction_is_deterministic_and_settling_never_raises(text: str, policy: Policy) -> None:
    result = found(text, policy)
    assert result == found(text, policy)
    if isinstance(result, Answer):
        for hedge in Hedge:
            for several in (False, True):
                settle(result, hedge, several=several, equal=same)


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("The answer is 0.5, i.e. 1/2.", "0.5"),
        ("The answer is 1/2 (that is, 0.5).", "1/2"),
        ("The answer is 1/2, or equivalently 0.5.", "1/2"),
        ("The answer is 1/2, namely one half.", "1/2"),
        ("The answer is 3/4, i.e. 1/2.", "3/4"),
        ("The answer is two weeks, i.e. 14 days.", "14 days"),
        ("The answer is a number, namely 1/2.", "1/2"),
        ("The answer is Paris, i.e. the capital of France.", "Paris"),
        ("The answer is 2x, e.g. four for two.", "2x"),
        ("It takes two weeks, i.e. 14 days.", "14"),
        ("Thus x = 1/2, i.e., 0.5", "0.5"),
        ("We get 0.5 (i.e. a half).", "0.5"),
    ],
)
def test_of_what_is_said_again_one_value_is_the_answer(response: str, text: str) -> None:
    assert answer(response).text == text
