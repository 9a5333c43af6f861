"""The losses of the bundled trainer by name; their modules have the paper, the formula and the defaults of each."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from trueward.rlvr.losses import cispo, dispo, gspo, real, reinforce, sapo, verifree
from trueward.rlvr.losses.base import Loss, LossConfig, LossResult
from trueward.rlvr.losses.clipped import CLIPPED

__all__ = ["EXPERIMENTAL", "LOSSES", "WHOLE_GROUPS", "Loss", "LossConfig", "LossResult", "find"]

LOSSES: Mapping[str, Loss] = MappingProxyType(
    {
        "cispo": cispo.loss,
        "dapo": CLIPPED["dapo"],
        "dispo": dispo.loss,
        "dr_grpo": CLIPPED["dr_grpo"],
        "grpo": CLIPPED["grpo"],
        "gspo": gspo.loss,
        "ppo": CLIPPED["ppo"],
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
