"""Which rewards of a batch are final, and which groups are complete, while results come in."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence

from rewards.conditions import Conditions
from rewards.learning import GroupOf
from rewards.price import Member
from rewards.recipe import Recipe
from rewards.settle import Settled, settle, summarise
from trueward.wire.reward import Group, Reward


class OpenGroups:
    """``names`` is the group of each sample, by index.

    A reward is final as soon as it is there, unless it depends on its group: then once the group is complete.
    """

    def __init__(self, recipe: Recipe, names: Sequence[str], conditions: Conditions) -> None:
        self._recipe = recipe
        self._conditions = conditions
        self._names = names
        self._expected = Counter(names)
        self._arrived: defaultdict[str, dict[int, Member]] = defaultdict(dict)
        self._held: defaultdict[str, list[int]] = defaultdict(list)
        self._settled: dict[str, Settled] = {}
        self._recorded: defaultdict[str, dict[int, Reward]] = defaultdict(dict)

    def add(self, index: int, member: Member) -> list[tuple[int, Reward]]:
        """Takes in a sample with its own reward; returns the rewards that became final by it."""
        name = self._names[index]
        members = self._arrived[name]
        members[index] = member
        held = self._held[name]
        waits = self._waits(member)
        if waits:
            held.append(index)
        if len(members) < self._expected[name]:
            return [] if waits else [(index, member.reward)]
        order = sorted(members)
        settled = settle(self._recipe, name, [members[place] for place in order], self._conditions)
        self._settled[name] = settled
        rewards = dict(zip(order, settled.rewards, strict=True))
        last = [] if waits else [index]
        return [(place, rewards[place]) for place in (*held, *last)]

    def _waits(self, member: Member) -> bool:
        if self._recipe.needs_group or self._recipe.group.rules:
            return True
        return member.reward.outcome.missing and self._recipe.missing != "null"

    def close(self, rewards: Sequence[tuple[int, Reward]]) -> list[Group]:
        """Takes final rewards as they were recorded; returns the groups that are complete by them."""
        done = []
        for index, reward in rewards:
            name = self._names[index]
            recorded = self._recorded[name]
            recorded[index] = reward
            if len(recorded) == self._expected[name]:
                done.append(self._summary(name, [recorded[place] for place in sorted(recorded)]))
        return done

    def _summary(self, name: str, recorded: Sequence[Reward]) -> Group:
        """The summary of the settled group; made anew if some of its rewards were lost on the way to the ledger."""
        settled = self._settled[name]
        values = [reward.reward for reward in recorded]
        if values == [reward.reward for reward in settled.rewards]:
            return settled.group
        return summarise(name, recorded)

    def list_whole_groups(self) -> list[GroupOf]:
        """Each group that is recorded whole, in the order in which they first appeared.

        What the ledger lacks teaches a run nothing: a replay could not learn it again.
        """
        return [
            (name, [self._arrived[name][place] for place in sorted(self._arrived[name])], self._settled[name])
            for name in self._expected
            if len(self._recorded[name]) == self._expected[name]
            and all(reward.record is not None for reward in self._recorded[name].values())
        ]
