"""What an estimator would make of a correction, said before a run has spent anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from trueward.estimators.noise import Effect, Estimator, effect
from trueward.wire.reward import Reward

DIVIDE = frozenset({"grpo", "reinforce_pp", "reinforce_pp_baseline", "vps"})
"""By the spread of what they get, so that an affine change of it is gone."""

OUTCOMES_ALONE = frozenset({"capo", "debiased", "labels", "nsr", "prime", "psr", "pure", "renorm", "w_reinforce"})
"""Read what is right, beside rewards of steps or tokens, not the reward."""


def rates_differ(groups: Iterable[Sequence[Reward]]) -> bool:
    """Whether the responses of some group were corrected with other rates: by slice, as their estimates say."""
    return any(len({reward.estimate for reward in group if reward.estimate is not None}) > 1 for group in groups)


def advice(name: str, rewards: Sequence[Reward], *, rates_differ_within_group: bool = False) -> list[str]:
    """Warnings for a correction in these rewards that the advantages of this name cancel or do not read."""
    backward = any(reward.corrected is not None for reward in rewards)
    weighted = any(reward.weight is not None for reward in rewards)
    found = []
    if backward and name in DIVIDE:
        change = effect(Estimator.STANDARDISED, rates_differ_within_group=rates_differ_within_group)
        if change is Effect.NONE:
            found.append(
                f"the advantages {name} divide by the spread of the rewards, which removes a backward correction whose "
                "rates all responses share; use rloo or dr_grpo (with a fixed scale), raw, or debiased"
            )
    if backward and name in OUTCOMES_ALONE:
        found.append(f"the advantages {name} read which answers are right, not the corrected rewards")
    if backward and name == "gpg_verl":
        found.append("the advantages gpg_verl count rewards that are not 0, and no corrected reward is 0")
    if weighted and name != "forward":
        found.append(
            f"the rewards have weights of a forward correction, which the advantages {name} do not read; use forward"
        )
    return found
