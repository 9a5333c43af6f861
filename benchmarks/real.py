"""Does a real language model learn from rewards over HTTP, and from a coin not?

``python -m benchmarks.real [--short | --long]``, after ``make real``.

SmolLM2-135M-Instruct learns the sums of ``trueward train --example`` by the recipe ``math``, from a service in a
process of its own; every seed is trained once more on the toss of a coin. Told by step: greedy accuracy and pass@1 on
held-out prompts, with intervals over all seeds' prompts, and the share of its time that a training waited for rewards.
The model and its tokenizer are others'; task and prompts are our own.
"""

from __future__ import annotations

import json
import platform
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean, median

import torch
from rich.console import Console

from app.demo.real.model import unpack_model
from audits.statistics.proportion import Interval, wilson
from benchmarks import servers
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward_trainer.config import load
from trueward_trainer.example import HELD_OUT, write_example
from trueward_trainer.training import train


@dataclass(frozen=True, slots=True)
class Scale:
    seeds: Sequence[int]
    steps: int
    every: int


SCALES: dict[Form, Scale] = {
    "short": Scale((1,), 2, 2),
    "quick": Scale((1,), 20, 10),
    "long": Scale((1, 2, 3), 40, 5),
}


@dataclass(frozen=True, slots=True)
class Point:
    step: int
    greedy: float
    sampled: float


@dataclass(frozen=True, slots=True)
class Run:
    """``step_s`` is the median step's; ``wait_share`` the share of all steps' time in which rewards were waited for."""

    seed: int
    coin: bool
    seconds: float
    step_s: float
    wait_share: float
    missing: float
    curve: list[Point]


def learn(seed: int, coin: bool, scale: Scale, url: str, model: Path, scratch: Path) -> Run:
    out = scratch / f"{seed}{'-coin' if coin else ''}"
    example = write_example(out, str(model), url)
    changes = {"seed": seed, "steps": scale.steps, "evaluation.every": scale.every, "checkpoints.every": scale.steps}
    started = time.perf_counter()
    train(load(example, {**changes, "control": "random" if coin else None}), console=Console(quiet=True))
    seconds = time.perf_counter() - started
    with (out / "out" / "metrics.jsonl").open(encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    steps = [line for line in lines if "seconds" in line]
    return Run(
        seed=seed,
        coin=coin,
        seconds=seconds,
        step_s=median(line["seconds"] for line in steps),
        wait_share=sum(line["wait_s"] for line in steps) / sum(line["seconds"] for line in steps),
        missing=fmean(line["missing"] for line in steps),
        curve=[
            Point(line["step"], line["eval/greedy"], line["eval/pass@1"]) for line in lines if "eval/greedy" in line
        ],
    )


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("real", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    model = unpack_model()
    found = []
    with servers.trueward(workers=1) as server, tempfile.TemporaryDirectory() as scratch:
        for seed in scale.seeds:
            for coin in (False, True):
                found.append(learn(seed, coin, scale, server.url, model, Path(scratch)))
                print(found[-1], flush=True)
    rows(
        f"Held-out accuracy, {HELD_OUT} prompts a seed",
        ["learnt from", "seed", "steps", "greedy before", "greedy", "pass@1 before", "pass@1", "a step, s", "waiting"],
        [
            [
                "a coin" if one.coin else "math",
                str(one.seed),
                str(one.curve[-1].step),
                f"{one.curve[0].greedy:.3f}",
                f"{one.curve[-1].greedy:.3f}",
                f"{one.curve[0].sampled:.3f}",
                f"{one.curve[-1].sampled:.3f}",
                f"{one.step_s:.2f}",
                f"{one.wait_share:.1%}",
            ]
            for one in found
        ],
    )
    taught, tossed = ([one for one in found if one.coin is coin] for coin in (False, True))
    before, after, coined = greedy(found, 0), greedy(taught, -1), greedy(tossed, -1)
    told = {"before": before, "after math": after, "after a coin": coined}
    rows(
        "Greedy accuracy over all seeds, 95% intervals",
        ["", "from", "to"],
        [[name, f"{ends.low:.3f}", f"{ends.high:.3f}"] for name, ends in told.items()],
    )
    aims = [
        Aim(
            "greedy accuracy after real rewards is above that after a coin",
            "intervals apart",
            f"{after.low:.3f} against {coined.high:.3f}",
            after.low > coined.high if call.form != "short" else None,
            "steps; the short form has two",
        )
    ]
    show_aims(aims)
    claims = {"no reward is missing": all(one.missing == 0 for one in found)}
    document = {"device": device(), "scale": scale, "runs": found, "greedy": told, "aims": aims}
    finish("real", call, document, claims)


def greedy(runs: Sequence[Run], place: int) -> Interval:
    """Wilson's interval of all prompts of all runs, at their first (0) or last (-1) evaluation.

    Before training all runs are one and the same model: one of them counts.
    """
    counted = runs[:1] if place == 0 else runs
    return wilson(sum(round(one.curve[place].greedy * HELD_OUT) for one in counted), HELD_OUT * len(counted))


def device() -> str:
    return torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {platform.machine()}"


if __name__ == "__main__":
    main()
