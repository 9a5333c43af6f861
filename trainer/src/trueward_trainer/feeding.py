"""Whether recipe, prompts and advantages fit: what does not is refused by name, before the first step."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trueward.errors import InvalidRequest
from trueward.wire.sample import Sample
from trueward_trainer.config import TrainConfig
from trueward_trainer.credit import FIELDS, PARTS, no_parts

SENT = frozenset({"prompt", "response", "group", "finish_reason", "tokens", "logprobs"})
"""Fields of a sample that come from the rollout; all others are the prompts'."""


class Exchange(NamedTuple):
    """What the recipe reads of a sample, and what it gives beside the reward, as the service tells it."""

    reads: frozenset[str]
    gives: frozenset[str]


def refuse_unfit(config: TrainConfig, prompts: Sequence[Sample], told: Exchange) -> None:
    """Raises :class:`InvalidRequest`. A recipe with routes may read of some samples what others lack: a field is asked
    for that no prompt has."""
    name = config.update.advantages
    for field in sorted(told.reads - SENT):
        if all(getattr(prompt, field, None) in (None, []) for prompt in prompts):
            raise InvalidRequest(f"{_recipe(config)} reads {field}, and no prompt has it: add it to the prompts")
    parts = PARTS.get(name)
    if parts is not None and FIELDS[parts.kind] not in told.gives:
        raise no_parts(name, parts)
    if name == "forward" and "weight" not in told.gives:
        raise InvalidRequest(
            f"the advantages forward are the weights of a forward correction, and {_recipe(config)} gives none: its "
            "answer's term needs `noise: {method: forward, ...}`"
        )
    if config.update.place is not None and "step_rewards" not in told.gives:
        raise InvalidRequest(f"update.place is of step rewards, and {_recipe(config)} gives none: see docs/recipes.md")


def warn_unread(config: TrainConfig, told: Exchange) -> list[str]:
    """What the recipe gives and nothing here learns from: words of warning."""
    name = config.update.advantages
    parts = PARTS.get(name)
    read = {FIELDS[parts.kind]} if parts is not None else set()
    if config.update.place is not None:
        read.add("step_rewards")
    return [
        f"{_recipe(config)} gives {field}, which the advantages {name} do not read"
        for field in ("step_rewards", "token_rewards")
        if field in told.gives - read
    ]


def _recipe(config: TrainConfig) -> str:
    recipe = config.service.recipe
    return f"the recipe {recipe!r}" if isinstance(recipe, str) else "the recipe"
