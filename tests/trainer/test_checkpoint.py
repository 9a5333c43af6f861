"""A checkpoint is whole or not there, the newest are kept, and every generator goes on where it was."""

from __future__ import annotations

import random
from pathlib import Path

import numpy
import torch

from tests.trainer.toys import alike, config, experience, state
from trueward_trainer import checkpoint
from trueward_trainer.checkpoint import TrainingProgress
from trueward_trainer.policy import Policy
from trueward_trainer.update import Updater

GROUPS = [[1.0, 0.0, 0.0, 1.0], [0.0, 1.0, 0.0, 0.0]]


def drawn() -> tuple[float, float, float]:
    return random.random(), float(numpy.random.random()), float(torch.rand(()))


def test_weights_optimiser_and_generators_go_on(tmp_path: Path) -> None:
    said = config(tmp_path)
    policy = Policy(said)
    updater = Updater(said, policy)
    updater.learn(experience(GROUPS), 0)
    path = checkpoint.save(tmp_path / "kept", TrainingProgress(1, 4), policy, updater.optimiser, keep=1)
    numbers = drawn()
    updater.learn(experience(GROUPS), 1)

    restored = Policy(said, path)
    again = Updater(said, restored)
    assert checkpoint.restore(path, again.optimiser) == TrainingProgress(1, 4)
    assert drawn() == numbers
    again.learn(experience(GROUPS), 1)
    assert alike(state(policy.model), state(restored.model))


def test_the_newest_are_kept(tmp_path: Path) -> None:
    said = config(tmp_path)
    policy = Policy(said)
    optimiser = Updater(said, policy).optimiser
    for step in (1, 9, 10):
        checkpoint.save(tmp_path / "kept", TrainingProgress(step), policy, optimiser, keep=2)
    assert [path.name for path in sorted((tmp_path / "kept").iterdir())] == ["step-00000009", "step-00000010"]
    assert checkpoint.latest(tmp_path / "kept") == tmp_path / "kept/step-00000010"


def test_what_a_kill_left_unfinished_is_not_gone_on_with(tmp_path: Path) -> None:
    (tmp_path / "unfinished-00000003").mkdir()
    assert checkpoint.latest(tmp_path) is None
    assert checkpoint.latest(tmp_path / "none") is None
