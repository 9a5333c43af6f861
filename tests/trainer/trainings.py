"""Whole trainings against a live service: how they are set up, stopped in the middle, and read afterwards."""

from __future__ import annotations

import json
from pathlib import Path

from rich.console import Console

from tests.live import Service
from tests.trainer.toys import config
from trueward_trainer.config import TrainConfig

RECIPE = {"range": [0, 1], "terms": [{"verifier": "regex", "params": {"pattern": "[0-3]", "mode": "search"}}]}
"""What a policy without any training gets right about half of the time."""


def against(service: Service, folder: Path, recipe: object = RECIPE, **changes: object) -> TrainConfig:
    folder.mkdir(parents=True, exist_ok=True)
    return config(folder, service={"url": service.url, "recipe": recipe}, **changes)


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


class Stopped(Exception):
    """What ends a training here in place of a kill."""


class StopsAt(Console):
    """Stops the training when it tells of a step, which is then done."""

    def __init__(self, step: int) -> None:
        super().__init__(quiet=True)
        self._step = step

    def print(self, *objects: object, **options: object) -> None:
        if str(objects[0]).startswith(f"step {self._step}/"):
            raise Stopped
