"""What ``trueward train`` of the client calls, where the trainer is installed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pydantic import JsonValue

from trueward_trainer.example import write_example

__all__ = ["train", "write_example"]


def train(config: Path, changes: Mapping[str, JsonValue], *, resume: bool) -> None:
    """Trains as the file says, with changes by the names of its fields (``update.lr``)."""
    from transformers.utils import logging

    from trueward_trainer import training
    from trueward_trainer.config import load

    logging.disable_progress_bar()  # of every load and save: the lines of the steps are the progress
    training.train(load(config, changes), resume=resume)
