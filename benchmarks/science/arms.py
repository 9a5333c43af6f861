"""Arms of an experiment: the same policy, prompts and seed, trained on the rewards of different recipes.

Each prompt of a training is new (prompts x steps distinct ones), so the responses of a step are also a test: curves
are of what was sampled in training, judged by the benchmark and not by the recipe.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from pathlib import Path

from pydantic import JsonValue
from rich.console import Console

from benchmarks import digits
from benchmarks.science.toy import Start, Toy, some
from trueward_trainer.config import TrainConfig
from trueward_trainer.training import train

Recipe = str | Mapping[str, JsonValue]
Changes = Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Setting:
    """What all arms share. ``update`` is that of the trainer's configuration (docs/rlvr.md)."""

    steps: int
    update: Changes
    prompts: int = 32
    group: int = 8
    temperature: float = 1.0

    def of(self, steps: int | None) -> Setting:
        """The same with another number of steps; None leaves it."""
        return self if steps is None else replace(self, steps=steps)


@dataclass(frozen=True, slots=True)
class Arm:
    """``changes`` are made to the configuration of the training, part by part: ``{"update": {"lr": 1e-3}}``."""

    name: str
    recipe: Recipe
    changes: Changes = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Completion:
    """A response of the training, and what the service said of it."""

    step: int
    prompt: str
    reference: str
    response: str
    reward: float | None
    outcome: str


@dataclass(frozen=True, slots=True)
class Run:
    """``metrics`` are the lines of ``metrics.jsonl``; ``folder`` has all that the trainer left."""

    arm: str
    seed: int
    seconds: float
    folder: Path
    completions: list[Completion]
    metrics: list[dict[str, float]]

    @property
    def missing(self) -> int:
        """Responses without a reward."""
        return sum(one.reward is None for one in self.completions)

    def curve(self, measure: Callable[[Completion], float | None]) -> list[float]:
        """The mean of the measure at each step; a response that it gives None for is left out, a step without any
        counts as 0."""
        found: dict[int, list[float]] = {}
        for one in self.completions:
            value = measure(one)
            found.setdefault(one.step, []).extend([] if value is None else [value])
        return [sum(values) / len(values) if values else 0.0 for _, values in sorted(found.items())]

    def summary(self, points: int = 10, **measures: Callable[[Completion], float | None]) -> dict[str, object]:
        """What a document keeps of a run: of each measure the means of so many equal stretches of the training."""
        said: dict[str, object] = {"arm": self.arm, "seed": self.seed, "seconds": self.seconds, "missing": self.missing}
        return said | {name: stretches(self.curve(measure), points) for name, measure in measures.items()}


def late(curve: Sequence[float], steps: int = 10) -> float:
    """The mean over the last steps: 2,560 responses where a step has 256."""
    last = curve[-steps:]
    return sum(last) / len(last)


def stretches(curve: Sequence[float], points: int) -> list[float]:
    """The means of ``points`` stretches of a curve, or the curve where it is shorter."""
    count = min(points, len(curve))
    cuts = [place * len(curve) // count for place in range(count + 1)]
    return [round(sum(curve[a:b]) / (b - a), 4) for a, b in pairwise(cuts)]


def learn(toy: Toy, start: Start, setting: Setting, arm: Arm, seed: int, url: str, scratch: Path) -> Run:
    """Trains one arm in ``scratch/<arm>-<seed>``, which must be new. Raises :mod:`trueward.errors`."""
    folder = scratch / f"{arm.name}-{seed}"
    asked = some(toy, "train", seed, setting.prompts * setting.steps)
    config = TrainConfig.model_validate(configuration(toy, start, setting, arm, seed, url, folder, asked))
    began = time.perf_counter()
    train(config, console=Console(quiet=True))
    seconds = time.perf_counter() - began
    references = dict(asked)
    lines = [json.loads(line) for line in (config.out / "completions.jsonl").read_text().split("\n")[:-1]]
    said = [
        Completion(
            one["step"], one["prompt"], references[one["prompt"]], one["response"], one["reward"], one["outcome"]
        )
        for one in lines
        if one["split"] == "train"
    ]
    metrics = [json.loads(line) for line in (config.out / "metrics.jsonl").read_text().split("\n")[:-1]]
    return Run(arm.name, seed, round(seconds, 1), config.out, said, metrics)


def configuration(
    toy: Toy,
    start: Start,
    setting: Setting,
    arm: Arm,
    seed: int,
    url: str,
    folder: Path,
    asked: Sequence[digits.Pair],
) -> dict[str, JsonValue]:
    folder.mkdir(parents=True)
    prompts = digits.write_prompts(folder / "train.jsonl", asked)
    recipe: JsonValue = arm.recipe if isinstance(arm.recipe, str) else dict(arm.recipe)
    shared: dict[str, JsonValue] = {
        "model": str(start.folder),
        "prompts": {"file": str(prompts)},
        "service": {"url": url, "recipe": recipe},
        "out": str(folder / "out"),
        "steps": setting.steps,
        "seed": seed,
        "rollout": {
            "prompts": setting.prompts,
            "group": setting.group,
            "prompts_at_once": setting.prompts,
            "max_new_tokens": toy.longest + 1,
            "temperature": setting.temperature,
            "template": "plain",
        },
        "update": {"micro_batch": setting.prompts * setting.group, **setting.update},
        "checkpoints": {"every": setting.steps, "keep": 1},
    }
    return changed(shared, arm.changes)


def changed(said: Changes, changes: Changes) -> dict[str, JsonValue]:
    """A copy with the changes made, mapping by mapping."""
    found = dict(said)
    for name, value in changes.items():
        before = found.get(name)
        both = isinstance(before, dict) and isinstance(value, dict)
        found[name] = changed(before, value) if both else value  # type: ignore[arg-type]
    return found
