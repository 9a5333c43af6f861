"""Does the bundled trainer learn from rewards over HTTP, on one core?

``python -m benchmarks.learning [--short | --long]``.

A two-layer transformer of 128 dimensions is warmed up with answers until its greedy accuracy on held-out prompts is
between 20 and 30% (the run fails where it is not), then it learns by GRPO from the verifier ``exact`` of a service in
a process of its own. Sorting four digits has an aim: over 80% greedy and sampled accuracy within ten minutes, three
seeds of three. Reversed addition of three digits is reported the same way, whatever it gives, and so is the control:
the same training on the toss of a coin.
"""

from __future__ import annotations

import json
import os
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from rich.console import Console

from benchmarks import digits, servers
from benchmarks.digits import Task
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward_trainer.config import TrainConfig
from trueward_trainer.training import train

LIMIT_S = 600.0
AIM = 0.8
SEEDS = (1, 2, 3)


@dataclass(frozen=True, slots=True)
class Scale:
    seeds: Sequence[int]
    steps: int
    adding_steps: int
    control_steps: int


SCALES: dict[Form, Scale] = {
    "short": Scale((1,), 3, 0, 0),
    "quick": Scale((1,), 120, 0, 0),
    "long": Scale(SEEDS, 300, 400, 100),
}


@dataclass(frozen=True, slots=True)
class Point:
    step: int
    greedy: float
    sampled: float


@dataclass(frozen=True, slots=True)
class Learning:
    """``seconds`` of the training with its evaluations, ``cpu_s`` of this process; ``curve`` on held-out prompts."""

    task: str
    seed: int
    control: bool
    warm_up_steps: int
    warm_up_greedy: float
    seconds: float
    cpu_s: float
    curve: list[Point]

    @property
    def reached(self) -> bool:
        last = self.curve[-1]
        return last.greedy > AIM and last.sampled > AIM and self.seconds < LIMIT_S


def learn(task: Task, seed: int, steps: int, url: str, scratch: Path, *, control: bool = False) -> Learning:
    warm = digits.warmed_up(task, scratch / "warm", seed)
    config = TrainConfig.model_validate(settings(task, seed, steps, url, scratch, warm.folder, control))
    started, used = time.perf_counter(), time.process_time()
    train(config, console=Console(quiet=True))
    seconds, cpu_s = time.perf_counter() - started, time.process_time() - used
    lines = [json.loads(line) for line in (config.out / "metrics.jsonl").read_text().splitlines()]
    curve = [Point(one["step"], one["eval/greedy"], one["eval/pass@1"]) for one in lines if "eval/greedy" in one]
    return Learning(task.name, seed, control, warm.steps, warm.accuracy, seconds, cpu_s, curve)


def settings(
    task: Task, seed: int, steps: int, url: str, scratch: Path, model: Path, control: bool = False
) -> dict[str, object]:
    """The configuration of one training; evaluated on prompts that neither warm-up nor training sees."""
    scratch.mkdir(parents=True, exist_ok=True)
    taught = digits.write_prompts(scratch / "train.jsonl", digits.some(task, seed + 1_000, False, 8_192))
    held_out = digits.write_prompts(scratch / "held_out.jsonl", digits.some(task, seed, True, digits.HELD_OUT))
    return {
        "model": str(model),
        "prompts": {"file": str(taught)},
        "service": {"url": url, "recipe": "exact"},
        "out": str(scratch / "out"),
        "steps": steps,
        "seed": seed,
        "control": "random" if control else None,
        "rollout": {
            "prompts": 32,
            "group": 16,
            "prompts_at_once": 32,
            "max_new_tokens": task.length + 1,
            "template": "plain",
        },
        "update": {"loss": "grpo", "advantages": "grpo", "lr": 3e-4, "warmup": 20, "micro_batch": 512},
        "evaluation": {"prompts": {"file": str(held_out)}, "every": max(1, steps // 10), "samples": 4, "k": 4},
        "checkpoints": {"every": steps, "keep": 1},
    }


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("learning", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    torch.set_num_threads(1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    found = measured(scale)
    rows(
        "Held-out accuracy",
        ["task", "seed", "steps", "greedy before", "greedy", "sampled before", "sampled", "seconds", "CPU s"],
        [
            [
                one.task + (", coin" if one.control else ""),
                str(one.seed),
                str(one.curve[-1].step),
                f"{one.curve[0].greedy:.3f}",
                f"{one.curve[-1].greedy:.3f}",
                f"{one.curve[0].sampled:.3f}",
                f"{one.curve[-1].sampled:.3f}",
                f"{one.seconds:.0f}",
                f"{one.cpu_s:.0f}",
            ]
            for one in found
        ],
    )
    sorting = [one for one in found if one.task == digits.SORTING.name and not one.control]
    reached = sum(one.reached for one in sorting)
    aims = [
        Aim(
            "seeds that learn to sort: over 80% greedy and sampled, in ten minutes on one core",
            f"{len(sorting)} of {len(sorting)}",
            f"{reached} of {len(sorting)}",
            reached == len(sorting) if call.form == "long" else None,
            "three or 120 steps in the short forms" if call.form != "long" else "steps, and what else the core does",
        )
    ]
    show_aims(aims)
    in_range = all(0.2 <= one.warm_up_greedy <= 0.3 for one in found)
    claims = {"every warm-up ends with 20 to 30% greedy accuracy": in_range}
    finish("learning", call, {"scale": scale, "learnt": found, "aims": aims}, claims)


def measured(scale: Scale) -> list[Learning]:
    plan = [
        (digits.SORTING, scale.steps, False),
        (digits.SORTING, scale.control_steps, True),
        (digits.ADDING, scale.adding_steps, False),
    ]
    found = []
    with servers.trueward(workers=1) as server, tempfile.TemporaryDirectory() as scratch:
        for task, steps, control in plan:
            for seed in scale.seeds if steps else ():
                folder = Path(scratch) / f"{task.name}-{seed}-{control}"
                found.append(learn(task, seed, steps, server.url, folder, control=control))
                print(found[-1], flush=True)
    return found


if __name__ == "__main__":
    main()
