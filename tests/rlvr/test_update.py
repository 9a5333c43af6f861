"""One update: what learns, what does not, and that parts add up."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from tests.rlvr.toys import alike, config, experience, state
from trueward.rlvr.config import TrainConfig
from trueward.rlvr.policy import Policy
from trueward.rlvr.update import Learnt, Updater

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
