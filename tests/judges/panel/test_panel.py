"""``panel``: several judges, constraints, baselines; and what a response that breaks one of them gets."""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Callable
from statistics import fmean

import pytest

from judges.base import ModelUnavailable
from judges.failure_verdicts import judge_task
from judges.panel import PanelVerifier
from judges.pointwise import JudgeOneVerifier
from tests.judges.replies import response_in
from tests.judges.several import Says, Several
from trueward.authoring.verifier import Abstain
from trueward.errors import InvalidParameters
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict
from verifiers import registry


def panel(*members: object, **params: object) -> PanelVerifier:
    made = registry.create("panel", {"members": [*members], **params})  # type: ignore[list-item,dict-item]
    assert isinstance(made, PanelVerifier)
    return made


def judge(model: str, **fields: object) -> dict[str, object]:
    return {"verifier": "judge", "params": {"model": model}, "name": model, **fields}


def grader(model: str, **fields: object) -> dict[str, object]:
    params = {"model": model, "preset": "graded_correctness"}
    return {"verifier": "judge", "params": params, "name": model, **fields}


def reward(model: str = "reward", **fields: object) -> dict[str, object]:
    return {"verifier": "reward_model", "params": {"model": model}, "name": model, **fields}


def sample(response: str = "The answer is 4.", **fields: object) -> Sample:
    return Sample.model_validate({"prompt": "What is 2 + 2?", "response": response, "reference": "4", **fields})


def says(verdict: str) -> Callable[[str], str]:
    return lambda text: json.dumps({"analysis": "seen", "verdict": verdict})


def grades(score: int) -> Callable[[str], str]:
    return lambda text: json.dumps({"analysis": "seen", "score": score})


def gone(text: str) -> str:
    raise ModelUnavailable("its server is gone")


def breaks(text: str) -> str:
    """A judge whose replies a response can break."""
    return "no" if "BREAK" in response_in(text) else grades(10)(text)


YES, NO = says("correct"), says("incorrect")


def verdict_of(verifier: PanelVerifier, one: Sample, models: Several) -> Verdict:
    try:
        found = verifier.triage(one)
    except Abstain as refusal:
        return Verdict.abstained(refusal.reason_code, refusal.reason)
    return found if isinstance(found, Verdict) else asyncio.run(judge_task(verifier, found, models))


def of(verifier: PanelVerifier, one: Sample | None = None, **models: Says) -> Verdict:
    return verdict_of(verifier, one or sample(), Several(models))


def test_the_mean_of_what_the_judges_give() -> None:
    verdict = of(panel(judge("a"), grader("b", weight=3)), a=YES, b=grades(6))
    assert verdict.outcome == "scored"
    assert verdict.score == pytest.approx((1 + 3 * 0.6) / 4)
    assert verdict.evidence["spread"] == pytest.approx(0.2)
    assert verdict.evidence["agreement"] == 1
    members = verdict.evidence["members"]
    assert isinstance(members, dict)
    assert {name: (one["outcome"], one["score"]) for name, one in members.items()} == {  # type: ignore[index,call-overload]
        "a": ("correct", 1.0),
        "b": ("scored", 0.6),
    }
    assert verdict.evidence["usage"]["calls"] == 2  # type: ignore[index,call-overload]


def test_a_pass_line_makes_a_verdict_and_the_share_that_agrees_is_its_confidence() -> None:
    seats = [grader("a"), grader("b"), grader("c")]
    verdict = of(panel(*seats, threshold=0.5), a=grades(9), b=grades(8), c=grades(1))
    assert verdict.outcome == "correct"
    assert verdict.confidence == pytest.approx(2 / 3)
    assert verdict.evidence["score"] == pytest.approx(0.6)
    verdict = of(panel(*seats, threshold=0.7), a=grades(9), b=grades(8), c=grades(1))
    assert verdict.outcome == "incorrect"
    assert verdict.confidence == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("combine", "third", "outcome", "code", "confidence"),
    [
        ("majority", YES, "correct", "accepted", 2 / 3),
        ("majority", NO, "incorrect", "rejected", 2 / 3),
        ("majority", gone, "error", "model_unavailable", None),
        ("unanimous", YES, "incorrect", "rejected", 1 / 3),
        ("unanimous", gone, "incorrect", "rejected", 1 / 2),
    ],
)
def test_votes_make_a_verdict(combine: str, third: Says, outcome: str, code: str, confidence: float | None) -> None:
    verdict = of(panel(judge("a"), judge("b"), judge("c"), combine=combine), a=YES, b=NO, c=third)
    assert (verdict.outcome, verdict.reason_code) == (outcome, code)
    assert verdict.confidence == (confidence if confidence is None else pytest.approx(confidence))


def test_two_of_three_settle_a_majority_without_the_third() -> None:
    seats = [judge("a"), judge("b"), judge("c")]
    verdict = of(panel(*seats, combine="majority"), a=YES, b=YES, c=gone)
    assert (verdict.outcome, verdict.confidence) == (Outcome.CORRECT, 1.0)
    assert verdict.evidence["missing"] == ["c"]


def test_a_judge_that_is_gone_is_no_vote_and_below_the_quorum_there_is_no_score() -> None:
    seats = [judge("a"), judge("b")]
    verdict = of(panel(*seats), a=YES, b=gone)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "model_unavailable")
    assert of(panel(*seats, quorum=0.5), a=YES, b=gone).score == 1.0
    assert of(panel(*seats, quorum=0.5), a=NO, b=gone).score == 0.0


@pytest.mark.parametrize("combine", ["mean", "median", "min", "majority", "unanimous"])
def test_breaking_a_judge_never_pays(combine: str) -> None:
    """A response that a member cannot judge counts as that member's lowest."""
    verifier = panel(grader("a"), grader("b"), combine=combine)
    whole, broken = (of(verifier, sample(text), a=grades(6), b=breaks) for text in ("It is four.", "It is four. BREAK"))
    assert whole.score is not None
    assert broken.score is not None
    assert broken.score < whole.score
    member = broken.evidence["members"]["b"]  # type: ignore[index,call-overload]
    assert (member["outcome"], member["reason_code"]) == ("invalid", "unjudgeable")  # type: ignore[index,call-overload]


def test_a_response_that_no_judge_can_judge_is_invalid() -> None:
    verdict = of(panel(judge("a"), judge("b")), sample(": ..."), a=YES, b=YES)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "nothing_said")


def test_judges_that_reply_nonsense_to_all_are_our_failure() -> None:
    verdict = of(panel(judge("a"), judge("b")), a=lambda text: "no", b=lambda text: "no")
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "judge_malformed")


@pytest.mark.parametrize(
    ("constraint", "grade", "outcome", "score"),
    [
        (YES, grades(7), "scored", 0.7),
        (NO, grades(7), "incorrect", 0.0),
        (gone, grades(7), "error", None),
        (NO, gone, "incorrect", 0.0),
    ],
)
def test_a_constraint_that_is_not_met_makes_it_zero(
    constraint: Says, grade: Says, outcome: str, score: float | None
) -> None:
    verdict = of(panel(grader("a"), judge("rule", role="constraint")), a=grade, rule=constraint)
    assert (verdict.outcome, verdict.score) == (outcome, score if score is None else pytest.approx(score))


def test_a_violated_constraint_is_not_made_null_by_another_that_is_gone() -> None:
    seats = [judge("a"), judge("x", role="constraint"), judge("y", role="constraint")]
    verdict = of(panel(*seats), a=YES, x=gone, y=NO)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INCORRECT, "constraint_violated")


def test_a_constraint_may_be_a_rule_that_asks_no_model() -> None:
    rule = {"verifier": "exact", "role": "constraint", "params": {"extract": "whole"}}
    verifier = panel(judge("a"), rule)
    assert of(verifier, sample("4"), a=YES).score == 1.0
    assert of(verifier, sample("It is 4."), a=YES).reason_code == "constraint_violated"


def test_calibrated_rewards_under_constraints() -> None:
    """arXiv 2409.20370: rewards 2 and 1 against a baseline's 1, the second violates: .731059 and 0, mean .365529."""
    rewards = {"good": 2.0, "fair": 1.0, "base": 1.0}

    def rated(text: str) -> float:
        return rewards[text.split()[-1]]

    def kept(text: str) -> str:
        return YES(text) if "good" in response_in(text) else NO(text)

    verifier = panel(reward(), judge("rule", role="constraint"), calibrate=True)
    found = [
        of(verifier, sample(text, baselines=["base"]), reward=rated, rule=kept).score
        for text in ("It is 4, good", "It is 5, fair")
    ]
    assert found == [pytest.approx(0.731059, abs=1e-6), 0.0]
    mean = fmean(score for score in found if score is not None)
    assert mean == pytest.approx(0.365529, abs=1e-6)
    assert [score - mean for score in found if score is not None] == pytest.approx([0.365529, -0.365529], abs=1e-6)


def test_several_baselines_are_meant_and_their_scores_are_told() -> None:
    def rated(text: str) -> float:
        return float(text.split()[-1])

    verifier = panel(reward(), reward("reward-2"), calibrate=True)
    one = sample("3", baselines=["1", "2"])
    models = Several({"reward": rated, "reward-2": rated})
    verdict = verdict_of(verifier, one, models)
    assert verdict.score == pytest.approx(1 / (1 + math.exp(-1.5)))
    assert verdict.evidence["members"]["reward"]["baselines"] == [1.0, 2.0]  # type: ignore[index,call-overload]
    assert len(models.asked) == 6


def test_a_calibrated_panel_needs_baselines_and_a_bad_one_is_the_caller_s() -> None:
    verifier = panel(judge("a"), judge("b"), calibrate=True)
    assert of(verifier, a=YES, b=YES).reason_code == "no_baselines"
    verdict = of(verifier, sample(baselines=["::"]), a=YES, b=YES)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ABSTAINED, None, "baseline_invalid")


def test_a_calibrated_response_that_cannot_be_judged_is_below_all_others() -> None:
    verifier = panel(grader("a"), grader("b"), calibrate=True)
    worst = of(verifier, sample("four", baselines=["five"]), a=grades(0), b=breaks).score
    broken = of(verifier, sample("It is 4. BREAK", baselines=["five"]), a=grades(0), b=breaks).score
    assert worst is not None
    assert broken is not None
    assert broken < worst


def test_a_bonus_modulates_what_the_judges_give() -> None:
    """Base .5, bonus .8, floor .6: .5 * (.6 + .4 * .8) = .46."""
    seats = [grader("a"), grader("b", role="bonus")]
    verdict = of(panel(*seats), a=grades(5), b=grades(8))
    assert verdict.score == pytest.approx(0.46)
    assert (verdict.evidence["base"], verdict.evidence["bonus"]) == (0.5, 0.8)
    assert of(panel(*seats), a=grades(0), b=grades(10)).score == 0.0
    assert of(panel(*seats), a=grades(0), b=gone).score == 0.0
    assert of(panel(*seats), a=grades(5), b=gone).score is None
    assert of(panel(*seats), sample("It is 4. BREAK"), a=grades(5), b=breaks).score == pytest.approx(0.3)


def test_a_judge_whose_scores_have_no_bounds_is_combined_by_votes_or_calibrated() -> None:
    with pytest.raises(InvalidParameters, match="no bounds"):
        panel(grader("a"), reward())
    with pytest.raises(InvalidParameters, match="no bounds"):
        panel(grader("a"), reward(role="bonus"), calibrate=True)
    assert of(panel(judge("a"), reward(threshold=2), combine="unanimous"), a=YES, reward=lambda text: 2.0).score == 1
    assert of(panel(judge("a"), reward(threshold=2), combine="unanimous"), a=YES, reward=lambda text: 1.9).score == 0


def test_a_range_brings_scores_into_bounds_and_no_response_below_its_end() -> None:
    seats = [grader("a"), reward(range=[-2, 2])]
    for raw, counted in ((-9.0, 0.0), (-2.0, 0.0), (0.0, 0.5), (1.0, 0.75), (5.0, 1.0)):
        verdict = of(panel(*seats), a=grades(5), reward=lambda text, raw=raw: raw)  # type: ignore[misc]
        assert verdict.score == pytest.approx((0.5 + counted) / 2)
        told = verdict.evidence["members"]["reward"]  # type: ignore[index,call-overload]
        assert (told["score"], told["counted"]) == (raw, counted)  # type: ignore[index,call-overload]
    passed = reward(range=[-2, 2], params={"model": "reward", "threshold": 0})
    assert of(panel(grader("a"), passed), a=grades(5), reward=lambda text: 0.5).score == 0.75
    with pytest.raises(InvalidParameters, match="low below high"):
        panel(grader("a"), reward(range=[1, 1]))


def test_a_number_out_of_range_is_not_combined_whatever_its_verifier_declares() -> None:
    """Log odds of a preset: 2.2, where the verifier's scores are in [0, 1] by its word."""
    params = {"model": "odds", "preset": "principle", "principle": "Be brief."}
    seats = [grader("a"), {"verifier": "judge", "params": params, "name": "odds"}]
    verdict = of(panel(*seats), a=grades(5), odds=lambda text: 0.9)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ABSTAINED, None, "out_of_range")
    assert of(panel(*seats, combine="unanimous"), a=grades(5), odds=lambda text: 0.9).score == 1


def test_a_bug_in_a_member_costs_its_vote_and_no_more() -> None:
    def broken(text: str) -> str:
        raise ZeroDivisionError("a bug")

    verdict = of(panel(judge("a"), judge("b"), quorum=0.5), a=YES, b=broken)
    assert verdict.score == 1.0
    assert verdict.evidence["members"]["b"]["reason_code"] == "verifier_crashed"  # type: ignore[index,call-overload]


def test_what_members_tell_the_policy_is_passed_on() -> None:
    rubric = {
        "verifier": "rubric",
        "params": {"model": "b", "preset": "rubric_each", "feedback": "full"},
        "range": [0, 1],
    }
    one = sample(metadata={"rubric": {"criteria": [{"id": "short", "text": "Has one word."}]}})
    unmet = json.dumps({"reason": "It has four.", "score": 0})
    verdict = of(panel(judge("a"), rubric), one, a=YES, b=lambda text: unmet)
    assert verdict.score == 0.5
    assert verdict.feedback is not None
    assert "Has one word." in verdict.feedback
    assert of(panel(judge("a"), judge("b")), a=YES, b=YES).feedback is None


def test_all_members_are_asked_at_once() -> None:
    waiting = asyncio.Barrier(3)

    class Meeting(Several):
        async def ask(self, name: str, question: object) -> object:  # type: ignore[override]
            await waiting.wait()
            return await super().ask(name, question)  # type: ignore[arg-type]

    verifier = panel(judge("a"), judge("b"), judge("c"))
    assert verdict_of(verifier, sample(), Meeting({"a": YES, "b": YES, "c": YES})).score == 1.0


@pytest.mark.parametrize(
    ("member", "place", "words"),
    [
        ({"verifier": "panel"}, "verifier", "cannot sit"),
        ({"verifier": "code"}, "verifier", "cannot sit"),
        ({"verifier": "agreement"}, "verifier", "cannot sit"),
        ({"verifier": "jugde"}, "verifier", "there is no verifier"),
        ({"verifier": "judge", "params": {"preset": "none"}}, "params", "no pointwise preset"),
        ({"verifier": "judge", "weight": 0}, "weight", "greater than 0"),
    ],
)
def test_who_cannot_sit_is_refused_with_the_place(member: object, place: str, words: str) -> None:
    with pytest.raises(InvalidParameters, match=words) as refused:
        panel(judge("a"), member)
    assert refused.value.errors[0].field == f"params.members.1.{place}"


def test_a_panel_needs_two_names_and_a_judge() -> None:
    for members in ([judge("a"), judge("a")], [judge("a", role="bonus"), judge("b", role="constraint")], [judge("a")]):
        with pytest.raises(InvalidParameters):
            panel(*members)


def test_the_models_are_those_of_the_members_and_each_has_its_place() -> None:
    verifier = panel(
        judge("a"), {"verifier": "reward_model", "params": {"model": "reward", "ensemble": ["x", "a"]}}, calibrate=True
    )
    assert verifier.models == ("a", "reward", "x")
    assert verifier.place("x") == "members.1.params.ensemble.0"
    assert PanelVerifier().models == ("judge", "second")
    assert PanelVerifier().place("judge") == "members.0.params.model"


def test_another_version_of_a_member_is_another_producer(monkeypatch: pytest.MonkeyPatch) -> None:
    before = PanelVerifier().producer
    monkeypatch.setattr(JudgeOneVerifier, "version", "other")
    assert PanelVerifier().producer.version != before.version
