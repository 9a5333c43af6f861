"""Every shaping computed a second time, from its paper's formula (``formulas``), on random groups through recipes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

import numpy as np
import pytest
from pydantic import JsonValue

from rewards.conditions import Conditions
from rewards.parts import AnyShaping
from rewards.state import State
from tests.rewards.formulas import (
    CLOSE,
    SEEDS,
    Array,
    Group,
    Params,
    clip_delta,
    confidence,
    cosine,
    efficient,
    ensemble,
    genrm_length,
    jepo,
    kimi,
    logistic,
    min_max,
    nover,
    numbers,
    o1_pruner,
    overlong,
    ppo_c,
    rank,
    softmin,
    sums,
    unlikeliness,
    verpo,
    z_score,
)
from tests.rewards.situation import NO, OURS, YES, members, recipe, scored, settled
from trueward.wire.reward import Reward
from trueward.wire.verdict import Verdict


def verdicts(group: Group, evidence: str) -> list[dict[str, Verdict]]:
    found = []
    for one in range(group.size):
        said: dict[str, JsonValue] = {
            "step_scores": group.steps[one].tolist(),
            "token_scores": group.steps[one].tolist(),
            "scores": (np.abs(group.heads) if evidence == "votes" else group.heads)[one].tolist(),
            "stds": group.doubts[one].tolist(),
            "tests": [bool(passed) for passed in group.tests[one]],
            "perplexity": float(group.perplexity[one]),
            "reasoning_tokens": float(group.tokens[one]),
        }
        measured = scored(float(group.x[one]), **said) if group.there[one] else OURS
        measured = measured.model_copy(update={"confidence": float(group.sure[one])})
        if evidence == "tests" and group.there[one]:
            full = bool(group.tests[one].all())
            share = float(group.tests[one].mean())
            measured = Verdict.correct("ok", evidence=said) if full else Verdict.partial(share, "some", evidence=said)
        answer = YES if group.right[one] else NO
        found.append({"math": answer, "m": measured, "stated": scored(float(group.stated[one]))})
    return found


TERMS: list[JsonValue] = [
    {"verifier": "math", "weight": 0, "answer": True},
    {"verifier": "process_reward", "name": "m"},
    {"verifier": "label", "name": "stated", "weight": 0},
]


def rewards(
    group: Group, shaping: Params, evidence: str = "", averages: Mapping[str, float] | None = None
) -> list[Reward]:
    made = recipe(terms=TERMS, shaping=[{**shaping, "term": "m"}], range=[-1000, 1000], invalid=-1000)
    state = State(averages=dict(averages or {}))
    fields: dict[str, Sequence[object]] = {
        "tokens": [int(one) for one in group.tokens],
        "logprobs": [{"token_ids": [1] * len(one), "logprobs": one.tolist()} for one in group.logprobs],
        "baseline_scores": [one.tolist() for one in group.baselines],
    }
    return settled(made, members(made, verdicts(group, evidence), **fields), Conditions(state=state)).rewards


Formula = Callable[[Group], Array]
CASES: list[tuple[str, Params, Formula]] = [
    ("affine", {"scale": -2.5, "offset": 0.3}, lambda g: -2.5 * g.x + 0.3),
    ("clip", {"low": 0.2, "high": 0.6}, lambda g: np.clip(g.x, 0.2, 0.6)),
    (
        "threshold",
        {"at_least": 0.5, "above": 2, "below": -1},
        lambda g: np.where(g.there, np.where(g.x >= 0.5, 2, -1), np.nan),
    ),
    ("sigmoid", {"centre": 0.4, "steepness": 3}, lambda g: logistic(3 * (g.x - 0.4))),
    ("par", {"steepness": 2}, lambda g: logistic(2 * (g.x[:, None] - g.baselines)).mean(1)),
    ("log_sigmoid", {"centre": 0.5}, lambda g: np.log(logistic(g.x - 0.5))),
    ("log_sigmoid", {}, lambda g: np.log(logistic(g.x - g.baselines.mean(1) - 1.036 * g.baselines.std(1)))),
    ("tulu3", {}, lambda g: np.where(g.there, 10.0 * g.right, np.nan)),
    ("overlong", {"limit": 40, "cache": 20}, lambda g: overlong(g, 40, 20)),
    ("cosine", {"limit": 40}, lambda g: cosine(g, 40)),
    ("kimi_length", {}, kimi),
    ("o1_pruner", {}, o1_pruner),
    ("efficient_length", {}, efficient),
    ("genrm_length", {"bonus": 0.7}, lambda g: genrm_length(g, 0.7)),
    ("unlikeliness", {"penalty": 0.4}, lambda g: unlikeliness(g, 0.4)),
    ("jepo", {}, jepo),
    ("nover", {}, nover),
    ("z_score", {}, lambda g: z_score(g, 1)),
    ("z_score", {"ddof": 0}, lambda g: z_score(g, 0)),
    ("rank", {}, rank),
    ("min_max", {}, min_max),
    ("ensemble", {}, lambda g: ensemble(g, "mean", {})),
    ("ensemble", {"form": "wco"}, lambda g: ensemble(g, "wco", {})),
    ("ensemble", {"form": "uwo"}, lambda g: ensemble(g, "uwo", {})),
    ("ensemble", {"form": "uwo", "ddof": 1}, lambda g: ensemble(g, "uwo", {"ddof": 1})),
    ("ensemble", {"form": "robust"}, lambda g: ensemble(g, "robust", {})),
    ("ensemble", {"form": "robust", "nominal": "surest"}, lambda g: ensemble(g, "robust", {"nominal": "surest"})),
    (
        "ensemble",
        {"form": "wco", "means": [0.1, 0.2, 0.3, 0.4, 0.5], "stds": [1, 2, 3, 4, 5]},
        lambda g: ensemble(g, "wco", {"means": [0.1, 0.2, 0.3, 0.4, 0.5], "stds": [1, 2, 3, 4, 5]}),
    ),
    ("reasoning_pattern", {"by": "stated"}, lambda g: np.where(g.x < 0.5, np.minimum(1, g.x + 0.1 * g.stated), g.x)),
    ("confidence", {}, lambda g: np.where(g.there, np.where(confidence(g, "verdict") >= 0.5, g.x, 0), np.nan)),
    ("confidence", {"use": "weight", "source": "spread", "scale": 2}, lambda g: g.x * confidence(g, "spread")),
    ("confidence", {"use": "weight", "source": "votes"}, lambda g: g.x * confidence(g, "votes")),
    ("confidence", {"use": "weight", "source": "margin"}, lambda g: g.x * confidence(g, "margin")),
    ("min_form", {}, lambda g: sums(g, [softmin(one, 0.1) for one in g.steps])),
    ("clip_and_delta", {}, lambda g: sums(g, [clip_delta(one, None) for one in g.steps])),
    ("clip_and_delta", {"threshold": 0.6}, lambda g: sums(g, [clip_delta(one, 0.6) for one in g.steps])),
    ("renorm", {}, lambda g: np.where(g.there, 0.0, np.nan)),
    ("steps", {}, lambda g: g.x),
    ("tokens", {}, lambda g: g.x),
    ("verpo", {}, lambda g: verpo(g, normalise=False, alpha=1, sigma=0.1, share=0.5)),
    (
        "verpo",
        {"normalise": True, "alpha": 2, "sigma": 0.3, "share": 0.2},
        lambda g: verpo(g, normalise=True, alpha=2, sigma=0.3, share=0.2),
    ),
    ("ppo_c", {"confidence": "stated", "start": 0.4, "clip": 0.6}, lambda g: ppo_c(g, 2, 0.4, "difference")),
    (
        "ppo_c",
        {"confidence": "stated", "start": 0.4, "clip": 0.6, "form": "threshold", "weight": 1},
        lambda g: ppo_c(g, 1, 0.4, "threshold"),
    ),
]
EVIDENCE = {"verpo": "tests"}


def test_no_shaping_is_left_out() -> None:
    shapings = {one.model_fields["method"].annotation for one in get_args(get_args(AnyShaping)[0])}
    assert {get_args(one)[0] for one in shapings} == {method for method, _, _ in CASES}


@pytest.mark.parametrize(
    ("method", "params", "formula"), CASES, ids=lambda one: str(one) if isinstance(one, str) else ""
)
def test_a_shaping_is_its_formula(method: str, params: Params, formula: Formula) -> None:
    worst = 0.0
    for seed in SEEDS:
        group = Group.draw(seed)
        evidence = "votes" if params.get("source") in {"votes", "margin"} else EVIDENCE.get(method, "")
        found = numbers(rewards(group, {"method": method, **params}, evidence))
        expected = formula(group)
        assert (np.isnan(found) == np.isnan(expected)).all(), f"seed {seed}"
        assert (np.isnan(found) == ~group.there).all()
        worst = max(worst, float(np.nanmax(np.abs(found - expected), initial=0.0)))
    assert worst < CLOSE


STEPS: list[tuple[Params, Callable[[Array, bool], Array]]] = [
    ({"method": "min_form", "temperature": 0.3}, lambda steps, right: softmin(steps, 0.3)),
    ({"method": "clip_and_delta"}, lambda steps, right: clip_delta(steps, None)),
    ({"method": "clip_and_delta", "threshold": 0.7}, lambda steps, right: clip_delta(steps, 0.7)),
    ({"method": "renorm"}, lambda steps, right: steps + right - 1),
    ({"method": "steps"}, lambda steps, right: steps),
    ({"method": "steps", "last": "outcome"}, lambda steps, right: np.append(steps[:-1], float(right))),
    ({"method": "tokens"}, lambda steps, right: steps),
]


@pytest.mark.parametrize(
    ("params", "formula"), STEPS, ids=lambda one: str(one["method"]) if isinstance(one, dict) else ""
)
def test_rewards_of_steps_and_tokens_are_their_formula(params: Params, formula: Callable[[Array, bool], Array]) -> None:
    for seed in SEEDS:
        group = Group.draw(seed)
        for one, reward in enumerate(rewards(group, params)):
            found = reward.token_rewards if params["method"] == "tokens" else reward.step_rewards
            if group.there[one]:
                assert found is not None
                assert np.abs(np.array(found) - formula(group.steps[one], bool(group.right[one]))).max() < CLOSE
