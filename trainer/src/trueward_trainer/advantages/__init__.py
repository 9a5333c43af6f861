"""Advantages by name: rewards of groups of responses in, ``[B, T]`` out.

Baselines are those of :mod:`trueward.estimators`, computed in float64. A missing reward enters no statistic and its
response has advantage 0. A group without spread has 0, too, where the method compares within groups; only whitening,
which centres the whole update, can move it from there. A response without what a method reads takes no part in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import torch

from trueward.plugins import Kind, list_built_in, list_installed, no_function
from trueward_trainer.advantages.advice import advice, rates_differ
from trueward_trainer.advantages.scored import AdvantageConfig, Advantages, Scored, is_mixed, is_right
from trueward_trainer.advantages.tokens import spread

__all__ = [
    "ESTIMATORS",
    "AdvantageConfig",
    "Advantages",
    "Scored",
    "advantages",
    "advice",
    "compares_groups",
    "is_mixed",
    "is_right",
    "rates_differ",
]

GROUP = "trueward.advantages"

Estimator = Callable[[Scored, AdvantageConfig], list[float] | torch.Tensor]
"""One number a response, which all of its tokens get, or ``[B, T]``."""

ESTIMATORS: Kind[Estimator] = Kind(
    "advantage estimator",
    list_built_in(
        GROUP,
        {
            "capo": "trueward_trainer.advantages.steps:capo",
            "debiased": "trueward_trainer.advantages.outcome:debias_outcomes",
            "dr_grpo": "trueward_trainer.advantages.outcome:dr_grpo",
            "forward": "trueward_trainer.advantages.outcome:forward",
            "gpg": "trueward_trainer.advantages.outcome:gpg",
            "gpg_verl": "trueward_trainer.advantages.outcome:gpg_verl",
            "grpo": "trueward_trainer.advantages.outcome:grpo",
            "labels": "trueward_trainer.advantages.outcome:labels",
            "nsr": "trueward_trainer.advantages.outcome:negative",
            "opo": "trueward_trainer.advantages.outcome:opo",
            "pass_at_k": "trueward_trainer.advantages.outcome:pass_at_k",
            "prime": "trueward_trainer.advantages.process:prime",
            "psr": "trueward_trainer.advantages.outcome:positive",
            "pure": "trueward_trainer.advantages.process:pure",
            "raw": "trueward_trainer.advantages.outcome:raw",
            "reinforce_pp": "trueward_trainer.advantages.process:reinforce_pp",
            "reinforce_pp_baseline": "trueward_trainer.advantages.process:reinforce_pp_baseline",
            "renorm": "trueward_trainer.advantages.steps:renorm",
            "rloo": "trueward_trainer.advantages.outcome:rloo",
            "verifree": "trueward_trainer.advantages.process:verifree",
            "vps": "trueward_trainer.advantages.steps:vps",
            "w_reinforce": "trueward_trainer.advantages.outcome:weigh_outcomes",
        },
    ),
    list_installed(GROUP),
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
