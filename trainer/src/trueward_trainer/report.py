"""What a training leaves: ``metrics.jsonl`` (a line a step), ``completions.jsonl`` (what was said, and its reward), a
line on the terminal, and the :mod:`trueward.sinks` that the configuration names.

A training that goes on takes out of its files what comes after the step that it goes on from: each step is there once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Self

from pydantic import JsonValue
from rich.console import Console

from trueward.sinks.names import number_name, shorten
from trueward.sinks.registry import open_sink
from trueward.sinks.sink import Row
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward_trainer.config import TrainConfig
from trueward_trainer.rollout import Response

_SHOWN = ("reward", "accuracy", "missing", "length", "loss", "eval/greedy", "eval/pass@1", "wait_s")
_ROWS = 4
"""Responses of a step that sinks show."""


class Report:
    """``step`` is the number of updates before what is reported."""

    def __init__(self, config: TrainConfig, start: int, console: Console | None = None) -> None:
        self._steps = config.steps
        self._console = console or Console(highlight=False, soft_wrap=True)
        self._metrics = config.out / "metrics.jsonl"
        self._completions = config.out / "completions.jsonl"
        for path in (self._metrics, self._completions):
            _cut(path, start)
        run = config.service.run or config.out.name
        said = config.model_dump(mode="json", exclude={"service": {"url"}})  # a URL may hold a key
        self._sinks = [open_sink(spec, run, config.out, said) for spec in config.sinks]

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *failure: object) -> None:
        for sink in self._sinks:
            sink.close()

    def metrics(self, step: int, metrics: Mapping[str, float]) -> None:
        _append(self._metrics, [{"step": step, **metrics}])
        for sink in self._sinks:
            sink.record(step, {number_name(name): value for name, value in metrics.items()})
        line = "  ".join(f"{name} {metrics[name]:.3f}" for name in _SHOWN if name in metrics)
        self._console.print(f"step {step}/{self._steps}  {line}", markup=False)

    def notes(self, notes: Sequence[str]) -> None:
        """What whoever trains should know before the run has cost much."""
        for note in notes:
            self._console.print(f"note: {note}", markup=False)

    def completions(
        self,
        step: int,
        split: str,
        prompts: Sequence[Sample],
        responses: Sequence[Response],
        rewards: Sequence[Reward],
        advantages: Sequence[float] = (),
    ) -> None:
        """A line a response: the prompt, the response, its reward and why; groups lie side by side."""
        size = len(responses) // len(prompts)
        lines: list[Mapping[str, JsonValue]] = []
        for place, (response, reward) in enumerate(zip(responses, rewards, strict=True)):
            line: dict[str, JsonValue] = {
                "step": step,
                "split": split,
                "prompt": prompts[place // size].prompt_text,
                "response": response.text,
                "finish_reason": response.finish_reason,
                "hinted": response.hinted_ids is not None,
                "reward": reward.reward,
                "outcome": reward.outcome.value,
                "reason_code": reward.reason_code,
                "components": dict(reward.components),
                "record": reward.record,
            }
            lines.append(line | ({"advantage": advantages[place]} if advantages else {}))
        _append(self._completions, lines)
        for sink in self._sinks:
            rows = zip(responses[:_ROWS], rewards[:_ROWS], strict=True)
            sink.table(step, [_row(prompts[place // size], *said) for place, said in enumerate(rows)])


def _row(prompt: Sample, response: Response, reward: Reward) -> Row:
    texts = (shorten(reward.reason), shorten(prompt.prompt_text), shorten(response.text))
    return Row(reward.record or "", reward.outcome.value, reward.reward, reward.reason_code, *texts)


def _append(path: Path, lines: Sequence[Mapping[str, JsonValue]]) -> None:
    with path.open("a", encoding="utf-8") as file:
        file.writelines(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)


def _cut(path: Path, start: int) -> None:
    """Keeps the lines of the steps before ``start``; a line that a kill cut off is not kept either."""
    if not path.exists():
        return
    with path.open(encoding="utf-8", newline="\n") as file:  # not splitlines: responses hold other ends of lines
        whole = [line for line in file if line.endswith("\n")]
    kept = [line for line in whole if json.loads(line)["step"] < start]
    path.write_text("".join(kept), encoding="utf-8")
