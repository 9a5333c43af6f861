"""What a run learns is what the ledger has, and in one order."""

from __future__ import annotations

from app.path.groups import OpenGroups
from rewards.conditions import NOTHING_KNOWN
from rewards.price import Member
from tests.rewards.situation import NO, YES, priced, recipe
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict


def _member(verdict: Verdict, record: str) -> Member:
    made = recipe()
    reward = priced(made, math=verdict)
    reward.record = record
    return Member(Sample(response="x"), {"math": verdict}, reward)


def test_a_group_that_was_not_recorded_whole_teaches_nothing() -> None:
    groups = OpenGroups(recipe(), ["a", "a", "b"], NOTHING_KNOWN)
    members = [_member(YES, "0"), _member(NO, "1"), _member(YES, "2")]
    final = [pair for place, member in enumerate(members) for pair in groups.add(place, member)]
    lost = {1: members[1].reward.model_copy(update={"record": None})}
    groups.close([(place, lost.get(place, reward)) for place, reward in final])
    assert [name for name, _, _ in groups.list_whole_groups()] == ["b"]
