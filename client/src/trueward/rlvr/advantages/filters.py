"""Which groups are worth an update."""

from __future__ import annotations

from collections.abc import Sequence

from trueward.rlvr.advantages.scored import is_right, takes_part
from trueward.types import Reward


def mixed(rewards: Sequence[Reward]) -> bool:
    """Whether a group has a right answer and one that is not, those apart that take no part: dynamic sampling (DAPO).

    It goes by what is right, not by the shaped reward (arXiv 2503.14476). What was only measured is neither.
    """
    return {True, False} <= {is_right(reward) for reward in rewards if takes_part(reward)}
