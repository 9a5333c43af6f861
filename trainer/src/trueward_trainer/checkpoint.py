"""Where a training can go on from: weights, optimiser, step, place in the data, and the state of every generator.

A checkpoint is a folder ``step-<n>`` that appears whole or not at all, with the weights as transformers loads them.
What goes on from it gets the same numbers as what never stopped: on a CPU bit for bit, with the same number of threads.
Sampling has a generator of its own that is seeded by the step; those kept here are the global ones.
"""

from __future__ import annotations

import json
import random
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy
import torch

from trueward_trainer.policy import Policy

_STATE, _OPTIMISER = "training.json", "optimiser.pt"


@dataclass(frozen=True, slots=True)
class TrainingProgress:
    """``step`` updates are done; ``position`` prompts were taken."""

    step: int = 0
    position: int = 0


def save(folder: Path, progress: TrainingProgress, policy: Policy, optimiser: torch.optim.Optimizer, keep: int) -> Path:
    """Writes a checkpoint and removes all but the ``keep`` newest."""
    path = folder / f"step-{progress.step:08d}"
    unfinished = folder / f"unfinished-{progress.step:08d}"
    for left in (unfinished, path):
        shutil.rmtree(left, ignore_errors=True)
    unfinished.mkdir(parents=True)
    policy.save(unfinished)
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_available() else []
    torch.save(
        {"optimiser": optimiser.state_dict(), "torch": torch.get_rng_state(), "cuda": cuda}, unfinished / _OPTIMISER
    )
    (unfinished / _STATE).write_text(json.dumps({**asdict(progress), "python": random.getstate(), "numpy": _numpy()}))
    unfinished.rename(path)
    for old in _all(folder)[:-keep]:
        shutil.rmtree(old)
    return path


def latest(folder: Path) -> Path | None:
    """The newest checkpoint; None where there is none."""
    found = _all(folder)
    return found[-1] if found else None


def restore(path: Path, optimiser: torch.optim.Optimizer) -> TrainingProgress:
    """Sets optimiser and generators to what they were; the weights are loaded with the policy."""
    kept = torch.load(path / _OPTIMISER, map_location="cpu", weights_only=True)
    optimiser.load_state_dict(kept["optimiser"])
    torch.set_rng_state(kept["torch"])
    if kept["cuda"] and torch.cuda.is_available():
        torch.cuda.set_rng_state_all(kept["cuda"])
    state = json.loads((path / _STATE).read_text())
    version, words, gauss = state["python"]
    random.setstate((version, tuple(words), gauss))
    name, keys, *rest = state["numpy"]
    numpy.random.set_state((name, numpy.array(keys, dtype=numpy.uint32), *rest))
    return TrainingProgress(state["step"], state["position"])


def _all(folder: Path) -> list[Path]:
    return sorted(folder.glob("step-*"))


def _numpy() -> list[object]:
    name, keys, *rest = numpy.random.get_state(legacy=True)
    return [name, [int(key) for key in keys], *rest]
