"""What a recipe with group verifiers has to say, and how a sample is priced apart from its group."""

from __future__ import annotations

import pytest

from rewards.conditions import Conditions
from rewards.recipe import parse_recipe
from rewards.settle import settle
from tests.rewards.situation import NO, YES, members, settled, values
from trueward.errors import InvalidRecipe
from trueward.wire.verifier import VOTING_VERIFIERS

FLIPPED = {"verifier": "flip", "params": {"inner": {"verifier": "majority"}}}
APPEALED = {
    "verifier": "math",
    "noise": {"false_positive": 0, "appeals": {"verifier": "agreement", "overturn": True}},
}


@pytest.mark.parametrize("name", sorted(VOTING_VERIFIERS))
def test_who_pays_a_vote_says_so(name: str) -> None:
    with pytest.raises(InvalidRecipe, match="unsupervised: true") as refusal:
        parse_recipe({"terms": ["math", name]})
    assert refusal.value.errors[0].field == "recipe.terms.1.verifier"
    assert parse_recipe({"terms": ["math", name], "unsupervised": True}).needs_group


@pytest.mark.parametrize("term", [{"verifier": "math", "fallback": "majority"}, FLIPPED, APPEALED])
def test_a_vote_in_a_chain_an_appeal_or_a_control_is_a_vote(term: dict[str, object]) -> None:
    with pytest.raises(InvalidRecipe, match="unsupervised: true"):
        parse_recipe({"terms": [term], "control": True})
    assert parse_recipe({"terms": [term], "control": True, "unsupervised": True}).needs_group


def test_a_vote_in_a_shadow_is_paid_to_nobody_and_asks_for_nothing() -> None:
    made = parse_recipe({"terms": ["math", {"verifier": "majority", "shadow": 0.5}]})
    assert (made.needs_group, made.judges_groups) == (False, True)


def test_recipes_without_votes_judge_no_groups() -> None:
    made = parse_recipe({"terms": ["math"], "shaping": ["z_score"]})
    assert (made.needs_group, made.judges_groups) == (True, False)


def test_apart_from_its_group_a_sample_is_neither_shaped_by_it_nor_ruled_with_it() -> None:
    made = parse_recipe({"terms": ["math"], "shaping": ["z_score"], "group": {"rules": ["dynamic_sampling"]}})
    group = members(made, [{"math": YES}, {"math": YES}])
    assert settled(made, group).group.kept is False
    alone = settle(made, "g", group, Conditions(grouped=False))
    assert values(alone) == [1, 1]
    assert (alone.group.kept, [reward.kept for reward in alone.rewards]) == (None, [None, None])
    mixed = members(made, [{"math": YES}, {"math": NO}])
    assert values(settle(made, "g", mixed, Conditions(grouped=False))) == [1, 0]
