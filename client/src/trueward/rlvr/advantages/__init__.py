"""Advantages by name: rewards of groups of responses in, ``[B, T]`` out.

Baselines are those of :mod:`trueward.estimators`, computed in float64. A missing reward enters no statistic and its
response has advantage 0. A group without spread has 0, too, where the method compares within groups; only whitening,
which centres the whole update, can move it from there. A response without what a method reads takes no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType

import torch

from trueward.rlvr.advantages import outcome, process, steps
from trueward.rlvr.advantages.advice import advice, rates_differ
from trueward.rlvr.advantages.filters import mixed
from trueward.rlvr.advantages.scored import AdvantageConfig, Advantages, Scored, is_right
from trueward.rlvr.advantages.tokens import spread

__all__ = [
    "ADVANTAGES",
    "ALONE",
    "AdvantageConfig",
    "Advantages",
    "Scored",
    "advantages",
    "advice",
    "is_right",
    "mixed",
    "rates_differ",
]

Whole = Callable[[Scored, AdvantageConfig], list[float]]
ByToken = Callable[[Scored, AdvantageConfig], torch.Tensor]

WHOLE: Mapping[str, Whole] = MappingProxyType(
    {
        "debiased": outcome.debiased,
        "dr_grpo": outcome.dr_grpo,
        "forward": outcome.forward,
        "gpg": outcome.gpg,
        "gpg_verl": outcome.gpg_verl,
        "grpo": outcome.grpo,
        "labels": outcome.labels,
        "nsr": outcome.negative,
        "opo": outcome.opo,
        "pass_at_k": outcome.pass_at_k,
        "psr": outcome.positive,
        "raw": outcome.raw,
        "rloo": outcome.rloo,
        "w_reinforce": outcome.weighted,
    }
)
BY_TOKEN: Mapping[str, ByToken] = MappingProxyType(
    {
        "capo": steps.capo,
        "prime": process.prime,
        "pure": process.pure,
        "reinforce_pp": process.reinforce_pp,
        "reinforce_pp_baseline": process.reinforce_pp_baseline,
        "renorm": steps.renorm,
        "verifree": process.verifree,
        "vps": steps.vps,
    }
)
ADVANTAGES = tuple(sorted([*WHOLE, *BY_TOKEN]))

ALONE = frozenset({"forward", "labels", "nsr", "psr", "raw", "reinforce_pp", "renorm", "w_reinforce"})
"""Those that do not compare within groups, so that a group may have one member."""

READS_OUTCOMES = frozenset({"capo", "debiased", "labels", "nsr", "psr", "w_reinforce"})
"""Those that look at what is right, and at no other reward of the response."""

DROPS = frozenset({"nsr", "psr"})
"""Those that learn only from responses to which they give an advantage."""


def advantages(name: str, scored: Scored, config: AdvantageConfig | None = None) -> Advantages:
    """The advantages of this name, in float32. Raises ValueError for a name that there is not, for what the
    method needs and lacks, and where every group has one member and the method compares within groups.
    """
    if name not in ADVANTAGES:
        raise ValueError(f"there are no advantages {name!r}; there are {', '.join(ADVANTAGES)}")
    if name not in ALONE and max(Counter(scored.groups).values(), default=2) < 2:
        raise ValueError(f"the advantages {name} compare responses of one group, and every group has one response")
    settings = config or AdvantageConfig()
    values = spread(WHOLE[name](scored, settings), scored.mask) if name in WHOLE else BY_TOKEN[name](scored, settings)
    # what only reads outcomes has nothing to say of a response that was merely measured: it dilutes no mean
    learns = scored.judged if name in READS_OUTCOMES else scored.present
    if name in DROPS:
        learns = learns & (values != 0).any(-1)
    return Advantages((values / settings.scale).float(), learns)
