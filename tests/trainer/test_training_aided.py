"""Whole trainings with a rollout server, and with hints: against a real service, stopped and gone on with."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import digits
from tests.live import Service
from tests.trainer.rollout_server import RolloutServer
from tests.trainer.toys import QUIET, alike, save_policy, state
from tests.trainer.trainings import Stopped, StopsAt, against, lines
from trueward_trainer.policy import Policy
from trueward_trainer.training import train

RARELY = {"range": [0, 1], "terms": [{"verifier": "regex", "params": {"pattern": "7.*7|8.*8", "mode": "search"}}]}
"""What most groups of a policy without any training never do."""


def rollout(**changes: object) -> dict[str, object]:
    said = {"prompts": 4, "group": 4, "prompts_at_once": 2, "max_new_tokens": 3, "template": "plain"}
    return said | changes


def test_a_server_samples_each_step_from_the_weights_that_the_last_one_made(service: Service, tmp_path: Path) -> None:
    """It begins with weights of its own. A step's log-probabilities are those of the policy that is updated."""
    save_policy(tmp_path / "others", seed=9)
    found = []
    for name in ("one", "again"):
        with RolloutServer(tmp_path / "others") as server:
            plan = server.config("sglang", "disk").model_dump()
            said = against(service, tmp_path, steps=2, out=str(tmp_path / name), rollout=rollout(server=plan))
            found.append(state(train(said, console=QUIET).model))
        steps = lines(said.out / "metrics.jsonl")
        assert [line["step"] for line in steps] == [0, 1]
        assert all(float(str(line["sampler_gap"])) < 1e-4 and line["unknown_tokens"] == 0 for line in steps)
        assert len(server.loaded) == 2
    assert alike(*found)
    assert not alike(found[0], state(Policy(said).model))


def test_guessed_tokens_are_counted_and_not_learnt_from(service: Service, tmp_path: Path) -> None:
    with RolloutServer(save_policy(tmp_path / "policy"), tells=[], suffix="?") as server:
        plan = server.config("vllm", "none").model_dump()
        (tmp_path / "prompts.jsonl").unlink(missing_ok=True)
        digits.write_prompts(tmp_path / "prompts.jsonl", [("1=", "1"), ("2=", "2")])
        said = against(service, tmp_path, steps=1, rollout=rollout(server=plan))
        after = train(said, console=QUIET)
    [step] = lines(said.out / "metrics.jsonl")
    assert step["unknown_tokens"] == 1.0
    assert step["reward"] not in (0.0, 1.0)
    assert alike(state(after.model), state(Policy(said).model))


def test_a_training_with_hints_goes_on_bit_for_bit(service: Service, tmp_path: Path) -> None:
    hints = {"kind": "ghpo", "solution": "reference", "levels": [0.5, 0.75], "text": "{hint}"}
    digits.write_prompts(tmp_path / "prompts.jsonl", [(f"{one}=", "7788") for one in range(10, 20)])
    save_policy(tmp_path / "policy")
    whole = against(
        service, tmp_path, RARELY, steps=5, out=str(tmp_path / "whole"), rollout=rollout(hints=hints, max_new_tokens=6)
    )
    straight = train(whole, console=QUIET)
    parts = whole.model_copy(update={"out": tmp_path / "parts"})
    with pytest.raises(Stopped):
        train(parts, console=StopsAt(4))
    assert alike(state(straight.model), state(train(parts, resume=True, console=QUIET).model))
    said = [lines(one.out / "completions.jsonl") for one in (whole, parts)]
    assert [line["response"] for line in said[0]] == [line["response"] for line in said[1]]
    hinted = [line for line in said[0] if line["hinted"]]
    assert hinted
    assert all(str(line["prompt"]).endswith("=") for line in hinted)
    helped = [float(str(line["hints/helped"])) for line in lines(whole.out / "metrics.jsonl")]
    assert len(hinted) == sum(helped) * 16
