"""Graders that compare texts: string checks and similarities."""

from __future__ import annotations

import pytest
from pydantic import JsonValue, ValidationError

from judges.grader.text_similarity import LONGEST
from tests.judges.grader.graders import check, graded, similar, verifier
from trueward.wire.sample import Message
from trueward.wire.verdict import Outcome


@pytest.mark.parametrize(
    ("operation", "given", "answer", "passed"),
    [
        ("eq", "Paris", "Paris", True),
        ("eq", "paris", "Paris", False),
        ("eq", "Paris ", "Paris", False),
        ("ne", "Paris", "Paris", False),
        ("ne", "Rome", "Paris", True),
        ("like", "It is Paris.", "Paris", True),
        ("like", "It is paris.", "Paris", False),
        ("like", "Paris", "It is Paris.", False),
        ("ilike", "It is pARIS.", "Paris", True),
        ("ilike", "STRASSE", "straße", True),
        ("ilike", "Rome", "Paris", False),
        ("like", "50%", "_0%", False),
    ],
)
def test_string_checks(operation: str, given: str, answer: str, passed: bool) -> None:
    verdict = graded(check(operation), given, {"answer": answer})
    assert (verdict.outcome, verdict.score) == (("correct", 1.0) if passed else ("incorrect", 0.0))
    assert verdict.evidence["reward"] == float(passed)


@pytest.mark.parametrize("operation", ["like", "ilike"])
@pytest.mark.parametrize("empty", ["", "  \n"])
def test_an_empty_reference_is_no_pass_for_everything(operation: str, empty: str) -> None:
    verdict = graded(check(operation), "anything", {"answer": empty})
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "no_reference")
    swapped = graded(check(operation, "yes or no", "{{ sample.output_json.a }}"), f'{{"a": "{empty.strip()}"}}')
    assert (swapped.outcome, swapped.reason_code) == (Outcome.INVALID, "no_text")


def test_a_call_of_a_tool_without_any_text_is_graded() -> None:
    calls = [{"function": {"name": "get_acceptors", "arguments": '{"smiles": "C"}'}}]
    response = [Message.model_validate({"role": "assistant", "content": None, "tool_calls": calls})]
    grader = check("eq", "get_acceptors", "{{sample.output_tools[0].function.name}}")
    assert graded(grader, response).outcome is Outcome.CORRECT
    arguments = check("eq", '{"smiles": "{{item.smiles}}"}', "{{sample.output_tools[0].function.arguments}}")
    assert graded(arguments, response, {"smiles": "C"}).outcome is Outcome.CORRECT
    verdict = graded(grader, "I call no tool.")
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "no_variable")


@pytest.mark.parametrize("response", ["", " \n", [Message(role="assistant", content="")]])
def test_an_empty_response_is_invalid_whatever_the_grader_would_say(response: str | list[Message]) -> None:
    verdict = graded(check("ne"), response, {"answer": "Paris"})
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "empty")


def test_a_policy_that_thinks_is_graded_by_its_answer_where_the_scope_says_so() -> None:
    response = "<think>Rome?</think>\n\nParis"
    assert graded(check(), response, {"answer": "Paris"}, scope="answer").outcome is Outcome.CORRECT
    assert graded(check(), response, {"answer": "Paris"}).outcome is Outcome.INCORRECT
    verdict = graded(check("ne"), "<think>for ever", {"answer": "Paris"}, scope="answer")
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "unclosed_thinking")


@pytest.mark.parametrize(
    ("metric", "given", "answer", "score"),
    [
        ("fuzzy_match", "fuzzy wuzzy was a bear", "fuzzy wuzzy was a bear", 1.0),
        ("fuzzy_match", "abcd", "abce", 0.75),  # 1 - (2 edits by insertion and deletion) / 8
        ("rouge_1", "police kill the gunman", "police killed the gunman", 3 / 4),
        ("rouge_2", "police kill the gunman", "police killed the gunman", 1 / 3),
        ("rouge_3", "the cat sat down", "the cat sat up", 1 / 2),
        ("rouge_4", "a b c d e", "a b c d f", 1 / 2),
        ("rouge_5", "a b c d", "a b c d", 0.0),  # no five words
        ("rouge_l", "police kill the gunman", "police killed the gunman", 3 / 4),
        ("rouge_1", "the the the", "the cat", 2 / 5),  # a word counts as often as the other has it
        ("gleu", "the cat sat on the mat", "the cat sat on the mat", 1.0),
        ("bleu", "the cat sat on the mat", "the cat sat on the mat", 1.0),
        ("bleu", "dogs", "the cat sat on the mat", 0.0),
        ("rouge_l", "...", "the cat", 0.0),
    ],
)
def test_similarities(metric: str, given: str, answer: str, score: float) -> None:
    verdict = graded(similar(metric), given, {"answer": answer})
    assert verdict.outcome is Outcome.SCORED
    assert verdict.score == pytest.approx(score)


def test_a_threshold_makes_a_verdict_and_the_number_stays() -> None:
    verdict = graded(
        similar("rouge_1", pass_threshold=0.7), "police kill the gunman", {"answer": "police killed the gunman"}
    )
    assert (verdict.outcome, verdict.score, verdict.evidence["reward"]) == (Outcome.CORRECT, 1.0, 0.75)
    assert graded(similar("rouge_1", pass_threshold=0.8), "kill", {"answer": "police"}).outcome is Outcome.INCORRECT


@pytest.mark.parametrize("metric", ["cosine", "meteor"])
def test_what_cannot_be_honest_offline_is_refused_with_what_to_take_instead(metric: str) -> None:
    with pytest.raises(ValidationError, match=rf"{metric} is not offered: .* score_model"):
        verifier(similar(metric))


def test_too_long_is_whose_text_it_is() -> None:
    long = "a" * (LONGEST + 1)
    assert graded(similar("bleu"), long, {"answer": "a"}).reason_code == "too_long"
    assert graded(similar("bleu"), long, {"answer": "a"}).outcome is Outcome.INVALID
    verdict = graded(similar("bleu"), "a", {"answer": long})
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ABSTAINED, "field_too_long")
    assert graded(similar("rouge_l"), "a", {"answer": "..."}).reason_code == "no_reference"


@pytest.mark.parametrize(
    "more",
    [
        {"operation": "neq"},
        {"type": "nope"},
        {"input": "{{ other.x }}"},
        {"input": 3},
        {"extra": 1},
        {"reference": "x" * 100_001},
    ],
)
def test_a_grader_that_is_wrong_in_itself_is_refused(more: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        verifier({**check(), **more})
