"""The losses of the bundled trainer by name; their modules have the paper, the formula and the defaults of each."""

from __future__ import annotations

from trueward.plugins import Kind, built_in, installed, no_function
from trueward.rlvr.losses.base import Loss, LossConfig, LossResult

__all__ = ["EXPERIMENTAL", "LOSSES", "Loss", "LossConfig", "LossResult", "find", "needs_whole_groups"]

GROUP = "trueward.losses"

LOSSES: Kind[Loss] = Kind(
    "loss",
    built_in(
        GROUP,
        {
            "cispo": "trueward.rlvr.losses.cispo:loss",
            "dapo": "trueward.rlvr.losses.clipped:dapo",
            "dispo": "trueward.rlvr.losses.dispo:loss",
            "dr_grpo": "trueward.rlvr.losses.clipped:dr_grpo",
            "grpo": "trueward.rlvr.losses.clipped:grpo",
            "gspo": "trueward.rlvr.losses.gspo:loss",
            "ppo": "trueward.rlvr.losses.clipped:ppo",
            "real": "trueward.rlvr.losses.real:loss",
            "reinforce": "trueward.rlvr.losses.reinforce:loss",
            "sapo": "trueward.rlvr.losses.sapo:loss",
            "verifree": "trueward.rlvr.losses.verifree:loss",
        },
    ),
    installed(GROUP),
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
