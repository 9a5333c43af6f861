"""Criteria that may not apply: left out of the score where the judge says so, and no way to be paid for nothing."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from tests.judges.replies import Replies, verdict_of
from tests.judges.rubric.judges import criteria, each, rubric, said, sample
from trueward.rubrics import Rubric
from trueward.wire.verdict import Outcome

NA = json.dumps({"reason": "nothing of it arises", "score": "N/A"})


def optional(*weights: float, always: int = 1, **fields: object) -> dict[str, JsonValue]:
    """As ``criteria``; all but the first ``always`` may not apply."""
    made = criteria(*weights, **fields)
    listed = made["criteria"]
    assert isinstance(listed, list)
    for one in listed[always:]:
        assert isinstance(one, dict)
        one["may_not_apply"] = True
    return made


def all_of(*scores: int | str) -> str:
    entries = [{"id": f"c{n}", "reason": "seen", "score": score} for n, score in enumerate(scores, start=1)]
    return json.dumps({"criteria": entries})


@pytest.mark.parametrize("preset", ["rubric_each", "rubric_all"])
@pytest.mark.parametrize(("scores", "expected"), [((1, "N/A", 0), 1 / 3), ((0, "n/a", 1), 2 / 3), ((1, 1, "N/A"), 1.0)])
def test_a_criterion_that_does_not_apply_is_left_out_of_the_divisor_too(
    preset: str, scores: tuple[int | str, ...], expected: float
) -> None:
    texts = ("Says one.", "Says two.", "Says three.")
    replies = {text: json.dumps({"reason": "", "score": one}) for text, one in zip(texts, scores, strict=True)}
    reply = each(replies) if preset == "rubric_each" else lambda text: all_of(*scores)
    weights = (1, 1, 2)
    verdict = verdict_of(rubric(preset=preset), sample("one", optional(*weights)), Replies(reply))
    assert verdict.score == pytest.approx(expected)
    assert verdict.evidence["not_applicable"] == [f"c{1 + [str(one).upper() for one in scores].index('N/A')}"]


def test_a_criterion_that_always_applies_cannot_be_said_not_to() -> None:
    models = Replies(lambda text: NA)
    verdict = verdict_of(rubric(), sample("one", criteria(1)), models)
    assert verdict.outcome in (Outcome.ERROR, Outcome.INVALID)
    assert "N/A" not in models.asked[0].prompt[1].content  # type: ignore[union-attr]


def test_only_what_may_not_apply_is_asked_with_that_choice() -> None:
    models = Replies(lambda text: said(1))
    verdict_of(rubric(), sample("one", optional(1, 1)), models)
    offered = {'"N/A"' in asked.prompt[1].content: asked.form for asked in models.asked}  # type: ignore[union-attr]
    assert set(offered) == {False, True}
    assert "N/A" in str(offered[True])
    assert "N/A" not in str(offered[False])


@pytest.mark.parametrize("mode", ["positive", "signed_abs_norm", "signed_pos_norm_clip"])
def test_a_response_to_which_nothing_applies_earns_nothing_and_is_not_free(mode: str) -> None:
    models = Replies(lambda text: NA)
    verdict = verdict_of(rubric(), sample("one", optional(1, 1, always=0, weight_mode=mode)), models)
    assert (verdict.outcome, verdict.score) == (Outcome.SCORED, 0.0)
    assert verdict.evidence["not_applicable"] == ["c1", "c2"]
    assert verdict.feedback in (None, "No criterion applies.")


def test_what_is_left_with_no_weight_above_0_earns_nothing() -> None:
    replies = {"Says one.": NA, "Says two.": said(0)}
    weighed = optional(1, -1, always=0, weight_mode="signed_pos_norm_clip")
    assert verdict_of(rubric(), sample("one", weighed), Replies(each(replies))).score == 0.0


def test_of_several_replies_more_than_half_decide_whether_it_applies() -> None:
    for votes, applies in (([NA, NA, said(1)], False), ([NA, said(1), said(0)], True), ([NA, said(1)], True)):
        replies = iter(votes)
        models = Replies(lambda text, replies=replies: next(replies))  # type: ignore[misc]
        judged = rubric(samples=len(votes), temperature=1.0)
        verdict = verdict_of(judged, sample("one", optional(1, always=0)), models)
        assert ("not_applicable" not in verdict.evidence) is applies


@given(st.lists(st.tuples(st.floats(0.1, 5), st.sampled_from([0, 1, None])), min_size=1, max_size=6))
def test_the_score_is_that_of_the_rubric_without_what_does_not_apply(rows: list[tuple[float, int | None]]) -> None:
    texts = ("Says one.", "Says two.", "Says three.", "Says four.", "Says five.", "Says six.")
    weights = [weight for weight, _ in rows]
    replies = {text: NA if one is None else said(one) for text, (_, one) in zip(texts, rows, strict=False)}
    verdict = verdict_of(rubric(), sample("x", optional(*weights, always=0)), Replies(each(replies)))
    applying = [(weight, one) for weight, one in rows if one is not None]
    expected = sum(w * c for w, c in applying) / sum(w for w, _ in applying) if applying else 0.0
    assert verdict.score == pytest.approx(expected)


def test_rubrics_in_which_everything_applies_keep_their_hash() -> None:
    one = Rubric.of(criteria(1, 2))
    assert one.hash == "sha256:be81a35f1621b44bbc29f9567282d7a61da036964ce14cc462dce4fde0d38ede"
    assert Rubric.of(optional(1, 2)).hash != one.hash
