"""Advantages by name: rewards of groups of responses in, ``[B, T]`` out.

Baselines are those of :mod:`trueward.estimators`, computed in float64. A missing reward enters no statistic and its
response has advantage 0. A group without spread has 0, too, where the method compares within groups; only whitening,
which centres the whole update, can move it from there. A response without what a method reads takes no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch

from trueward.plugins import Kind, built_in, installed, no_function
from trueward.rlvr.advantages.advice import advice, rates_differ
from trueward.rlvr.advantages.filters import mixed
from trueward.rlvr.advantages.scored import AdvantageConfig, Advantages, Scored, is_right
from trueward.rlvr.advantages.tokens import spread

__all__ = [
    "ESTIMATORS",
    "AdvantageConfig",
    "Advantages",
    "Scored",
    "advantages",
    "advice",
    "compares_groups",
    "is_right",
    "mixed",
    "rates_differ",
]

GROUP = "trueward.advantages"

Estimator = Callable[[Scored, AdvantageConfig], list[float] | torch.Tensor]
"""One number a response, which all of its tokens get, or ``[B, T]``."""

ESTIMATORS: Kind[Estimator] = Kind(
    "advantage estimator",
    built_in(
        GROUP,
        {
            "capo": "trueward.rlvr.advantages.steps:capo",
            "debiased": "trueward.rlvr.advantages.outcome:debiased",
            "dr_grpo": "trueward.rlvr.advantages.outcome:dr_grpo",
            "forward": "trueward.rlvr.advantages.outcome:forward",
            "gpg": "trueward.rlvr.advantages.outcome:gpg",
            "gpg_verl": "trueward.rlvr.advantages.outcome:gpg_verl",
            "grpo": "trueward.rlvr.advantages.outcome:grpo",
            "labels": "trueward.rlvr.advantages.outcome:labels",
            "nsr": "trueward.rlvr.advantages.outcome:negative",
            "opo": "trueward.rlvr.advantages.outcome:opo",
            "pass_at_k": "trueward.rlvr.advantages.outcome:pass_at_k",
            "prime": "trueward.rlvr.advantages.process:prime",
            "psr": "trueward.rlvr.advantages.outcome:positive",
            "pure": "trueward.rlvr.advantages.process:pure",
            "raw": "trueward.rlvr.advantages.outcome:raw",
            "reinforce_pp": "trueward.rlvr.advantages.process:reinforce_pp",
            "reinforce_pp_baseline": "trueward.rlvr.advantages.process:reinforce_pp_baseline",
            "renorm": "trueward.rlvr.advantages.steps:renorm",
            "rloo": "trueward.rlvr.advantages.outcome:rloo",
            "verifree": "trueward.rlvr.advantages.process:verifree",
            "vps": "trueward.rlvr.advantages.steps:vps",
            "w_reinforce": "trueward.rlvr.advantages.outcome:weighted",
        },
    ),
    installed(GROUP),
    no_function,
)

_ALONE = frozenset({"forward", "labels", "nsr", "psr", "raw", "reinforce_pp", "renorm", "w_reinforce"})

_READS_OUTCOMES = frozenset({"capo", "debiased", "labels", "nsr", "psr", "w_reinforce"})
"""Those that look at what is right, and at no other reward of the response."""

_DROPS = frozenset({"nsr", "psr"})
"""Those that learn only from responses to which they give an advantage."""


def compares_groups(name: str) -> bool:
    """Whether the responses of a group are compared, so that one needs two members. A plug-in that does not compare
    them says so by ``alone = True``. Raises ValueError for a name that there is not."""
    return name not in _ALONE and not getattr(ESTIMATORS.get(name), "alone", False)


def advantages(name: str, scored: Scored, config: AdvantageConfig | None = None) -> Advantages:
    """The advantages of this name, in float32. Raises ValueError for a name that there is not, for what the
    method needs and lacks, and where every group has one member and the method compares within groups.
    """
    estimate = ESTIMATORS.get(name)
    if compares_groups(name) and max(Counter(scored.groups).values(), default=2) < 2:
        raise ValueError(f"the advantages {name} compare responses of one group, and every group has one response")
    settings = config or AdvantageConfig()
    made = estimate(scored, settings)
    values = made if isinstance(made, torch.Tensor) else spread(made, scored.mask)
    # what only reads outcomes has nothing to say of a response that was merely measured: it dilutes no mean
    learns = scored.judged if name in _READS_OUTCOMES else scored.present
    if name in _DROPS:
        learns = learns & (values != 0).any(-1)
    return Advantages((values / settings.scale).float(), learns)
