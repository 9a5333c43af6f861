"""Which rewards of a batch are final, which groups are complete, and what a run may learn from them."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from app.path.groups import OpenGroups
from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.price import Member
from tests.rewards.situation import INVALID, NO, OURS, YES, recipe
from trueward.wire.reward import Group, Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

Final = list[tuple[int, Reward]]


class Batch:
    """Samples that are judged one by one; ``names`` has a letter for the group of each."""

    def __init__(self, names: str, conditions: Conditions = NOTHING_KNOWN, **body: object) -> None:
        self.recipe = recipe(**body)
        self.groups = OpenGroups(self.recipe, list(names), conditions)
        self._conditions = conditions

    def arrives(self, index: int, said: Verdict) -> Final:
        sample = Sample(id=str(index), prompt="p", response=f"r{index}")
        course = self.recipe.course_of(sample)
        member = Member.of(self.recipe, course, sample, {"math": said}, self._conditions, f"record {index}")
        return self.groups.add(index, member)

    def arrive(self, said: dict[int, Verdict]) -> Final:
        """Several, in this order; everything that became final."""
        return [one for index, verdict in said.items() for one in self.arrives(index, verdict)]

    @property
    def learned(self) -> dict[str, list[str | None]]:
        """The ids of the samples that a run learns from, by group."""
        return {name: [member.sample.id for member in members] for name, members, _ in self.groups.list_whole_groups()}


def paid(final: Final) -> list[tuple[int, float | None]]:
    """The rewards by their places; each is of the sample at its place."""
    assert [(reward.id, reward.record) for _, reward in final] == [(str(n), f"record {n}") for n, _ in final]
    return [(index, reward.reward) for index, reward in final]


def lost(reward: Reward) -> Reward:
    """As the path tells one that the ledger does not have."""
    return reward.model_copy(update={"reward": None, "record": None, "outcome": Outcome.ERROR})


def of(groups: Sequence[Group]) -> list[str]:
    return [group.group for group in groups]


# what is final, and when


@pytest.mark.parametrize(("said", "reward"), [(YES, 1.0), (NO, 0.0), (INVALID, 0.0), (OURS, None)])
def test_a_reward_that_depends_on_nobody_is_final_at_once(said: Verdict, reward: float | None) -> None:
    batch = Batch("gg")
    assert paid(batch.arrives(1, said)) == [(1, reward)]
    assert paid(batch.arrives(0, said)) == [(0, reward)]


def test_where_missing_rewards_are_the_mean_they_wait_and_the_others_do_not() -> None:
    batch = Batch("gggg", missing="mean")
    assert batch.arrives(0, OURS) == []
    assert paid(batch.arrives(1, YES)) == [(1, 1.0)]
    assert paid(batch.arrives(2, INVALID)) == [(2, 0.0)]
    assert paid(batch.arrives(3, YES)) == [(0, pytest.approx(2 / 3)), (3, 1.0)]


def test_where_missing_rewards_are_dropped_they_wait_for_that() -> None:
    batch = Batch("gg", missing="drop")
    assert batch.arrives(1, OURS) == []
    final = batch.arrives(0, YES)
    assert paid(final) == [(1, None), (0, 1.0)]
    assert [reward.kept for _, reward in final] == [False, None]


def test_a_missing_reward_that_comes_last_is_final_with_its_group() -> None:
    batch = Batch("gg", missing="mean")
    assert paid(batch.arrives(0, YES)) == [(0, 1.0)]
    assert paid(batch.arrives(1, OURS)) == [(1, 1.0)]


def test_what_waited_is_told_once_and_in_the_order_in_which_it_came() -> None:
    batch = Batch("ggggg", missing="mean")
    final = batch.arrive({3: OURS, 1: YES, 0: OURS, 2: NO, 4: OURS})
    assert paid(final) == [(1, 1.0), (2, 0.0), (3, 0.5), (0, 0.5), (4, 0.5)]


def test_rewards_of_which_rules_may_drop_the_group_wait_for_it() -> None:
    batch = Batch("ggg", group={"rules": ["dynamic_sampling"]})
    assert batch.arrive({1: YES, 2: YES}) == []
    final = batch.arrives(0, YES)
    assert paid(final) == [(1, 1.0), (2, 1.0), (0, 1.0)]
    assert [reward.kept for _, reward in final] == [False] * 3


def test_rewards_that_are_known_only_with_their_group_wait_for_it() -> None:
    batch = Batch("ggg", shaping=[{"method": "z_score", "epsilon": 0.0}])
    assert batch.arrive({2: YES, 0: NO}) == []
    final = batch.arrives(1, OURS)
    assert [index for index, _ in final] == [2, 0, 1]
    best, worst, missing = [reward for _, reward in paid(final)]
    assert missing is None
    assert best is not None
    assert best > 0
    assert worst == pytest.approx(-best)


def test_each_group_is_complete_by_itself() -> None:
    batch = Batch("abca", missing="mean")
    assert batch.arrives(0, OURS) == []
    assert paid(batch.arrives(1, OURS)) == [(1, None)]
    assert paid(batch.arrives(2, NO)) == [(2, 0.0)]
    assert paid(batch.arrives(3, YES)) == [(0, 1.0), (3, 1.0)]


def test_where_each_sample_is_priced_apart_its_company_changes_nothing() -> None:
    batch = Batch("gg", Conditions(grouped=False), missing="mean", group={"rules": ["dynamic_sampling"]})
    final = batch.arrive({0: YES, 1: OURS})
    assert paid(final) == [(0, 1.0), (1, None)]
    assert [reward.kept for _, reward in final] == [None, None]


# which groups are complete


def test_a_group_is_complete_when_all_of_it_is_recorded() -> None:
    batch = Batch("gg")
    first, last = batch.arrives(1, NO), batch.arrives(0, YES)
    assert batch.groups.close(first) == []
    [group] = batch.groups.close(last)
    assert (group.group, group.size, group.scored, group.mean) == ("g", 2, 2, 0.5)
    assert (group.ids, group.centred) == (["0", "1"], [0.5, -0.5])


def test_groups_are_told_once_and_as_they_become_complete() -> None:
    batch = Batch("abba")
    final = batch.arrive({0: YES, 1: YES, 2: NO, 3: NO})
    assert of(batch.groups.close(final[:2])) == []
    assert of(batch.groups.close(final[2:])) == ["b", "a"]


def test_one_that_is_recorded_twice_does_not_stand_for_another() -> None:
    batch = Batch("gg")
    final = batch.arrive({0: YES, 1: NO})
    assert batch.groups.close([final[0], final[0]]) == []
    assert of(batch.groups.close(final[1:])) == ["g"]


def test_a_complete_group_says_what_the_rules_decided() -> None:
    batch = Batch("gg", group={"rules": ["dynamic_sampling"]})
    [group] = batch.groups.close(batch.arrive({0: YES, 1: YES}))
    assert (group.kept, group.reason) == (False, "all_right")


def test_missing_rewards_count_as_what_they_became() -> None:
    batch = Batch("ggg", missing="mean")
    [group] = batch.groups.close(batch.arrive({0: YES, 1: OURS, 2: NO}))
    assert (group.scored, group.mean, group.centred) == (3, 0.5, [0.5, 0.0, -0.5])


def test_what_was_lost_on_the_way_to_the_ledger_is_not_in_the_summary() -> None:
    batch = Batch("ggg")
    final = batch.arrive({2: NO, 0: YES, 1: YES})
    told = [(index, lost(reward) if index == 2 else reward) for index, reward in final]
    [group] = batch.groups.close(told)
    assert (group.size, group.scored, group.mean, group.success_rate) == (3, 2, 1.0, 1.0)
    assert (group.ids, group.centred, group.zero_variance) == (["0", "1", "2"], [0.0, 0.0, 0.0], True)


# what a run may learn from


def test_a_run_learns_from_groups_as_they_first_appeared_each_in_the_order_of_the_request() -> None:
    batch = Batch("baab")
    batch.groups.close(batch.arrive({2: YES, 1: NO, 3: YES, 0: NO}))
    assert list(batch.learned.items()) == [("b", ["0", "3"]), ("a", ["1", "2"])]


def test_a_run_learns_what_became_of_a_group() -> None:
    batch = Batch("gg", group={"rules": ["dynamic_sampling"]})
    final = batch.arrive({1: NO, 0: YES})
    batch.groups.close(final)
    [(_, members, settled)] = batch.groups.list_whole_groups()
    assert [member.verdicts["math"] for member in members] == [YES, NO]
    assert settled.rewards == [reward for _, reward in sorted(final, key=lambda one: one[0])]
    assert settled.group.kept is True


def test_what_is_not_recorded_whole_teaches_nothing() -> None:
    batch = Batch("aabbccd")
    final = dict(batch.arrive({0: YES, 1: NO, 2: YES, 3: NO, 4: YES, 5: NO}))
    batch.groups.close([(0, final[0]), (1, lost(final[1]))])
    batch.groups.close([(3, final[3])])
    batch.groups.close([(4, final[4]), (5, final[5])])
    assert batch.learned == {"c": ["4", "5"]}


def test_what_is_priced_but_not_recorded_teaches_nothing() -> None:
    batch = Batch("gg")
    batch.arrive({0: YES, 1: NO})
    assert batch.learned == {}
