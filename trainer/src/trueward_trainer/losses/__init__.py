"""The losses of the bundled trainer by name; their modules have the paper, the formula and the defaults of each."""

from __future__ import annotations

from trueward.plugins import Kind, list_built_in, list_installed, no_function
from trueward_trainer.losses.base import Loss, LossConfig, LossResult

__all__ = ["EXPERIMENTAL", "LOSSES", "Loss", "LossConfig", "LossResult", "find", "needs_whole_groups"]

GROUP = "trueward.losses"

LOSSES: Kind[Loss] = Kind(
    "loss",
    list_built_in(
        GROUP,
        {
            "cispo": "trueward_trainer.losses.cispo:loss",
            "dapo": "trueward_trainer.losses.clipped:dapo",
            "dispo": "trueward_trainer.losses.dispo:loss",
            "dr_grpo": "trueward_trainer.losses.clipped:dr_grpo",
            "grpo": "trueward_trainer.losses.clipped:grpo",
            "gspo": "trueward_trainer.losses.gspo:loss",
            "ppo": "trueward_trainer.losses.clipped:ppo",
            "real": "trueward_trainer.losses.real:loss",
            "reinforce": "trueward_trainer.losses.reinforce:loss",
            "sapo": "trueward_trainer.losses.sapo:loss",
            "verifree": "trueward_trainer.losses.verifree:loss",
        },
    ),
    list_installed(GROUP),
    no_function,
)

EXPERIMENTAL = frozenset({"dispo", "real"})
"""Built after a description of the paper, not after its authors' code."""

_WHOLE_GROUPS = frozenset({"real"})


def find(name: str) -> Loss:
    """The loss of this name. Raises ValueError with the names that there are."""
    return LOSSES.get(name)


def needs_whole_groups(name: str) -> bool:
    """Whether a part of an update must have each of its groups whole. A plug-in says it by ``whole_groups = True``."""
    return name in _WHOLE_GROUPS or bool(getattr(find(name), "whole_groups", False))
