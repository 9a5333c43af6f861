"""Advantages of the turns of conversations: each turn against the same turn of the group's others (CM2)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import fmean, stdev

LEAST = 5
"""With fewer conversations that reached a turn, what they earned there says nothing."""


def turn_advantages(
    turn_rewards: Sequence[Sequence[float] | None], *, least: int = LEAST, normalise: bool = False
) -> list[list[float]]:
    """One number a turn, for each conversation of one prompt's group, in order: reward less the mean of those that
    reached the turn; divided by their spread (with n - 1) where ``normalise``.

    A conversation that is None (a tool's simulator or the judge failed) takes no part and has no advantage. A turn that
    fewer than ``least`` reached has advantage 0.
    """
    found = [[0.0] * len(rewards or ()) for rewards in turn_rewards]
    there = [(place, rewards) for place, rewards in enumerate(turn_rewards) if rewards is not None]
    for turn in range(max((len(rewards) for _, rewards in there), default=0)):
        holders = [(place, rewards[turn]) for place, rewards in there if len(rewards) > turn]
        if len(holders) < least:
            continue
        rewards = [reward for _, reward in holders]
        mean = fmean(rewards)
        scale = stdev(rewards) if normalise else 1.0
        for place, reward in holders:
            found[place][turn] = (reward - mean) / scale if scale > 0 else 0.0
    return found
