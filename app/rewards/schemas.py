"""What the rewards endpoints answer beside the wire types."""

from __future__ import annotations

from trueward.types import Group, Reward, Wire


class RewardLine(Wire):
    reward: Reward


class GroupLine(Wire):
    group: Group


class EndOfStream(Wire):
    recipe: str
    count: int


class End(Wire):
    end: EndOfStream
