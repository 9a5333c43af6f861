"""The losses of the bundled trainer by name, one a file; each docstring has the paper, the formula and its defaults."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from trueward.rlvr.losses import cispo, dapo, dispo, dr_grpo, grpo, gspo, ppo, real, reinforce, sapo, verifree
from trueward.rlvr.losses.base import Loss, LossConfig, LossResult

__all__ = ["EXPERIMENTAL", "LOSSES", "WHOLE_GROUPS", "Loss", "LossConfig", "LossResult", "find"]

LOSSES: Mapping[str, Loss] = MappingProxyType(
    {
        "cispo": cispo.loss,
        "dapo": dapo.loss,
        "dispo": dispo.loss,
        "dr_grpo": dr_grpo.loss,
        "grpo": grpo.loss,
        "gspo": gspo.loss,
        "ppo": ppo.loss,
        "real": real.loss,
        "reinforce": reinforce.loss,
        "sapo": sapo.loss,
        "verifree": verifree.loss,
    }
)

EXPERIMENTAL = frozenset({"dispo", "real"})
"""Built after a description of the paper, not after its authors' code."""

WHOLE_GROUPS = frozenset({"real"})
"""Losses of groups: a part of an update must have each of its groups whole."""


def find(name: str) -> Loss:
    """The loss of this name. Raises ValueError with the names that there are."""
    if name not in LOSSES:
        raise ValueError(f"there is no loss {name!r}; there are {', '.join(LOSSES)}")
    return LOSSES[name]
