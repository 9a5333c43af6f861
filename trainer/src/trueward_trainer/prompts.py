"""What the policy is asked: samples without a response, and the order in which a training goes through them.

The order is a function of the seed and the position alone, so a training that goes on needs the position, and nothing
else. Every epoch has its own order; no prompt comes twice in one.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

from pydantic import JsonValue, ValidationError

from trueward.errors import InvalidRequest, NotInstalled
from trueward.wire.sample import Sample
from trueward_trainer.config import Source


def read_prompts(source: Source) -> list[Sample]:
    """Raises :class:`InvalidRequest` naming the line that is no prompt."""
    found = _from_file(source.file) if source.file is not None else _from_library(source)
    if not found:
        raise InvalidRequest(f"{source.file or source.reasoning_gym} has no prompts")
    return found


class Order:
    """Which prompts come at which position: one shuffle of ``count`` an epoch."""

    def __init__(self, count: int, seed: int) -> None:
        self._count = count
        self._shuffled = lru_cache(maxsize=2)(lambda epoch: _shuffled(count, f"{seed}/{epoch}"))

    def take(self, position: int, count: int) -> list[int]:
        """Places of the ``count`` prompts from ``position`` on."""
        return [self._at(position + offset) for offset in range(count)]

    def _at(self, position: int) -> int:
        epoch, place = divmod(position, self._count)
        return self._shuffled(epoch)[place]


def _shuffled(count: int, seed: str) -> Sequence[int]:
    order = list(range(count))
    random.Random(seed).shuffle(order)
    return order


def _from_file(path: Path) -> list[Sample]:
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as failure:
        raise InvalidRequest(f"the prompts cannot be read: {path}: {failure}") from failure
    return [_prompt(line, f"{path}, line {number}") for number, line in enumerate(lines, 1) if line.strip()]


def _prompt(line: str, where: str) -> Sample:
    try:
        prompt = Sample.model_validate_json(line)
    except ValidationError as refusal:
        first = refusal.errors()[0]
        name = ".".join(map(str, first["loc"]))
        raise InvalidRequest(f"{where}: {name + ': ' if name else ''}{first['msg']}") from refusal
    if prompt.prompt is None or prompt.response is not None:
        raise InvalidRequest(f"{where}: a line has a prompt and no response; the policy writes that")
    if prompt.id is not None or prompt.group is not None:
        raise InvalidRequest(f"{where}: id and group are the trainer's to give")
    return prompt


def _from_library(source: Source) -> list[Sample]:
    try:
        import reasoning_gym
    except ImportError as missing:
        raise NotInstalled("prompts of reasoning_gym need `pip install reasoning-gym==0.1.25`") from missing
    name = source.reasoning_gym
    try:
        made = reasoning_gym.create_dataset(name, size=source.size, seed=source.seed, **source.config)
    except (ValueError, TypeError, AssertionError) as refusal:
        raise InvalidRequest(f"reasoning-gym makes no data set {name!r}: {refusal}") from refusal
    config: dict[str, JsonValue] = {**source.config, "seed": source.seed, "size": source.size}
    return [
        Sample(prompt=made[index]["question"], reference={"dataset": name, "config": config, "index": index})
        for index in range(source.size)
    ]
