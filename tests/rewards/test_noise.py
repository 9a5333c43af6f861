"""Corrections: worked numbers, slices, and refusals."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from app.path.facts import FACTS
from rewards.conditions import Conditions
from rewards.noise.advice import advice, measure_turn
from rewards.noise.correction import correct_reward, uncertainty, weight
from rewards.noise.noise import LATEST, Noise
from rewards.noise.rates import Fate, Rate, Rates, fate, feature
from rewards.price import price
from rewards.recipe import Recipe, parse_recipe
from tests.rewards.situation import INVALID, NO, OURS, YES, members, priced, recipe, settled
from trueward.errors import InvalidRecipe
from trueward.estimators.noise import Estimator
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

CONSTANT = {"method": "backward", "false_positive": 0.1, "false_negative": 0.2}
AUDIT = {"noise": {"audit": "a1"}}
rates = st.floats(0, 0.99)


def test_the_worked_corrections() -> None:
    assert correct_reward(1, 0.1, 0.2) == pytest.approx(1.285714, abs=1e-6)
    assert correct_reward(0, 0.1, 0.2) == pytest.approx(-0.142857, abs=1e-6)
    assert (weight(1, 0.2), weight(0, 0.2)) == pytest.approx((0.2, -0.8))


@given(rates, rates)
def test_corrections_have_the_right_means(positive: float, negative: float) -> None:
    assume(positive + negative < 0.999)
    right = (1 - negative) * correct_reward(1, positive, negative) + negative * correct_reward(0, positive, negative)
    wrong = positive * correct_reward(1, positive, negative) + (1 - positive) * correct_reward(0, positive, negative)
    assert right == pytest.approx(1)
    assert wrong == pytest.approx(0, abs=1e-9)
    assert (1 - negative) * weight(1, negative) + negative * weight(0, negative) == pytest.approx(0, abs=1e-12)
    assert positive * weight(1, negative) + (1 - positive) * weight(0, negative) == pytest.approx(
        -(1 - positive - negative)
    )


def test_a_reward_contains_the_corrected_term_and_names_its_estimate() -> None:
    made = recipe(noise=CONSTANT)
    accepted, rejected = priced(made, math=YES), priced(made, math=NO)
    assert accepted.reward == accepted.corrected == pytest.approx(1.285714, abs=1e-6)
    assert rejected.reward == pytest.approx(-0.142857, abs=1e-6)
    assert accepted.components == {"math": 1.0}
    assert (accepted.estimate, accepted.weight) == ("constant", None)


def test_saying_nothing_never_pays_better_than_being_rejected() -> None:
    made = recipe(noise=CONSTANT)
    assert priced(made, math=INVALID).reward == priced(made, math=NO).reward
    assert priced(recipe(noise=CONSTANT, invalid=-1), math=INVALID).reward == -1


def test_forward_leaves_the_reward_raw_and_gives_a_weight() -> None:
    made = recipe(noise={**CONSTANT, "method": "forward"})
    assert [priced(made, math=verdict).weight for verdict in (YES, NO, INVALID)] == pytest.approx([0.2, -0.8, -0.8])
    assert [priced(made, math=verdict).reward for verdict in (YES, NO)] == [1.0, 0.0]
    assert priced(made, math=YES).corrected is None
    assert priced(made, math=OURS).weight is None
    alone = recipe(noise={"method": "forward", "false_negative": 0.2})
    assert priced(alone, math=YES).weight == pytest.approx(0.2)


def test_a_graded_verdict_is_corrected_where_a_threshold_makes_it_a_yes_or_no() -> None:
    half = Verdict.partial(0.5, "some")
    assert priced(recipe(noise=CONSTANT), math=half).reward == 0.5
    assert priced(recipe(noise=CONSTANT), math=half).corrected is None
    made = recipe(noise={**CONSTANT, "threshold": 0.5})
    assert priced(made, math=half).corrected == pytest.approx(1.285714, abs=1e-6)


@pytest.mark.parametrize(
    ("noise", "words"),
    [
        ({"false_positive": 0.5, "false_negative": 0.5}, "sum to 1"),
        ({"false_positive": 0.9, "false_negative": 0.8}, "sum to 1"),
        ({"false_positive": 0.5, "false_negative": 0.45}, "smallest_index"),
        ({"method": "forward", "false_positive": 0.5, "false_negative": 0.5}, "sum to 1"),
        ({"method": "forward", "false_negative": 1.0}, "sum to 1"),
        ({"false_positive": 0.1}, "needs"),
        ({"false_negative": 0.1}, "both"),
        ({}, "needs"),
        ({"audit": "a", "false_positive": 0.1}, "one source"),
        ({**CONSTANT, "by": ["form"]}, "slices"),
        ({**CONSTANT, "by": ["form"], "slices": {"rule=x": CONSTANT | {}}}, "form"),
        ({**CONSTANT, "method": "forward", "by": ["form"], "slices": {}}, "direction"),
    ],
)
def test_constants_that_cannot_be_used_are_refused(noise: dict[str, object], words: str) -> None:
    if noise.get("slices"):
        noise = {**noise, "slices": {"rule=x": {"false_positive": 0.1, "false_negative": 0.1}}}
    with pytest.raises(InvalidRecipe, match=words):
        recipe(noise=noise)


@pytest.mark.parametrize(
    "terms",
    [["math", "format"], [{"verifier": "length", "weight": -1}]],
)
def test_noise_at_the_root_needs_exactly_one_yes_or_no(terms: list[object]) -> None:
    with pytest.raises(InvalidRecipe, match="yes or no") as refusal:
        parse_recipe({"terms": terms, "noise": CONSTANT, "invalid": 0}, FACTS)
    assert refusal.value.errors[0].field == "recipe.noise"
    terms = ["math", {"verifier": "length", "weight": -0.01}]
    beside = parse_recipe({"terms": terms, "noise": CONSTANT, "invalid": 0}, FACTS)
    assert beside.terms[0].noise is not None


def test_forward_stands_alone() -> None:
    forward = {"method": "forward", "false_negative": 0.2}
    with pytest.raises(InvalidRecipe, match="no other term"):
        parse_recipe({"terms": [{"verifier": "math", "noise": forward}, "format"]})


def _audited(**rate: object) -> Conditions:
    pooled = Rate.model_validate({"false_positive": 0.1, "false_negative": 0.2, **rate})
    return Conditions(rates={"a1": Rates(source="audit:a1", pooled=pooled)})


def test_measured_rates_that_say_nothing_leave_no_reward() -> None:
    made = recipe(**AUDIT)
    assert priced(made, conditions=_audited(), math=YES).estimate == "audit:a1"
    for bad in (
        {"false_positive": 0.9},
        {"false_positive_interval": (0.0, 0.9)},
        {"false_negative_interval": (0.0, 0.7)},
    ):
        reward = priced(made, conditions=_audited(**bad), math=YES)
        assert (reward.reward, reward.outcome, reward.reason_code) == (None, Outcome.ABSTAINED, "uncorrectable")
    unknown = priced(made, math=YES)
    assert (unknown.reward, unknown.reason_code) == (None, "uncorrectable")


SLICED = Rates(
    source="audit:a1",
    pooled=Rate(false_positive=0.1, false_negative=0.2),
    by=("form", "length"),
    slices={
        "form=decimal,length=0-500": Rate(false_positive=0.3, false_negative=0.0),
        "form=odd,length=0-500": Rate(false_positive=0.5, false_negative=0.9, right=0, wrong=40),
        "form=empty,length=0-500": Rate(false_positive=1.0, false_negative=0.9, right=0, wrong=40),
        "form=bad,length=0-500": Rate(false_positive=0.6, false_negative=0.6, right=9, wrong=9),
    },
)


@pytest.mark.parametrize(
    ("form", "reward", "estimate"),
    [
        ("decimal", 1.0, "audit:a1[form=decimal,length=0-500]"),
        ("unseen", 1.285714, "audit:a1[pooled]"),
        ("odd", 1.0, "audit:a1[form=odd,length=0-500]"),
        ("empty", 0.0, "audit:a1[form=empty,length=0-500]: none was right"),
        ("bad", None, None),
    ],
)
def test_rates_are_keyed_by_the_response(form: str, reward: float | None, estimate: str | None) -> None:
    accepted = YES.model_copy(update={"evidence": {"form": form}})
    priced_by_form = priced(recipe(**AUDIT), conditions=Conditions(rates={"a1": SLICED}), math=accepted)
    assert priced_by_form.reward == (None if reward is None else pytest.approx(reward, abs=1e-6))
    assert priced_by_form.estimate == estimate


def _thin(right: int, wrong: int, pooled: bool) -> Conditions:
    """A verifier that is known well, and a slice of it of which a few wrong responses were labelled."""
    error = {"false_positive_error": 0.06, "false_negative_error": 0.12} if pooled else {}
    rate = {"false_positive": 0.05 if pooled else 0.0, "false_negative": 0.1 if pooled else 0.0, **error}
    ends = {"false_positive_interval": (0.0, 0.7), "false_negative_interval": (0.0, 1.0)}
    known = {"false_positive_interval": (0.01, 0.04), "false_negative_interval": (0.02, 0.06)}
    rates = Rates(
        source="audit:a1",
        pooled=Rate.model_validate({"false_positive": 0.02, "false_negative": 0.04, "right": 99, "wrong": 99} | known),
        by=("rule",),
        slices={"rule=marker": Rate.model_validate(rate | ends | {"right": right, "wrong": wrong})},
    )
    return Conditions(rates={"a1": rates})


MARKED = YES.model_copy(update={"evidence": {"rule": "marker"}})


@pytest.mark.parametrize("wrong", [1, 2, 3, 10])
@pytest.mark.parametrize("pooled", [True, False])
def test_a_right_answer_is_never_paid_nothing_for_want_of_labels(wrong: int, pooled: bool) -> None:
    paid = priced(recipe(**AUDIT), conditions=_thin(0, wrong, pooled), math=MARKED)
    # partial pooling's rates where they are there, else those of the whole
    positive, negative = (0.05, 0.1) if pooled else (0.02, 0.04)
    assert paid.reward == pytest.approx((1 - positive) / (1 - positive - negative))
    assert paid.estimate == f"audit:a1[{'rule=marker' if pooled else 'pooled'}]"
    assert paid.uncertainty is not None
    assert paid.uncertainty > (0.1 if pooled else 0.01)


def test_a_slice_is_worth_nothing_only_where_few_can_be_right() -> None:
    rate = Rate(false_positive=0.97, false_negative=0.5, right=0, wrong=29, false_positive_interval=(0.8, 1.0))
    assert not rate.none_right
    assert rate.model_copy(update={"wrong": 36}).none_right
    assert not rate.model_copy(update={"wrong": 400, "right_high": 0.2}).none_right
    assert rate.model_copy(update={"right_high": 0.05}).none_right


def test_stored_recipes_correct_as_they_did() -> None:
    old = Recipe.model_validate({"terms": [{"verifier": "math", "noise": {"audit": "a1"}}]})
    assert old.terms[0].noise is not None
    assert old.terms[0].noise.version == 1
    new = recipe(**AUDIT)
    assert new.terms[0].noise is not None
    assert new.terms[0].noise.version == LATEST
    assert new.hash != old.hash
    paid = price(old, Sample(response="x"), {"math": MARKED}, _thin(0, 2, pooled=False))
    assert (paid.reward, paid.estimate, paid.uncertainty) == (0.0, "audit:a1[rule=marker]: none was right", None)
    routed = parse_recipe({"routes": [{"when": {"data_source": "a"}, "terms": [{"verifier": "math", **AUDIT}]}]}, FACTS)
    assert routed.routes[0].terms[0].noise is not None
    assert routed.routes[0].terms[0].noise.version == LATEST


def test_a_slice_that_was_not_labelled_has_the_rates_of_elsewhere() -> None:
    known = _thin(0, 3, pooled=True).rates["a1"]
    elsewhere = Rate(false_positive=0.2, false_negative=0.2, false_positive_error=0.2, false_negative_error=0.2)
    unseen = YES.model_copy(update={"evidence": {"rule": "other"}})
    conditions = Conditions(rates={"a1": known.model_copy(update={"elsewhere": elsewhere})})
    paid = priced(recipe(**AUDIT), conditions=conditions, math=unseen)
    assert paid.reward == pytest.approx(0.8 / 0.6)
    assert paid.estimate == "audit:a1[elsewhere]"


def test_the_uncertainty_of_a_reward_is_what_other_audits_would_have_paid() -> None:
    chance = np.random.default_rng(0)
    positive, negative = chance.normal(0.1, 0.01, 40_000), chance.normal(0.2, 0.02, 40_000)
    for accepted in (0.0, 1.0):
        paid = [correct_reward(accepted, *pair) for pair in zip(positive, negative, strict=True)]
        assert uncertainty(accepted, 0.1, 0.2, (0.01, 0.02)) == pytest.approx(np.std(paid), rel=0.03)


def test_forward_refuses_what_backward_refuses() -> None:
    for method in ("backward", "forward"):
        with pytest.raises(InvalidRecipe, match="smallest_index"):
            recipe(noise={"method": method, "false_positive": 0.5, "false_negative": 0.45})
    first = {"version": 1, "method": "forward", "false_positive": 0.5, "false_negative": 0.45}
    assert priced(recipe(noise=first), math=YES).weight == pytest.approx(0.45)


@pytest.mark.parametrize("about", [0.0, 0.05, 0.2, 0.3])
def test_both_methods_refuse_the_same_measured_rates(about: float) -> None:
    """One verdict is corrected by either method, or by none."""
    methods = [recipe(noise={"audit": "a1", "method": method}) for method in ("backward", "forward")]
    refused = set()
    for positive, negative in product(np.linspace(0, 0.98, 15), repeat=2):
        around = [(max(rate - about, 0), min(rate + about, 1)) for rate in (positive, negative)]
        conditions = _audited(
            false_positive=positive,
            false_negative=negative,
            false_positive_interval=around[0],
            false_negative_interval=around[1],
        )
        backward, forward = (priced(made, conditions=conditions, math=YES) for made in methods)
        assert (backward.reason_code == "uncorrectable") == (forward.reason_code == "uncorrectable")
        assert (backward.corrected is None) == (forward.weight is None)
        refused.add(backward.corrected is None)
    assert refused == {True, False}


@pytest.mark.parametrize("method", ["backward", "forward"])
def test_the_advice_says_where_nothing_is_paid(method: str) -> None:
    """Before a trainer is given None for every response."""
    made = recipe(noise={"audit": "a1", "method": method})
    for rate in ({"false_positive": 0.9}, {"false_positive_interval": (0.0, 0.9)}, {}):
        conditions = _audited(**rate)
        unpaid = priced(made, conditions=conditions, math=YES).reason_code == "uncorrectable"
        told = advice(made, Estimator.CENTRED, conditions.rates)
        assert unpaid == any("no response gets a reward" in line for line in told)
        assert unpaid == bool(rate)


def test_the_advice_says_what_the_rates_leave_uncertain() -> None:
    shared = _audited(false_positive_interval=(0.05, 0.15), false_negative_interval=(0.15, 0.25)).rates["a1"]
    [size, _] = advice(recipe(**AUDIT), Estimator.CENTRED, {"a1": shared})
    assert "J is 0.700" in size
    assert "uncertain by 5%" in size
    sliced = _thin(10, 10, pooled=True).rates["a1"]
    [turning] = advice(recipe(**AUDIT), Estimator.CENTRED, {"a1": sliced})
    assert "Least is known of rule=marker, where pay is off by 0.14" in turning


@pytest.mark.parametrize("labels", [20, 200])
def test_the_cosine_that_is_announced_is_that_of_simulated_audits(labels: int) -> None:
    chance = np.random.default_rng(labels)
    positive, negative = np.array([0.05, 0.3, 0.1]), np.array([0.1, 0.1, 0.3])
    errors = [np.sqrt(rate * (1 - rate) / labels) for rate in (positive, negative)]
    slices = {
        f"form={place}": Rate(
            false_positive=positive[place],
            false_negative=negative[place],
            false_positive_error=errors[0][place],
            false_negative_error=errors[1][place],
            right=labels,
            wrong=labels,
        )
        for place in range(3)
    }
    pooled = Rate(false_positive=0.15, false_negative=0.17, false_positive_error=0.01, false_negative_error=0.01)
    found = measure_turn(Rates(source="audit:x", pooled=pooled, by=("form",), slices=slices))
    assert found is not None
    cosines = []
    for _ in range(400):
        other = [chance.normal(rate, error) for rate, error in zip((positive, negative), errors, strict=True)]
        index = 1 - other[0] - other[1]
        pay = np.stack([(positive - other[0]) / index, (1 - negative - other[0]) / index])  # wrong, right
        update, clean = pay - pay.mean(), np.array([[-0.5], [0.5]]) * np.ones(3)
        cosines.append((update * clean).sum() / np.linalg.norm(update) / np.linalg.norm(clean))
    assert found.cosine == pytest.approx(np.mean(cosines), abs=0.01)


def test_constants_may_be_sliced_too() -> None:
    slices = {"rule=boxed": {"false_positive": 0.0, "false_negative": 0.5}}
    made = recipe(noise={**CONSTANT, "by": ["rule"], "slices": slices})
    assert priced(made, math=YES.model_copy(update={"evidence": {"rule": "boxed"}})).reward == 2.0


def test_forward_refuses_measured_rates_that_differ() -> None:
    made = recipe(noise={"method": "forward", "audit": "a1"})
    assert priced(made, conditions=_audited(), math=YES).weight == pytest.approx(0.2)
    reward = priced(made, conditions=Conditions(rates={"a1": SLICED}), math=YES)
    assert (reward.reward, reward.weight, reward.reason_code) == (None, None, "uncorrectable")


def test_features_of_a_response() -> None:
    sample = Sample(response="x" * 700)
    seen = YES.model_copy(update={"evidence": {"exploit": True, "rule": "a,b=c"}})
    assert [feature(name, sample, seen) for name in ("length", "exploit", "rule", "form")] == [
        "500-2000",
        "true",
        "a_b_c",
        "none",
    ]
    assert feature("length", Sample(response="x" * 9000), YES) == "8000-"


def test_the_group_says_its_true_success_rate() -> None:
    made = recipe(noise=CONSTANT)
    group = settled(made, members(made, [{"math": YES}] * 3 + [{"math": NO}])).group
    assert group.true_rate == 0.875
    assert group.true_std == pytest.approx(0.486751, abs=1e-6)
    assert settled(recipe(), members(recipe(), [{"math": YES}])).group.true_rate is None


def test_the_advice_says_what_a_correction_changes() -> None:
    shared = recipe(noise=CONSTANT)
    assert "removes" in advice(shared, Estimator.STANDARDISED)[0]
    assert "scales" in advice(shared, Estimator.CENTRED)[0]
    [useless] = advice(recipe(**AUDIT), Estimator.STANDARDISED, {"a1": SLICED})
    assert "responses of 1 slices get no reward" in useless
    assert advice(recipe(), Estimator.STANDARDISED) == []


def test_a_fallback_that_the_audit_did_not_measure_is_told_of() -> None:
    def said(**more: object) -> list[str]:
        terms = [{"verifier": "math", **more}, {"verifier": "format", "weight": 0.1}]
        return advice(recipe(terms=terms), Estimator.STANDARDISED)

    [warning] = said(fallback="exact", **AUDIT)
    assert "measured 'math' alone" in warning
    assert said(**AUDIT) == said(fallback="exact", noise=CONSTANT) == []


@pytest.mark.parametrize(
    ("rate", "expected"),
    [
        (Rate(false_positive=0.1, false_negative=0.2), Fate.LEARNS),
        (Rate(false_positive=0.5, false_negative=0.5), Fate.NEUTRAL),
        (Rate(false_positive=0.6, false_negative=0.5), Fate.UNLEARNS),
        (Rate(false_positive=0.1, false_negative=0.2, false_positive_interval=(0.0, 0.85)), Fate.UNCERTAIN),
    ],
)
def test_learning_goes_right_while_youdens_index_is_positive(rate: Rate, expected: Fate) -> None:
    assert fate(rate) is expected


def test_rates_whose_intervals_leave_no_information_are_refused() -> None:
    sure = Rate(false_positive=0.4, false_negative=0.4, right=99, wrong=99)
    unsure = sure.model_copy(update={"false_positive_interval": (0.3, 0.52), "false_negative_interval": (0.3, 0.52)})
    noise = Noise.model_validate({"method": "forward", "audit": "a", "widest_interval": 1.0})
    assert noise.refusal(sure) is None
    assert "nothing is certain" in (noise.refusal(unsure) or "")
