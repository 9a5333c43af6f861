"""Responses as rows: rewards of parts on the sampled tokens, hints out of the prompt, and what learns nothing."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from benchmarks import digits
from trueward.errors import InvalidRequest
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from trueward_trainer.credit import PARTS, credit, join_spans
from trueward_trainer.experience import Experience
from trueward_trainer.groups import Group
from trueward_trainer.rollout import Response
from trueward_trainer.rows import RowMaker, Rows, reference_of

WORDS = digits.tokenizer()
CPU = torch.device("cpu")
TEXT = "12+34+5"
OFFSETS = [(place, place + 1) for place in range(7)]


def response(said_text: str, **rest: object) -> Response:
    tokens = [*WORDS(said_text)["input_ids"], WORDS.eos_token_id]
    said = Response(WORDS("7=")["input_ids"], tokens, [-0.5] * len(tokens), said_text, "stop")
    return replace(said, **rest)  # type: ignore[arg-type]


def reward(value: float | None = 1.0, outcome: Outcome = Outcome.CORRECT, **rest: object) -> Reward:
    return Reward.model_validate({"reward": value, "outcome": outcome, "components": {}, **rest})


def steps(*amounts: float) -> Reward:
    return reward(step_rewards=list(amounts), step_spans=[(0, 2), (3, 5), (6, 7)][: len(amounts)])


def seen(*pairs: tuple[Response, Reward], reference: object = "9") -> Experience:
    prompt = Sample.model_validate({"prompt": "7=", "reference": reference})
    return Experience([Group(prompt, [one for one, _ in pairs], [priced for _, priced in pairs])], 0, 0.0, 1)


def made(advantages: str, *pairs: tuple[Response, Reward], marker: str | None = None) -> Rows:
    return RowMaker(advantages, WORDS, marker).make(seen(*pairs), CPU)


def said(tensor: torch.Tensor | None) -> list[list[float]]:
    assert tensor is not None
    found: list[list[float]] = tensor.tolist()
    return found


def test_rewards_of_steps_stand_on_the_last_tokens_of_the_steps() -> None:
    rows = made("pure", (response(TEXT), steps(0.25, -1.0, 0.5)), (response("1"), steps(2.0)))
    assert said(rows.token_rewards) == [[0, 0, 0, 0.25, 0, 0, -1.0, 0, 0.5, 0], [0, 0, 2.0, *[0] * 7]]
    assert said(rows.step_ends) == [[0, 0, 0, 1, 0, 0, 1, 0, 1, 0], [0, 0, 1, *[0] * 7]]
    assert said(rows.mask) == [[0, 0, *[1] * 8], [0, 0, 1, 1, *[0] * 6]]
    assert rows.answer_mask is None
    assert rows.lacks == {"unplaced": 0}


def test_rewards_of_tokens_stand_on_the_policys_tokens() -> None:
    """The service's tokens are other ones: of two characters, of none, and two of the same character."""
    told = reward(token_rewards=[8.0, 1.0, 2.0, 4.0, 0.5], token_spans=[(0, 0), (0, 2), (2, 3), (2, 3), (3, 7)])
    rows = made("prime", (response(TEXT), told))
    assert said(rows.token_rewards) == [[0, 0, 0, 9.0, 6.0, 0, 0, 0, 0.5, 0]]


def test_a_reward_without_parts_is_one_step_on_the_last_token() -> None:
    """A response that is invalid is not free of its price because it has no steps."""
    priced = reward(-1.0, Outcome.INVALID)
    rows = made("pure", (response(TEXT), steps(1.0)), (response("1"), priced), (response("2"), reward(None)))
    assert said(rows.token_rewards)[1:] == [[0, 0, 0, -1.0, *[0] * 6], [0] * 10]
    assert said(rows.step_ends)[1:] == [[0, 0, 0, 1, *[0] * 6], [0] * 10]


@pytest.mark.parametrize(("advantages", "word"), [("pure", "min_form"), ("prime", "tokens")])
def test_a_recipe_without_such_rewards_is_refused_at_the_first_step(advantages: str, word: str) -> None:
    maker = RowMaker(advantages, WORDS)
    maker.make(seen((response("1"), reward(None, Outcome.ERROR)), (response("1"), reward(0.0, Outcome.INVALID))), CPU)
    with pytest.raises(InvalidRequest, match=f"{advantages} learn from .* {word}"):
        maker.make(seen((response("1"), reward())), CPU)


def test_once_a_recipe_gave_such_rewards_a_step_without_any_goes_on() -> None:
    maker = RowMaker("pure", WORDS)
    maker.make(seen((response("1"), steps(1.0))), CPU)
    rows = maker.make(seen((response("1"), reward(0.0, Outcome.INCORRECT))), CPU)
    assert said(rows.step_ends) == [[0, 0, 0, 1]]


def test_rewards_of_steps_without_places_are_refused() -> None:
    with pytest.raises(InvalidRequest, match="step_rewards without step_spans"):
        made("pure", (response("1"), reward(step_rewards=[1.0])))


def test_parts_of_the_same_characters_are_joined() -> None:
    spans = [(0, 0), (0, 3), (3, 4), (3, 4), (4, 4), (3, 6), (6, 7)]
    assert join_spans(spans, [1, 2, 4, 8, 16, 32, 64]) == ([(0, 3), (3, 6), (6, 7)], [3, 60, 64])
    placed = credit(reward(token_rewards=[1.0, 2.0], token_spans=[(0, 1), (0, 1)]), PARTS["prime"], OFFSETS)
    assert placed.rewards == [3.0, *[0.0] * 6]


def test_step_rewards_beside_the_reward_stand_where_they_are_told() -> None:
    """A response without any has none: its reward is learnt from by itself."""
    for place, expected in (("last", [0, 0, 0, 1]), ("each", [0, 0, 1, 1]), ("spread", [0, 0, 0.5, 0.5])):
        maker = RowMaker("reinforce_pp", WORDS, place=place)  # type: ignore[arg-type]
        both = reward(step_rewards=[1.0], step_spans=[(0, 2)])
        rows = maker.make(seen((response("12"), both), (response("1"), reward(1.0, Outcome.CORRECT))), CPU)
        assert rows.token_rewards is not None
        assert said(rows.token_rewards) == [[*expected, 0], [0] * 5]


def test_a_text_that_is_not_of_its_tokens_learns_nothing_and_is_counted() -> None:
    rows = made("pure", (response(TEXT), steps(1.0)), (response("12", text="13"), steps(1.0)))
    assert rows.lacks == {"unplaced": 1}
    assert rows.mask[1].sum() == 0


def test_guessed_tokens_learn_nothing() -> None:
    rows = made("grpo", (response("1", known=False), reward()), (response("1"), reward()))
    assert said(rows.mask) == [[0, 0, 0, 0], [0, 0, 1, 1]]


def test_hinted_rows_have_the_prompt_without_the_hint_and_beside_it_the_one_with() -> None:
    hinted = WORDS("7=123=")["input_ids"]
    rows = made("grpo", (response("1"), reward()), (response("22", hinted_ids=hinted), reward()))
    assert rows.hinted is not None
    assert rows.ids[1].tolist() == [*WORDS("7=22")["input_ids"], WORDS.eos_token_id]
    assert rows.hinted.rows.tolist() == [1]
    assert rows.hinted.ids.tolist() == [[*WORDS("7=123=22")["input_ids"], WORDS.eos_token_id]]
    assert said(rows.hinted.mask) == [[0] * 6 + [1] * 3]
    assert made("grpo", (response("1"), reward())).hinted is None


def test_verifree_puts_the_reference_behind_the_marker() -> None:
    """The marker was sampled and learns with the reasoning; what the policy answered is gone."""
    rows = made("verifree", (response("12=34"), reward(0.25, Outcome.SCORED)), marker="=")
    assert rows.ids[0].tolist() == WORDS("7=12=9")["input_ids"]
    assert said(rows.mask) == [[0, 0, 1, 1, 1, 1]]
    assert said(rows.answer_mask) == [[0, 0, 0, 0, 0, 1]]
    assert [math.isnan(one) for one in rows.sampled[0].tolist()] == [False] * 5 + [True]


def test_verifree_has_reasoning_alone_where_there_is_no_answer() -> None:
    rows = made(
        "verifree",
        (response("12"), reward(0.5, Outcome.SCORED)),
        (response("1=2"), reward(0.0, Outcome.INVALID)),
        (response("1=2", text="1=3"), reward(0.5, Outcome.SCORED)),
        marker="=",
    )
    assert said(rows.answer_mask) == [[0] * 6] * 3
    assert rows.mask.sum(-1).tolist() == [3, 4, 0]
    assert rows.lacks == {"unmarked": 1, "unspliced": 1}


@pytest.mark.parametrize(("reference", "text"), [("4", "4"), (4, "4"), (["4"], "4"), (0.5, "0.5")])
def test_a_reference_is_a_text_or_a_number(reference: object, text: str) -> None:
    assert reference_of(Sample.model_validate({"prompt": "x", "reference": reference})) == text


@pytest.mark.parametrize("reference", [None, [], ["4", "5"], "", True, {"a": 1}])
def test_verifree_needs_one_reference(reference: object) -> None:
    with pytest.raises(InvalidRequest, match="each prompt needs one"):
        reference_of(Sample.model_validate({"prompt": "x", "reference": reference}))
