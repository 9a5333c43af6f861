"""Every built-in recipe over a few hundred random samples: what holds for each reward, however it is worked out."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from rewards.conditions import NOTHING_KNOWN
from rewards.explanation import ExplanationLines
from rewards.judging import due
from rewards.library import Library
from rewards.price import Member, price
from rewards.recipe import Recipe, parse_recipe
from rewards.settle import settle
from tests.rewards.situation import INVALID, NO, OURS, YES
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Producer, Verdict

GROUPS, SIZE = 30, 8
NOISE = {"false_positive": 0.05, "false_negative": 0.1}
MIXED = parse_recipe(
    {
        "name": "mixed",
        "routes": [
            {"when": {"data_source": "chat"}, "terms": [{"verifier": "format", "noise": NOISE}], "shaping": []},
            {"when": {"metadata": {"level": 1}}, "terms": ["math", {"verifier": "format", "gate": "math"}]},
            {"when": {"data_source": "math"}, "terms": [{"verifier": "math", "noise": NOISE, "fallback": "judge"}]},
        ],
        "shaping": ["z_score"],
        "group": {"rules": ["zero_variance"]},
        "missing": "drop",
    }
)
RECIPES = {recipe.name: recipe for recipe in (*Library().recipes(), MIXED)}


def _verdict(chance: random.Random) -> Verdict:
    tests = [{"status": chance.choice(["passed", "failed"])} for _ in range(3)]
    partial = Verdict.partial(chance.choice([0.0, 1 / 3, 1.0]), "some", evidence={"tests": list(tests)})
    said = chance.choice([YES, YES, NO, NO, partial, partial, INVALID, OURS])
    return said.model_copy(update={"producer": chance.choice([None, Producer(name="m", version="1", params="p")])})


def _groups(recipe: Recipe) -> list[list[tuple[Sample, Mapping[str, Verdict]]]]:
    chance = random.Random(recipe.name)
    samples: list[tuple[Sample, Mapping[str, Verdict]]] = []
    for number in range(GROUPS * SIZE):
        sample = Sample(
            id=str(number),
            prompt=f"p{number // SIZE}",
            response=f"r{number}",
            tokens=chance.choice([None, *range(0, 25_000, 1_000)]),
            finish_reason=chance.choice([None, "stop", "length"]),
            data_source=chance.choice(["math", "chat", "law"]),
            metadata={"level": chance.choice([1, 2])},
        )
        said: dict[str, Verdict] = {}
        course = recipe.course_of(sample)
        while wanted := due(course, sample, said) if course is not None else []:
            said.update({one.key: _verdict(chance) for one in wanted})
        samples.append((sample, said))
    return [samples[start : start + SIZE] for start in range(0, len(samples), SIZE)]


def _settled(recipe: Recipe) -> list[Reward]:
    """The rewards of all groups, the samples before their groups."""
    found = []
    for number, group in enumerate(_groups(recipe)):
        found += [price(recipe, sample, said) for sample, said in group]
        members = [
            Member.of(recipe, recipe.course_of(sample), sample, said, NOTHING_KNOWN, sample.id)
            for sample, said in group
        ]
        found += settle(recipe, f"g{number}", members).rewards
    return found


@pytest.fixture(params=sorted(RECIPES))
def recipe(request: pytest.FixtureRequest) -> Recipe:
    return RECIPES[str(request.param)]


def test_a_reward_is_what_its_type_says(recipe: Recipe) -> None:
    for reward in _settled(recipe):
        read = Reward.model_validate_json(reward.model_dump_json())
        assert read == reward
        assert read.model_dump_json() == reward.model_dump_json()  # 1 is not 1.0
        assert list(reward.__dict__) == list(Reward.model_fields)
        assert tuple(reward.components) == recipe.components


def test_a_failure_of_ours_is_no_reward_and_nobody_escapes_the_price_of_invalid(recipe: Recipe) -> None:
    rewards = [price(recipe, sample, said) for group in _groups(recipe) for sample, said in group]
    assert {reward.reward for reward in rewards if reward.outcome.missing} <= {None}
    invalid = [reward.reward for reward in rewards if reward.reason_code == INVALID.reason_code]
    assert bool(invalid) is not recipe.control
    assert all(reward is not None and reward <= recipe.price_of_invalid for reward in invalid)


def test_pricing_again_gives_the_same_bits_with_somebody_told_of_every_step_or_without(recipe: Recipe) -> None:
    for number, group in enumerate(_groups(recipe)):
        members = [Member(sample, said, price(recipe, sample, said)) for sample, said in group]
        again = [
            Member(sample, said, price(recipe, sample, said, recorder=ExplanationLines())) for sample, said in group
        ]
        assert members == again
        once, told = (
            settle(recipe, f"g{number}", members),
            settle(recipe, f"g{number}", again, recorder=ExplanationLines()),
        )
        assert (once.rewards, once.group) == (told.rewards, told.group)


def test_a_member_that_waits_for_its_group_is_settled_as_one_that_was_priced(recipe: Recipe) -> None:
    for number, group in enumerate(_groups(recipe)):
        priced = [Member(sample, said, price(recipe, sample, said)) for sample, said in group]
        waiting = [Member.of(recipe, recipe.course_of(sample), sample, said, NOTHING_KNOWN) for sample, said in group]
        assert settle(recipe, f"g{number}", priced) == settle(recipe, f"g{number}", waiting)


def test_a_reward_does_not_depend_on_its_place_in_the_group(recipe: Recipe) -> None:
    for number, group in enumerate(_groups(recipe)):
        members = [Member.of(recipe, recipe.course_of(sample), sample, said, NOTHING_KNOWN) for sample, said in group]
        forth, back = (settle(recipe, f"g{number}", order) for order in (members, members[::-1]))
        assert forth.rewards == back.rewards[::-1]


def test_settling_leaves_the_members_own_rewards_alone(recipe: Recipe) -> None:
    for number, group in enumerate(_groups(recipe)):
        members = [Member(sample, said, price(recipe, sample, said)) for sample, said in group]
        before = [member.reward.model_dump_json() for member in members]
        settle(recipe, f"g{number}", members)
        assert [member.reward.model_dump_json() for member in members] == before


def test_a_member_that_waits_has_no_reward_yet() -> None:
    sample = Sample(id="1", data_source="math")
    member = Member.of(MIXED, MIXED.course_of(sample), sample, {"math": YES}, NOTHING_KNOWN, "r")
    assert (member.reward.reward, member.reward.reason_code, member.reward.record) == (None, "group_incomplete", "r")
    assert member.reward.outcome.missing
