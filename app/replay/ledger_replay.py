"""A request as the ledger has it, and its rewards computed again from that alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rewards.conditions import Conditions
from rewards.learning import GroupOf, learn
from rewards.price import Member
from rewards.recipe import Recipe
from rewards.settle import settle
from rewards.state import State
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, group_names
from trueward.wire.verdict import Verdict


@dataclass(frozen=True, slots=True)
class RecordedReward:
    """One sample with its recorded reward and the verdicts that it was made of, by key.

    ``afterwards`` are those that came after the reward: of shadows, and of appeals that only measure.
    """

    sample: Sample
    reward: Reward
    verdicts: Mapping[str, Verdict]
    afterwards: Mapping[str, Verdict]


@dataclass(frozen=True, slots=True)
class RecordedRequest:
    """Rewards that were settled together, in the order of their request; ``conditions`` hold the state that priced."""

    id: str
    recipe: Recipe
    conditions: Conditions
    entries: Sequence[RecordedReward]


@dataclass(frozen=True, slots=True)
class Replayed:
    """One group, computed again: ``members`` and ``settled`` as the service had them, ``entries`` as recorded."""

    name: str
    entries: Sequence[RecordedReward]
    members: Sequence[Member]
    rewards: Sequence[Reward]
    known: GroupOf


def replay_groups(request: RecordedRequest) -> list[Replayed]:
    """The groups of a request in the order in which they first appeared."""
    recipe, conditions = request.recipe, request.conditions
    groups: dict[str, list[RecordedReward]] = {}
    for name, entry in zip(group_names([entry.sample for entry in request.entries]), request.entries, strict=True):
        groups.setdefault(name, []).append(entry)
    done = []
    for name, entries in groups.items():
        members = [_member(recipe, entry, conditions) for entry in entries]
        settled = settle(recipe, name, members, conditions)
        done.append(Replayed(name, entries, members, settled.rewards, (name, members, settled)))
    return done


def learn_state(request: RecordedRequest, before: State) -> State:
    """The state that the run had after this request, when it had ``before`` until then."""
    groups = []
    for group in replay_groups(request):
        name, members, settled = group.known
        told = [
            replace(member, verdicts={**member.verdicts, **entry.afterwards})
            for member, entry in zip(members, group.entries, strict=True)
        ]
        groups.append((name, told, settled))
    return learn(request.recipe, groups, replace(request.conditions, state=before))


def list_differences(recorded: Reward, computed: Reward) -> list[str]:
    """The fields in which two rewards differ; floats must be equal to the last bit (0.0 and -0.0 are)."""
    return [name for name in Reward.model_fields if getattr(recorded, name) != getattr(computed, name)]


def _member(recipe: Recipe, entry: RecordedReward, conditions: Conditions) -> Member:
    return Member.of(
        recipe, recipe.course_of(entry.sample), entry.sample, entry.verdicts, conditions, entry.reward.record
    )
