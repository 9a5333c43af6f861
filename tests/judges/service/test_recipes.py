"""Recipes with models: rewards worked out from the verdicts by hand, then replayed and explained."""

from __future__ import annotations

import math
import time
from statistics import fmean, pvariance

import pytest

from tests.judges.service.by_hand import TOLERANCE, numbers, samples, scores
from tests.judges.service.conftest import Add
from tests.judges.tiny import Tiny
from trueward import Client, Reward, Verdict
from trueward.wire.scoring import RewardsResponse

THOUGHT = "<think>10 + 30 is 40, and 2 more {}.</think>\n<answer>{}</answer>"
REPLIES = (*(THOUGHT.format("words " * n, 40 + n) for n in range(3)), "no answer")
STEPS = ("Add 10 to 30.\n\nThat is 40.\n\nSo 42.", "It is 7.\n\nNo.")
UNBOUNDED = {"invalid": -60, "range": [-60, 60]}


@pytest.fixture(scope="module", autouse=True)
def models(add: Add, tiny: Tiny) -> None:
    add("r-policy", "causal", tiny.causal("qwen3"))
    add("r-initial", "causal", tiny.causal("qwen3", seed=1))
    add("r-steps", "process", tiny.steps("qwen2"))
    for seed in range(3):
        add(f"r-reward-{seed}", "reward", tiny.classifier("llama", seed=seed))


def term(verifier: str, **params: object) -> dict[str, object]:
    return {"verifier": verifier, "params": params}


def rewarded(client: Client, recipe: dict[str, object], *responses: str, **context: object) -> RewardsResponse:
    return client.reward(samples(*responses, reference="42"), recipe=recipe, **context)  # type: ignore[arg-type]


def verified(client: Client, verifier: str, *responses: str, **params: object) -> list[Verdict]:
    some = samples(*responses, reference="42")
    return client.verify(some, verifier=verifier, params=params)  # type: ignore[arg-type]


def values(rewards: list[Reward]) -> list[float]:
    return [one.reward for one in rewards if one.reward is not None]


def test_rlpr_with_format_and_its_filter_of_groups(client: Client) -> None:
    rlpr = {"model": "r-policy", "transform": "rlpr", "baseline_model": "r-initial"}
    recipe = {
        "terms": [{**term("likelihood", **rlpr), "weight": 0.9}, {"verifier": "format", "weight": 0.1}],
        "invalid": 0,
        "group": {"rules": [{"std_filter": {"collect_from": 0, "filter_from": 1}}]},
    }
    found = rewarded(client, recipe, *REPLIES, run="rlpr", step=5)
    likely = scores(verified(client, "likelihood", *REPLIES, **rlpr))
    formed = scores(verified(client, "format", *REPLIES))
    assert values(found.rewards) == pytest.approx(
        [*(0.9 * a + 0.1 * b for a, b in zip(likely[:3], formed, strict=False)), 0.0], abs=TOLERANCE
    )
    assert found.rewards[3].outcome == "invalid"
    assert found.groups[0].kept is True
    deadline = time.monotonic() + 20
    while (alike := rewarded(client, recipe, *REPLIES[:1] * 3, run="rlpr", step=6).groups[0]).kept:
        assert time.monotonic() < deadline, "the run has learned no spread"
        time.sleep(0.2)
    assert alike.reason == "low_spread"
    replayed = client.replay("rlpr")
    assert (replayed.differ, replayed.states_differ, replayed.unknown) == (0, 0, 0)
    assert replayed.rewards >= 7
    told = client.explain(found.rewards[0].record or "")
    assert told.agrees
    assert any("likelihood" in line for line in told.lines)


def test_jepo_and_nover_rank_a_group(client: Client) -> None:
    for_each = {"model": "r-policy", "transform": "jepo"}
    logs = scores(verified(client, "likelihood", *REPLIES[:3], **for_each))
    p = [math.exp(one) for one in logs]
    bound = [math.log(fmean(p)) - math.log(fmean(p[:k] + p[k + 1 :])) for k in range(3)]
    recipe = {"terms": [term("likelihood", **for_each)], "shaping": ["jepo"], **UNBOUNDED}
    assert values(rewarded(client, recipe, *REPLIES[:3]).rewards) == pytest.approx(bound, abs=TOLERANCE)

    for_each["transform"] = "nover"
    verdicts = verified(client, "likelihood", *REPLIES[:3], **for_each)
    seen = [(1 / score, len(reply)) for score, reply in zip(scores(verdicts), REPLIES, strict=False)]
    ranked = [
        (3 - sum(other[0] < one[0] for other in seen)) / 3
        + sum(one[0] < other[0] and one[1] < other[1] for other in seen) / 2
        for one in seen
    ]
    recipe = {"terms": [term("likelihood", **for_each)], "shaping": ["nover"], "invalid": 0}
    assert values(rewarded(client, recipe, *REPLIES).rewards) == pytest.approx([*ranked, 0.0], abs=TOLERANCE)


def test_steps_are_paid_by_their_scores(client: Client) -> None:
    verdicts = verified(client, "process_reward", *STEPS, model="r-steps")
    seen = [numbers(one, "step_scores") for one in verdicts]
    paid = []
    for steps in seen:
        shares = [math.exp(-step / 0.2) for step in steps]
        paid.append([share / sum(shares) * step for share, step in zip(shares, steps, strict=True)])
    terms = [term("process_reward", model="r-steps")]
    pure = rewarded(client, {"terms": terms, "shaping": [{"min_form": {"temperature": 0.2}}], "invalid": 0}, *STEPS)
    for reward, shares in zip(pure.rewards, paid, strict=True):
        assert reward.step_rewards == pytest.approx(shares, abs=TOLERANCE)
        assert reward.reward == pytest.approx(sum(shares), abs=TOLERANCE)
    told = [[STEPS[place][a:b] for a, b in one.step_spans or []] for place, one in enumerate(pure.rewards)]
    assert told == [["Add 10 to 30.", "That is 40.", "So 42."], ["It is 7.", "No."]]
    assert client.explain(pure.rewards[0].record or "").agrees
    plain = rewarded(client, {"terms": terms, "shaping": ["steps"], "invalid": 0}, *STEPS)
    assert [one.step_rewards for one in plain.rewards] == seen
    assert values(plain.rewards) == scores(verdicts)


def test_tokens_are_paid_by_their_implicit_rewards(client: Client) -> None:
    params = {"model": "r-policy", "reference_model": "r-initial"}
    verdicts = verified(client, "process_reward", *STEPS, **params)
    recipe = {"terms": [term("process_reward", **params)], "shaping": ["tokens"], **UNBOUNDED}
    found = rewarded(client, recipe, *STEPS).rewards
    assert [one.token_rewards for one in found] == [numbers(one, "token_scores") for one in verdicts]
    told = [[list(span) for span in one.token_spans or []] for one in found]
    assert told == [one.evidence["token_spans"] for one in verdicts]
    assert [sum(one.token_rewards or []) for one in found] == pytest.approx(values(found), abs=TOLERANCE)


def test_an_ensemble_is_paid_less_where_it_disagrees(client: Client) -> None:
    params: dict[str, object] = {"model": "r-reward-0", "ensemble": ["r-reward-1", "r-reward-2"]}
    members = [numbers(one, "scores") for one in verified(client, "reward_model", *STEPS, **params)]
    wanted = {"uwo": [fmean(one) - 0.5 * pvariance(one) for one in members], "wco": [min(one) for one in members]}
    for form, worth in wanted.items():
        recipe = {"terms": [term("reward_model", **params)], "shaping": [{"ensemble": {"form": form}}], **UNBOUNDED}
        assert values(rewarded(client, recipe, *STEPS).rewards) == pytest.approx(worth, abs=TOLERANCE)
