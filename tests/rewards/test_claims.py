"""What the sources of shapings, rules and controls claim, on whatever comes in; and formulas that were replaced."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.judging import due
from rewards.learning import learn
from rewards.recipe import parse_recipe
from rewards.shaping.unlikeliness import unlikely
from tests.rewards.situation import NO, YES, members, priced, recipe, scored, settled, values
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

share = st.floats(0, 1)
steps = st.lists(share, min_size=1, max_size=12)
FIRST = Conditions(formulas={})
"""Everything by its first version: as rewards were computed that name none."""


def judged(score: float, answer: Verdict, step_scores: Sequence[float], **shaping: JsonValue) -> Reward:
    """The reward of an answer whose steps another term scored ``step_scores``, and ``score`` as a whole."""
    terms = [{"verifier": "math"}, {"verifier": "process_reward", "name": "prm"}]
    made = parse_recipe({"terms": terms, "shaping": [{**shaping, "term": "prm"}], "range": [-9, 99], "invalid": -9})
    return priced(made, math=answer, prm=scored(score, step_scores=[*step_scores]))


@given(steps, st.sampled_from([NO, YES]))
def test_no_step_of_a_wrong_answer_is_positive_and_none_of_a_right_one_negative(
    found: list[float], answer: Verdict
) -> None:
    reward = judged(1.0, answer, found, method="renorm")
    assert reward.step_rewards is not None
    assert all(one >= 0 if answer is YES else one <= 0 for one in reward.step_rewards)
    assert reward.reward == float(answer is YES), "the outcome is in the steps, and the term adds nothing"


@pytest.mark.parametrize("found", [[1.2], [0.5, -0.1]])
def test_renorm_refuses_what_could_break_its_signs(found: list[float]) -> None:
    assert judged(1.0, NO, found, method="renorm").reason_code == "out_of_range"


@given(steps, st.integers(0, 30), st.integers(0, 11), st.none() | share, st.sampled_from([sum, min, max]))
def test_a_repeated_step_is_worth_nothing_whatever_the_aggregate(
    found: list[float], times: int, place: int, threshold: float | None, aggregate: object
) -> None:
    """Said again anywhere: what the response earns is the answer's reward and what its first step is worth."""
    assert callable(aggregate)
    at = place % len(found)
    repeated = [*found[: at + 1], *[found[at]] * times, *found[at + 1 :]]
    once, often = (
        judged(aggregate([*one, 0.9]), YES, [*one, 0.9], method="clip_and_delta", threshold=threshold)
        for one in (found, repeated)
    )
    assert often.reward == pytest.approx(once.reward)
    assert often.reward is not None
    assert often.reward <= 1 + (found[0] if threshold is None else 0) + 1e-9, "bounded by the answer and one step"


rows = st.lists(st.tuples(st.floats(-2, 2), st.floats(-5, 0), st.booleans()), min_size=1, max_size=9)


@given(rows, share)
def test_unlikeliness_leaves_wrong_members_what_they_have(
    group: list[tuple[float, float, bool]], penalty: float
) -> None:
    rewards, logprobs, right = ([*column] for column in zip(*group, strict=True))
    shaped = unlikely(rewards, logprobs, right, penalty)
    for one, before, correct in zip(shaped, rewards, right, strict=True):
        assert one == before if not correct else one <= before
    alike = unlikely([-0.5] * len(group), logprobs, right, penalty)
    rare = [new for _, new, ok in sorted(zip(logprobs, alike, right, strict=True)) if ok]
    assert rare == sorted(rare, reverse=True), "of right ones the less likely has no less, also below 0"


def test_a_confidence_that_nobody_stated_is_not_priced() -> None:
    sure = YES.model_copy(update={"confidence": 0.75})
    plain = recipe(shaping=[{"ppo_c": {"start": 0.4}}])
    assert priced(plain, math=sure).reward == 1
    terms = ["math", {"verifier": "label", "name": "stated", "weight": 0}]
    named = recipe(terms=terms, shaping=[{"ppo_c": {"start": 0.4, "confidence": "stated"}}], invalid=0)
    found = [priced(named, math=sure, stated=scored(one)).reward for one in (0.1, 0.5, 0.9)]
    assert found == pytest.approx([0.52, 1.0, 1.48])


@pytest.mark.parametrize("statistics", ["group", "ema"])
def test_a_response_without_a_program_has_failed_every_test(statistics: str) -> None:
    def tests(*passed: bool) -> Verdict:
        evidence: dict[str, JsonValue] = {"tests": [*passed]}
        if all(passed):
            return Verdict.correct("passed", evidence=evidence)
        return Verdict.partial(sum(passed) / len(passed), "some", evidence=evidence)

    made = recipe(terms=["code"], shaping=[{"verpo": {"statistics": statistics}, "term": "code"}], invalid=0)
    found, states = [], []
    for failed in (tests(False, False), Verdict.invalid("no_program")):
        group = members(made, [{"code": one} for one in (tests(True, True), tests(True, False), failed, failed)])
        done = settled(made, group)
        found.append(values(done))
        states.append(learn(made, [("g", group, done)], NOTHING_KNOWN).tests)
    assert found[1] == pytest.approx(found[0])
    assert states[1] == states[0]


histories = st.lists(share, min_size=3, max_size=8).filter(lambda one: max(one) - min(one) > 1e-3)


def kept(history: Sequence[float] | None, labelled: Sequence[float], formulas: Conditions = NOTHING_KNOWN) -> bool:
    made = recipe(group={"rules": ["semi_supervised"]})
    known = {"g": [*history]} if history is not None else {}
    conditions = replace(formulas, histories=known, labelled_history=labelled)
    return bool(settled(made, members(made, [{"math": YES}, {"math": NO}]), conditions).group.kept)


@given(histories, st.floats(0.1, 1), share)
def test_an_opposite_and_a_collapsed_history_are_dropped(labelled: list[float], scale: float, level: float) -> None:
    assert kept([scale * one for one in labelled], labelled)
    assert not kept([1 - scale * one for one in labelled], labelled)
    assert not kept([level] * len(labelled), labelled)
    assert not kept(None, labelled)


PROMPTS = [f"p{place}" for place in range(60)]


def flips(step: int | None, formulas: Conditions = NOTHING_KNOWN, *, group: str = "{}") -> list[float | None]:
    body = {"verifier": "flip", "params": {"inner": {"verifier": "math"}}}
    made = parse_recipe({"terms": [body], "control": True, "invalid": 0})
    conditions = replace(formulas, step=step)
    return [
        priced(made, Sample(prompt=one, response="x", group=group.format(one)), conditions, flip=YES).reward
        for one in PROMPTS
    ]


def test_flips_are_not_fixed_for_ever() -> None:
    one, other = flips(0), flips(1)
    assert one == flips(0), "a replay draws the same"
    assert one != other
    assert flips(None, group="{}-a") != flips(None, group="{}-b"), "without a step the group's name draws anew"
    often = [sum(column) / 40 for column in zip(*(flips(step) for step in range(40)), strict=True)]
    assert 0.1 < min(often) <= max(often) < 0.9, "no prompt is wrong always"


def test_whoever_is_gated_by_a_flip_is_judged_where_the_flip_lets_them() -> None:
    """The draw that asks for a term is the draw that prices it."""
    flip = {"verifier": "flip", "params": {"inner": {"verifier": "math"}}}
    made = parse_recipe({"terms": [flip, {"verifier": "exact", "gate": "flip"}], "control": True, "invalid": 0})
    seen = set()
    for step in range(40):
        sample, conditions = Sample(prompt="p", response="x"), Conditions(step=step)
        course = made.course_of(sample)
        assert course is not None
        asked = [one.key for one in due(course, sample, {"flip": YES}, conditions)]
        said = {"flip": YES} | ({"exact": YES} if asked else {})
        reward = priced(made, sample, conditions, **said)
        assert reward.reward == (2.0 if asked else 0.0)
        seen.add(reward.reward)
    assert seen == {0.0, 2.0}


def test_a_recipe_names_the_versions_of_its_formulas() -> None:
    assert recipe().formulas == {}
    rules = {"rules": ["semi_supervised", "zero_variance"]}
    shaping = ["unlikeliness", {"clip_and_delta": {}, "term": "math"}, {"clip": {}}]
    assert recipe(shaping=shaping, group=rules).formulas == {
        "unlikeliness": 2,
        "clip_and_delta": 2,
        "semi_supervised": 2,
    }
    body = {"verifier": "flip", "params": {"inner": {"verifier": "math"}}}
    assert parse_recipe({"terms": [body], "control": True, "invalid": 0}).formulas == {"flip": 2}


def test_what_was_priced_by_a_first_version_is_computed_by_it() -> None:
    """The numbers that the first versions gave, mistakes and all."""
    terms = [{"verifier": "math"}, {"verifier": "process_reward", "name": "prm"}]
    clipped = recipe(terms=terms, shaping=[{"clip_and_delta": {"threshold": 0.7}, "term": "prm"}], range=[-2, 99])
    prm = scored(5.79, step_scores=[0.96, 0.96, 0.96, 0.96, 0.96, 0.99])
    assert priced(clipped, conditions=FIRST, math=YES, prm=prm).reward == pytest.approx(6.79)
    newest = Conditions(formulas={"clip_and_delta": 2})
    assert priced(clipped, conditions=newest, math=YES, prm=prm).reward == pytest.approx(1)
    sure = YES.model_copy(update={"confidence": 0.75})
    assert priced(recipe(shaping=[{"ppo_c": {"start": 0.4}}]), conditions=FIRST, math=sure).reward == pytest.approx(1.3)
    rare = recipe(shaping=[{"affine": {"scale": 2, "offset": -1}}, "unlikeliness"], range=[-1, 1])
    group = members(
        rare,
        [{"math": one} for one in (YES, YES, NO, NO)],
        logprobs=[{"token_ids": [1], "logprobs": [one]} for one in (-0.1, -0.9, -0.1, -0.9)],
    )
    assert values(settled(rare, group, FIRST)) == pytest.approx([0.875, 1, -0.875, -1])
    labelled = [0.25, 0.5, 0.75, 1.0]
    assert kept(labelled[::-1], labelled, FIRST)
    assert kept([1.0] * 4, labelled, FIRST)
    assert kept(None, labelled, FIRST)
    assert flips(0, FIRST) == flips(1, FIRST)


@settings(max_examples=30)
@given(st.integers(0, 5), st.lists(share, min_size=2, max_size=5))
def test_the_last_step_may_be_the_outcome(place: int, found: list[float]) -> None:
    answer = [YES, NO][place % 2]
    reward = judged(0.5, answer, found, method="steps", last="outcome")
    assert reward.step_rewards == [*found[:-1], float(answer is YES)]
    assert judged(0.5, answer, found, method="steps").step_rewards == found
