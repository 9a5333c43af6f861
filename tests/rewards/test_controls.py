"""Controls know nothing, say so, and draw the same again."""

from __future__ import annotations

import pytest

from rewards.recipe import Recipe, parse_recipe
from rewards.seed import content_of, draw
from tests.rewards.situation import INVALID, NO, OURS, YES, priced
from trueward.errors import InvalidRecipe
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

SAMPLES = [Sample(id=str(index), prompt=f"p{index // 4}", response=f"r{index}") for index in range(2000)]


def control(verifier: str, **params: object) -> Recipe:
    return parse_recipe({"terms": [{"verifier": verifier, "params": params}], "control": True, "invalid": 0})


@pytest.mark.parametrize("verifier", ["random", "constant", "flip"])
def test_an_unlabelled_control_is_refused(verifier: str) -> None:
    params = {"inner": {"verifier": "math"}} if verifier == "flip" else {}
    with pytest.raises(InvalidRecipe, match="control: true"):
        parse_recipe({"terms": [{"verifier": verifier, "params": params}], "invalid": 0})


def test_random_accepts_its_share_and_the_same_again() -> None:
    made = control("random", p=0.3)
    assert list(made.judgements) == []
    rewards = [priced(made, sample).reward for sample in SAMPLES]
    assert sum(reward or 0 for reward in rewards) / len(rewards) == pytest.approx(0.3, abs=0.03)
    renamed = [sample.model_copy(update={"id": "other", "group": "g"}) for sample in SAMPLES]
    assert [priced(made, sample).reward for sample in renamed] == rewards


def test_constant_pays_everybody_the_same() -> None:
    assert {priced(control("constant", value=0.7), sample).reward for sample in SAMPLES[:9]} == {0.7}


def test_flip_turns_whole_prompts_or_single_samples() -> None:
    by_group = control("flip", inner={"verifier": "math"}, p=0.4)
    assert [one.verifier for one in by_group.judgements] == ["math"]
    rewards = [priced(by_group, sample, flip=YES).reward for sample in SAMPLES]
    prompts = [set(rewards[start : start + 4]) for start in range(0, len(rewards), 4)]
    assert all(len(prompt) == 1 for prompt in prompts)
    assert sum(prompt == {0.0} for prompt in prompts) / len(prompts) == pytest.approx(0.4, abs=0.07)
    by_sample = control("flip", inner={"verifier": "math"}, p=0.4, unit="sample")
    singles = [priced(by_sample, sample, flip=NO).reward for sample in SAMPLES]
    assert sum(reward or 0 for reward in singles) / len(singles) == pytest.approx(0.4, abs=0.04)
    assert any(len(set(singles[start : start + 4])) == 2 for start in range(0, len(singles), 4))


@pytest.mark.parametrize("verdict", [INVALID, OURS])
def test_flip_leaves_what_was_never_judged(verdict: Verdict) -> None:
    made = control("flip", inner={"verifier": "math"}, p=1.0)
    assert priced(made, flip=verdict).outcome is verdict.outcome
    assert priced(made, flip=verdict).reward in (0, None)
    assert priced(made, flip=YES).outcome is Outcome.INCORRECT


@pytest.mark.parametrize("params", [{"p": 1.5}, {"q": 1}])
def test_parameters_of_a_control_are_checked(params: dict[str, object]) -> None:
    with pytest.raises(InvalidRecipe):
        control("random", **params)


def test_draws_are_uniform_and_independent_by_purpose() -> None:
    one, other = ([draw(purpose, content_of(sample)) for sample in SAMPLES] for purpose in ("a", "b"))
    assert all(0 <= number < 1 for number in one)
    assert sum(one) / len(one) == pytest.approx(0.5, abs=0.02)
    both = sum(a < 0.5 and b < 0.5 for a, b in zip(one, other, strict=True)) / len(one)
    assert both == pytest.approx(0.25, abs=0.03)
