"""Pricing: a failure of ours is never a reward, a failure of the response is never free."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rewards.price import price
from rewards.recipe import Recipe, parse_recipe
from rewards.settle import settle_missing, summarise
from trueward.errors import InvalidRecipe
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, group_names
from trueward.wire.verdict import Outcome, Verdict

MATH = {"terms": [{"verifier": "math"}]}
OURS = [Verdict.abstained("no_reference"), Verdict.timeout("deadline"), Verdict.error("worker_crashed")]


def _price(verdict: Verdict, sample: Sample | None = None, **recipe: object) -> Reward:
    return price(parse_recipe({**MATH, **recipe}), sample or Sample(response="x"), {"math": verdict})


@pytest.mark.parametrize("verdict", OURS)
def test_a_failure_of_ours_has_no_reward(verdict: Verdict) -> None:
    reward = _price(verdict, range=[-1, 1], invalid=-1)
    assert reward.reward is None
    assert reward.outcome is verdict.outcome
    assert reward.components == {"math": None}


def test_invalid_costs_the_lower_end_of_the_range_unless_priced() -> None:
    assert _price(Verdict.invalid("resource_limit")).reward == 0.0
    assert _price(Verdict.invalid("resource_limit"), range=[-1, 1]).reward == -1.0
    assert _price(Verdict.invalid("resource_limit"), range=[-1, 1], invalid=-0.5).reward == -0.5


def test_scores_are_weighted() -> None:
    assert _price(Verdict.correct("equal")).reward == 1.0
    assert _price(Verdict.partial(0.25, "some"), terms=[{"verifier": "math", "weight": 2}]).reward == 0.5


@pytest.mark.parametrize(("policy", "reward"), [("score", 1.0), ("floor", -1.0), ("mask", None)])
def test_a_truncated_response_follows_the_recipe(policy: str, reward: float | None) -> None:
    cut = Sample(response="x", finish_reason="length")
    assert _price(Verdict.correct("equal"), cut, range=[-1, 1], on_truncated=policy).reward == reward


@pytest.mark.parametrize("policy", ["score", "floor", "mask"])
def test_truncation_never_turns_a_failure_of_ours_into_a_reward(policy: str) -> None:
    cut = Sample(response="x", finish_reason="length")
    assert _price(Verdict.error("verifier_crashed"), cut, on_truncated=policy).reward is None


def _rewards(values: list[float | None]) -> list[Reward]:
    return [
        Reward(outcome=Outcome.ERROR if value is None else Outcome.SCORED, reward=value, components={})
        for value in values
    ]


def test_missing_takes_the_mean_of_the_others_where_the_recipe_says_so() -> None:
    group = _rewards([1.0, None, 0.0])
    settle_missing(parse_recipe({**MATH, "missing": "mean"}), group)
    assert [reward.reward for reward in group] == [1.0, 0.5, 0.0]


def test_a_masked_reward_is_no_missing_score() -> None:
    group = [*_rewards([1.0]), Reward(outcome=Outcome.CORRECT, reward=None, components={})]
    settle_missing(parse_recipe({**MATH, "missing": "mean"}), group)
    assert group[1].reward is None


@given(st.lists(st.none(), min_size=1, max_size=5), st.sampled_from(["null", "mean"]))
def test_with_nobody_scored_nothing_is_invented(values: list[None], missing: str) -> None:
    group = _rewards(list(values))
    settle_missing(parse_recipe({**MATH, "missing": missing}), group)
    assert all(reward.reward is None for reward in group)


def test_a_group_leaves_missing_scores_out() -> None:
    group = summarise("g", _rewards([1.0, None, 0.0]))
    assert (group.size, group.scored, group.mean) == (3, 2, 0.5)
    assert group.std == pytest.approx(0.7071067811865476)
    assert not group.zero_variance
    assert summarise("g", _rewards([1.0, 1.0])).zero_variance
    assert summarise("g", _rewards([None])).mean is None


def test_samples_of_one_prompt_are_a_group_unless_they_name_one() -> None:
    names = group_names([Sample(prompt="p"), Sample(prompt="p"), Sample(prompt="q"), Sample(prompt="p", group="g")])
    assert names[0] == names[1] != names[2]
    assert names[3] == "g"


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"terms": []}, "recipe.terms"),
        ({}, "recipe.terms"),
        ({**MATH, "range": [1, 0]}, "recipe"),
        ({**MATH, "range": [0, float("nan")]}, "recipe.range.1"),
        ({**MATH, "invalid": float("nan")}, "recipe.invalid"),
        ({"terms": [{"verifier": "math", "weight": float("inf")}]}, "recipe.terms.0.weight"),
        ({**MATH, "colour": 1}, "recipe.colour"),
    ],
)
def test_a_bad_recipe_is_refused_by_field(body: dict[str, object], field: str) -> None:
    with pytest.raises(InvalidRecipe) as refusal:
        parse_recipe(body)
    assert refusal.value.errors[0].field == field


def test_the_hash_follows_the_content_and_not_the_name() -> None:
    one = parse_recipe({**MATH, "name": "a"})
    assert one.hash == parse_recipe({**MATH, "name": "b", "description": "d"}).hash
    assert one.hash != parse_recipe({**MATH, "invalid": -1}).hash
    assert isinstance(one, Recipe)


@given(
    st.lists(
        st.sampled_from([*OURS, Verdict.invalid("no_answer"), Verdict.incorrect("x"), Verdict.correct("x")]),
        min_size=3,
        max_size=3,
    ),
    st.sampled_from(["sum", "weighted_mean", "product", "min", "max", "lexicographic", {"penalised": {"base": "a"}}]),
    st.sampled_from(["score", "floor", "mask", "penalty"]),
    st.sampled_from(["stop", "length", None]),
    st.floats(-3, 3),
    st.sampled_from([None, {"false_positive": 0.1, "false_negative": 0.2}]),
)
def test_promise_one_holds_for_every_combination(
    said: list[Verdict], combine: object, cut: str, finish: str | None, weight: float, noise: object
) -> None:
    terms = [{"verifier": "a", "noise": noise}, {"verifier": "b", "weight": weight}, "c"]
    recipe = parse_recipe({"terms": terms, "combine": combine, "on_truncated": cut})
    sample = Sample.model_validate({"response": "x", "finish_reason": finish})
    verdicts = dict(zip("abc", said, strict=True))
    reward = price(recipe, sample, verdicts)
    masked = cut == "mask" and finish == "length"
    if any(verdict.outcome.missing for verdict in said):
        assert reward.reward is None
        assert reward.outcome.missing
    else:
        assert (reward.reward is None) == masked
        assert not reward.outcome.missing
        if any(verdict.outcome is Outcome.INVALID for verdict in said) and not masked:
            rejected = {
                name: Verdict.incorrect("x") if v.outcome is Outcome.INVALID else v for name, v in verdicts.items()
            }
            same = price(recipe, sample, rejected).reward
            assert reward.reward is not None
            assert same is not None
            assert reward.reward <= same + 1e-12


def test_an_optional_term_without_a_score_is_left_out() -> None:
    made = parse_recipe({"terms": ["math", {"verifier": "style", "weight": 0.5, "required": False}]})
    verdicts = {"math": Verdict.correct("equal"), "style": Verdict.timeout("deadline")}
    reward = price(made, Sample(response="x"), verdicts)
    assert (reward.reward, reward.outcome) == (1.0, Outcome.CORRECT)
    assert reward.components == {"math": 1.0, "style": None}


@pytest.mark.parametrize(
    ("penalty", "verdict", "reward"),
    [
        (0.25, Verdict.correct("x"), 0.25),
        (-0.5, Verdict.correct("x"), -0.5),
        (-0.5, Verdict.incorrect("x"), -0.5),
        (0.0, Verdict.correct("x"), 0.0),
    ],
)
def test_a_cut_response_pays_its_penalty(penalty: float, verdict: Verdict, reward: float) -> None:
    cut = Sample(response="x", finish_reason="length")
    assert _price(verdict, cut, on_truncated={"penalty": penalty}).reward == reward


def test_the_answer_is_the_term_that_says_so() -> None:
    made = parse_recipe({"terms": ["format", {"verifier": "math", "answer": True}]})
    verdicts = {"format": Verdict.correct("tags"), "math": Verdict.incorrect("unequal")}
    assert price(made, Sample(response="x"), verdicts).outcome is Outcome.INCORRECT


def test_a_reward_that_is_no_number_is_missing() -> None:
    made = parse_recipe({"terms": ["rm"], "shaping": [{"affine": {"scale": 1e300}}]})
    for score in (1e250, -1e250, 1e20):
        reward = price(made, Sample(response="x"), {"rm": Verdict.scored(score, "raw")})
        assert (reward.reward, reward.outcome, reward.reason_code) == (None, Outcome.ABSTAINED, "out_of_range")
