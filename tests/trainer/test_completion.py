"""What servers answer, as responses: tokens that are told, tokens that are guessed, and answers that are none."""

from __future__ import annotations

import json
import math

import pytest

from benchmarks import digits
from trueward.errors import UnexpectedAnswer
from trueward_trainer.completion import Vocabulary, read
from trueward_trainer.rollout import Response

END, THREE, FOUR = 1, 5, 6
PROMPT = [THREE, 13]


def vocabulary(ends: frozenset[int] = frozenset({END})) -> Vocabulary:
    return Vocabulary(digits.tokenizer(), ends, 14)


def response(ends: frozenset[int] = frozenset({END}), **choice: object) -> Response:
    said = {"index": 0, "text": "34", "finish_reason": "stop", **choice}
    [found] = read(json.dumps({"choices": [said]}).encode(), PROMPT, 1, vocabulary(ends))
    return found


def logprobs(*values: float | None) -> dict[str, object]:
    return {"token_logprobs": list(values)}


def test_told_tokens_are_taken_as_they_are() -> None:
    found = response(text="else", token_ids=[THREE, FOUR, END], logprobs=logprobs(-0.5, -0.25, -1.0))
    assert found == Response(PROMPT, [THREE, FOUR, END], [-0.5, -0.25, -1.0], "34", "stop")


def test_what_comes_after_the_end_token_is_left_out() -> None:
    found = response(token_ids=[THREE, END, FOUR], finish_reason="length", logprobs=logprobs(-1.0, -2.0, -3.0))
    assert (found.tokens, found.logprobs, found.text) == ([THREE, END], [-1.0, -2.0], "3")
    assert found.finish_reason == "stop"


def test_an_end_token_that_the_server_keeps_is_put_back() -> None:
    found = response(token_ids=[THREE, FOUR], logprobs=logprobs(-0.5, -0.25))
    assert found.tokens == [THREE, FOUR, END]
    assert found.logprobs[:2] == [-0.5, -0.25]
    assert math.isnan(found.logprobs[2])


@pytest.mark.parametrize("field", ["stop_reason", "matched_stop"])
def test_of_several_end_tokens_it_is_the_one_that_the_server_names(field: str) -> None:
    ends = frozenset({0, END})
    assert response(ends, token_ids=[THREE], **{field: 0}).tokens == [THREE, 0]
    assert response(ends, token_ids=[THREE], **{field: "stopped"}).tokens == [THREE, END]


def test_tokens_and_log_probabilities_are_read_as_llama_cpp_tells_them() -> None:
    content = [{"id": THREE, "token": "3", "logprob": -0.5}, {"id": FOUR, "token": "4", "logprob": -0.25}]
    found = response(text="else", logprobs={"content": content})
    assert (found.tokens, found.logprobs[:2], found.text, found.known) == (
        [THREE, FOUR, END],
        [-0.5, -0.25],
        "34",
        True,
    )
    without = [{"token": one["token"], "logprob": one["logprob"]} for one in content]
    guessed = response(logprobs={"content": without})
    assert (guessed.tokens, guessed.logprobs[:2], guessed.known) == ([THREE, FOUR, END], [-0.5, -0.25], True)
    assert all(map(math.isnan, response(logprobs={"content": None}).logprobs))


def test_text_alone_is_split_into_tokens() -> None:
    found = response(logprobs=logprobs(-0.5, -0.25, -1.0))
    assert found == Response(PROMPT, [THREE, FOUR, END], [-0.5, -0.25, -1.0], "34", "stop")


@pytest.mark.parametrize(
    "choice",
    [
        {"text": "3x"},
        {"text": "3<end>"},
        {"text": "3\N{REPLACEMENT CHARACTER}"},
        {"text": "34", "logprobs": logprobs(-1.0, -1.0, -1.0, -1.0)},
        {"text": "34", "finish_reason": "length", "logprobs": logprobs(-1.0, -1.0, -1.0)},
        {"text": "", "finish_reason": "length"},
    ],
)
def test_a_guess_that_cannot_be_right_is_not_known(choice: dict[str, object]) -> None:
    assert not response(frozenset({END}), **choice).known


def test_log_probabilities_that_are_not_told_are_nan() -> None:
    for told in (None, {}, logprobs(None, None, None)):
        found = response(token_ids=[THREE, FOUR, END], logprobs=told)
        assert found.known
        assert [math.isnan(one) for one in found.logprobs] == [True] * 3


@pytest.mark.parametrize(
    ("said", "finish"),
    [("stop", "stop"), ("length", "length"), ("abort", "aborted"), ("content_filter", "length"), (None, "length")],
)
def test_how_a_response_ended(said: str | None, finish: str) -> None:
    found = response(token_ids=[THREE, FOUR], finish_reason=said)
    assert found.finish_reason == finish
    assert found.known == (finish != "aborted")


def test_an_aborted_response_without_tokens_is_a_row_that_learns_nothing() -> None:
    found = response(text="", token_ids=[], finish_reason="abort")
    assert (found.tokens, found.text, found.known) == ([END], "", False)


def test_choices_come_in_the_order_of_their_indices() -> None:
    choices = [{"index": place, "text": text, "finish_reason": "stop"} for place, text in ((1, "4"), (0, "3"))]
    found = read(json.dumps({"choices": choices}).encode(), PROMPT, 2, vocabulary())
    assert [one.text for one in found] == ["3", "4"]


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (b"no", "no completion"),
        (b'{"object": "error"}', "no completion: choices: Field required"),
        (b'{"choices": []}', "0 responses, not 1"),
        (b'{"choices": [{"index": 1}]}', "1 responses, not 1"),
        (b'{"choices": [{"index": 0, "token_ids": [14]}]}', "another model"),
        (b'{"choices": [{"index": 0, "token_ids": [-1]}]}', "another model"),
        (b'{"choices": [{"index": 0, "prompt_token_ids": [1]}]}', "other tokens than those of the prompt"),
    ],
)
def test_an_answer_that_cannot_be_used_is_an_error(body: bytes, message: str) -> None:
    with pytest.raises(UnexpectedAnswer, match=message):
        read(body, PROMPT, 1, vocabulary())
