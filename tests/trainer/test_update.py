"""One update: what learns, what does not, and that parts add up."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from tests.trainer.toys import alike, config, experience, state
from trueward_trainer.config import TrainConfig
from trueward_trainer.policy import Policy
from trueward_trainer.update import Learnt, Updater

MIXED: list[list[float | None]] = [[1.0, 0.0, 0.0, 1.0, 0.0], [0.0, 1.0, None, 0.0, 1.0]]


def learn(said: TrainConfig, groups: list[list[float | None]], step: int = 0) -> tuple[Learnt, dict[str, torch.Tensor]]:
    policy = Policy(said)
    return Updater(said, policy).learn(experience(groups), step), state(policy.model)


def sgd(**changes: object) -> dict[str, object]:
    return {"optimiser": "sgd", "lr": 0.1, **changes}


def test_a_missing_reward_has_advantage_0_and_enters_no_statistic(tmp_path: Path) -> None:
    said = config(tmp_path, update=sgd(advantages="dr_grpo"))
    learnt, _ = learn(said, MIXED)
    assert learnt.advantages == pytest.approx([0.6, -0.4, -0.4, 0.6, -0.4, -0.5, 0.5, 0.0, -0.5, 0.5])


def test_a_missing_response_moves_no_weight(tmp_path: Path) -> None:
    """Whatever it says: only its place in the batch is left."""
    said = config(tmp_path, update=sgd())
    policy = Policy(said)
    seen = experience(MIXED)
    other = experience(MIXED)
    other.groups[1].responses[2].tokens[:] = [9] * len(other.groups[1].responses[2].tokens)
    Updater(said, policy).learn(seen, 0)
    same = Policy(said)
    Updater(said, same).learn(other, 0)
    assert alike(state(policy.model), state(same.model))


@pytest.mark.parametrize("groups", [[[None, None], [None, None]], [[1.0, 1.0], [0.0, 0.0]]])
def test_a_step_without_advantages_changes_nothing(tmp_path: Path, groups: list[list[float | None]]) -> None:
    said = config(tmp_path, update={"lr": 0.1, "weight_decay": 0.1})
    learnt, after = learn(said, groups)
    assert learnt.metrics["skipped"] == 1
    assert alike(after, state(Policy(said).model))


def test_what_is_drawn_is_what_moves(tmp_path: Path) -> None:
    """Advantages are those of the whole group; a response that is not drawn teaches nothing."""
    said = config(tmp_path, update=sgd())
    found = []
    for other in (9, 5):
        seen = experience([[1.0, 0.0, 0.0, 0.5]])
        seen.groups[0] = replace(seen.groups[0], draw=[1.0, 0.0, 0.0, 0.0])
        seen.groups[0].responses[1].tokens[:] = [other] * len(seen.groups[0].responses[1].tokens)
        policy = Policy(said)
        learnt = Updater(said, policy).learn(seen, 0)
        found.append(state(policy.model))
        assert learnt.metrics["drawn_share"] == 0.25
        assert learnt.advantages == pytest.approx([1.306, -0.783, -0.783, 0.261], abs=1e-3)
    assert alike(*found)
    assert not alike(found[0], learn(said, [[1.0, 0.0, 0.0, 0.5]])[1])


@pytest.mark.parametrize("loss", ["grpo", "dapo", "real"])
def test_parts_of_any_size_make_the_same_update(tmp_path: Path, loss: str) -> None:
    advantages = "labels" if loss == "real" else "grpo"
    found = []
    for size in (1, 3, 64):
        said = config(tmp_path, update=sgd(loss=loss, advantages=advantages, micro_batch=size, clip_norm=1e9))
        learnt, after = learn(said, MIXED)
        found.append((learnt.metrics, after))
    for metrics, after in found[:2]:
        assert metrics["loss"] == pytest.approx(found[2][0]["loss"], abs=1e-5)
        assert metrics["grad_norm"] == pytest.approx(found[2][0]["grad_norm"], rel=1e-4)
        for name, tensor in after.items():
            torch.testing.assert_close(tensor, found[2][1][name], rtol=1e-4, atol=1e-6)


def test_good_responses_become_likelier(tmp_path: Path) -> None:
    said = config(tmp_path, update=sgd())
    policy, seen = Policy(said), experience([[1.0, 0.0, 0.0, 0.0]])
    ids, mask = torch.tensor([[4, 13, 2]]), torch.tensor([[0.0, 0.0, 1.0]])
    before = policy.logprobs(ids, mask, 1.0).sum().item()
    Updater(said, policy).learn(seen, 0)
    assert policy.logprobs(ids, mask, 1.0).sum().item() > before + 1e-3


def test_the_learning_rate_rises_over_the_warm_up(tmp_path: Path) -> None:
    said = config(tmp_path, update={"lr": 0.1, "warmup": 4})
    rates = [learn(said, MIXED, step)[0].metrics["lr"] for step in (0, 1, 3, 10)]
    assert rates == pytest.approx([0.025, 0.05, 0.1, 0.1])


def test_a_kl_term_holds_the_policy_back(tmp_path: Path) -> None:
    found = []
    for kl in (0.0, 1.0):
        said = config(tmp_path, update=sgd(lr=0.01, epochs=8, clip_norm=1e9, settings={"kl": kl, "kl_estimator": "k2"}))
        policy = Policy(said, reference=True)
        fresh = state(policy.model)
        Updater(said, policy).learn(experience(MIXED), 0)
        moved = state(policy.model)
        found.append(sum(float((moved[name] - fresh[name]).square().sum()) for name in moved))
    assert found[1] < found[0]


def test_bfloat16_keeps_float32_weights(tmp_path: Path) -> None:
    said = config(tmp_path, dtype="bfloat16")
    learnt, after = learn(said, MIXED)
    assert {tensor.dtype for tensor in after.values()} == {torch.float32}
    assert learnt.metrics["skipped"] == 0


def test_a_hinted_response_is_corrected_by_its_ratio(tmp_path: Path) -> None:
    """``-min(r A, clip(r) A)`` with ``r = p(response | prompt) / p(response | hinted prompt)``, by hand."""
    said = config(tmp_path, update=sgd(loss="ppo", advantages="dr_grpo", clip_norm=1e9))
    policy, seen = Policy(said), experience([[1.0, 0.0]])
    group = seen.groups[0]
    hinted = [*group.responses[0].prompt_ids[:1], 7, 9, 8, *group.responses[0].prompt_ids[1:]]
    helped = replace(
        seen, groups=[replace(group, responses=[replace(group.responses[0], hinted_ids=hinted), group.responses[1]])]
    )

    def logp(prompt: list[int], tokens: list[int]) -> list[float]:
        ids = torch.tensor([[*prompt, *tokens]])
        logits = policy.model(input_ids=ids).logits[0].log_softmax(-1).detach()
        return [float(logits[len(prompt) - 1 + place, token]) for place, token in enumerate(tokens)]

    def losses(prompt: list[int], behaviour: list[int], tokens: list[int], advantage: float) -> list[float]:
        ratios = [math.exp(a - b) for a, b in zip(logp(prompt, tokens), logp(behaviour, tokens), strict=True)]
        return [-min(r * advantage, min(max(r, 0.8), 1.2) * advantage) for r in ratios]

    one, other = group.responses
    by_hand = [
        *losses(one.prompt_ids, hinted, one.tokens, 0.5),
        *losses(other.prompt_ids, other.prompt_ids, other.tokens, -0.5),
    ]
    assert abs(by_hand[0] + 0.5) > 1e-3, "the hint changes nothing"
    learnt = Updater(said, policy).learn(helped, 0)
    assert learnt.metrics["policy_loss"] == pytest.approx(sum(by_hand) / len(by_hand), abs=1e-6)
    plain = Updater(said, Policy(said)).learn(seen, 0)
    assert plain.metrics["policy_loss"] == pytest.approx(
        (-0.5 * len(one.tokens) + 0.5 * len(other.tokens)) / len(by_hand)
    )


def test_the_gradient_of_a_hinted_response_is_that_of_the_prompt_without_the_hint(tmp_path: Path) -> None:
    """Its size is that of the ratio: with a ratio of 1 it would be that of the response without a hint."""
    said = config(tmp_path, update=sgd(loss="ppo", advantages="raw", clip_norm=1e9, settings={"clip_high": 1e9}))
    policy = Policy(said)
    seen = experience([[1.0]])
    [response] = seen.groups[0].responses
    hinted = [*response.prompt_ids, 7, 9, 8]
    helped = replace(seen, groups=[replace(seen.groups[0], responses=[replace(response, hinted_ids=hinted)])])

    def once(prompt: list[int]) -> float:
        ids, mask = torch.tensor([[*prompt, *response.tokens]]), torch.tensor([[0.0] * len(prompt) + [1.0]])
        return float(policy.logprobs(ids, mask, 1.0).sum().detach())

    assert len(response.tokens) == 1
    ratio = math.exp(once(response.prompt_ids) - once(hinted))
    with_hint = Updater(said, Policy(said)).learn(helped, 0).metrics
    without = Updater(said, Policy(said)).learn(seen, 0).metrics
    assert with_hint["grad_norm"] == pytest.approx(ratio * without["grad_norm"], rel=1e-4)
