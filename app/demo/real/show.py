"""What a training left in its folder, read for a person."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from audits.statistics.proportion import wilson
from trueward_trainer.example import HELD_OUT


@dataclass(frozen=True, slots=True)
class LearningCurve:
    """Greedy accuracy on held-out prompts by step; ``wait_share`` is the share of its time that rewards took."""

    greedy: Mapping[int, float]
    step_s: float
    wait_share: float


def curve(out: Path) -> LearningCurve:
    """Of a training that is over: its evaluations, seconds of its median step, and the share of waiting for rewards."""
    lines = _lines(out / "metrics.jsonl")
    steps = [line for line in lines if "seconds" in line]
    seconds = sorted(line["seconds"] for line in steps)
    return LearningCurve(
        greedy={line["step"]: line["eval/greedy"] for line in lines if "eval/greedy" in line},
        step_s=seconds[len(seconds) // 2],
        wait_share=sum(line["wait_s"] for line in steps) / sum(seconds),
    )


def table(curves: Mapping[str, LearningCurve], run: str) -> Table:
    found = Table(title=f"Right answers on {HELD_OUT} held-out sums, greedy, with 95% intervals", title_justify="left")
    for place, name in enumerate(("learnt from", "before", "after", "a step", "waiting for rewards")):
        found.add_column(name, justify="right" if place else "left")
    for name, one in curves.items():
        first, last = one.greedy[min(one.greedy)], one.greedy[max(one.greedy)]
        learnt = "the recipe math" if name == run else "a coin"
        found.add_row(learnt, _share(first), _share(last), f"{one.step_s:.1f} s", f"{one.wait_share:.1%}")
    return found


def show_responses(console: Console, out: Path) -> None:
    """Three responses that were learnt from: right, wrong, and the last one of another reason, where there is one."""
    lines = [line for line in _lines(out / "completions.jsonl") if line["split"] == "train"]
    chosen: dict[str, dict[str, Any]] = {}
    for line in lines:
        chosen.setdefault(f"{line['outcome']}/{line['reason_code']}", line)
    for line in list(chosen.values())[:3]:
        asked = line["prompt"].splitlines()[-1]
        text = f"  {asked} {line['response']!r}: reward {line['reward']:g}, {line['outcome']} ({line['reason_code']})"
        console.print(escape(text))


def _share(share: float) -> str:
    low, high = wilson(round(share * HELD_OUT), HELD_OUT)
    return f"{share:.1%} [{low:.0%}, {high:.0%}]"


def _lines(path: Path) -> Sequence[dict[str, Any]]:
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
