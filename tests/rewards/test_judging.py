"""What is judged, and when: gates, fallbacks, shadows, routes."""

from __future__ import annotations

import pytest

from rewards.judging import due, final
from rewards.recipe import Recipe, parse_recipe
from tests.rewards.situation import INVALID, NO, OURS, YES, pay, priced
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

SAMPLE = Sample(response="x")


def keys(made: Recipe, sample: Sample = SAMPLE, **verdicts: Verdict) -> list[str]:
    course = made.course_of(sample)
    assert course is not None
    return [one.key for one in due(course, sample, verdicts)]


def test_a_plain_recipe_asks_for_everything_at_once() -> None:
    made = parse_recipe({"terms": ["math", "format"]})
    assert keys(made) == ["math", "format"]
    assert keys(made, math=YES) == ["format"]
    assert keys(made, math=YES, format=NO) == []


def test_a_gated_term_is_judged_only_where_its_gate_opens() -> None:
    made = parse_recipe({"terms": ["math", {"verifier": "judge", "gate": "math"}]})
    assert keys(made) == ["math"]
    assert keys(made, math=YES) == ["judge"]
    for shut in (NO, INVALID, OURS):
        assert keys(made, math=shut) == []
    assert priced(made, math=YES, judge=Verdict.partial(0.5, "half")).reward == 1.5
    assert priced(made, math=NO).reward == 0
    assert priced(made, math=NO).components == {"math": 0.0, "judge": None}


def test_gates_in_a_row_are_decided_one_after_the_other() -> None:
    made = parse_recipe({"terms": ["a", {"verifier": "b", "gate": "a"}, {"verifier": "c", "gate": "b"}]})
    assert [keys(made), keys(made, a=YES), keys(made, a=YES, b=YES)] == [["a"], ["b"], ["c"]]
    assert keys(made, a=NO) == []
    assert priced(made, a=YES, b=NO).reward == 1


def test_an_invalid_score_of_nothing_opens_no_gate() -> None:
    made = parse_recipe({"terms": ["a", {"verifier": "b", "gate": {"term": "a", "at_least": 0}}]})
    assert keys(made, a=NO) == ["b"]
    assert keys(made, a=INVALID) == []


def test_the_worked_gate() -> None:
    made = parse_recipe({"terms": ["out", {"verifier": "steps", "gate": {"term": "out", "at_least": 0.5}}]})
    steps = Verdict.partial(0.6, "steps")
    assert priced(made, out=NO, steps=steps).reward == 0
    assert priced(made, out=YES, steps=steps).reward == 1.6


def test_a_failure_behind_a_shut_gate_costs_nothing_and_one_at_the_gate_everything() -> None:
    made = parse_recipe({"terms": ["a", {"verifier": "b", "gate": "a"}]})
    assert priced(made, a=NO, b=OURS).reward == 0
    missing = priced(made, a=OURS)
    assert (missing.reward, missing.outcome) == (None, Outcome.TIMEOUT)


def test_a_gate_without_a_score_is_not_shut_also_where_its_own_term_may_be_missing() -> None:
    made = parse_recipe({"terms": [{"verifier": "a", "required": False}, {"verifier": "b", "gate": "a"}, "c"]})
    assert priced(made, a=NO, c=YES).reward == 1
    missing = priced(made, a=OURS, c=YES)
    assert (missing.reward, missing.outcome) == (None, Outcome.TIMEOUT)


@pytest.mark.parametrize(
    ("first", "when", "asked"),
    [
        (YES, ["unparsed", "rejected", "missing"], False),
        (NO, ["rejected"], True),
        (NO, ["unparsed", "missing"], False),
        (INVALID, ["unparsed"], True),
        (INVALID, ["rejected"], False),
        (Verdict.invalid("resource_limit"), ["unparsed", "rejected"], False),
        (Verdict.invalid("hedged"), ["unparsed"], False),
        (OURS, ["missing"], True),
        (Verdict.abstained("aborted"), ["missing"], False),
        (Verdict.partial(0.5, "some"), ["unparsed", "rejected"], False),
    ],
)
def test_a_fallback_is_asked_about_what_it_says(first: Verdict, when: list[str], asked: bool) -> None:
    made = parse_recipe({"terms": [{"verifier": "math", "fallback": {"verifier": "judge", "when": when}}]})
    assert keys(made, math=first) == (["math:1"] if asked else [])


def test_the_last_of_a_chain_stands_for_the_term() -> None:
    made = parse_recipe({"terms": [{"verifier": "math", "fallback": ["exact", "judge"]}]})
    assert [one.verifier for one in made.judgements] == ["math", "exact", "judge"]
    course = made.default
    assert course is not None
    assert [one.key for one in due(course, SAMPLE, {"math": NO, "math:1": NO})] == ["math:2"]
    assert pay(made, {"math": NO, "math:1": NO, "math:2": YES}).reward == 1
    assert pay(made, {"math": NO, "math:1": YES}).components == {"math": 1.0}
    failed = pay(made, {"math": NO, "math:1": OURS})
    assert (failed.reward, failed.outcome) == (None, Outcome.TIMEOUT)


def test_breaking_the_judge_takes_no_rejection_back() -> None:
    made = parse_recipe({"terms": [{"verifier": "math", "fallback": "judge"}], "range": [-1, 1]})
    broken = Verdict.invalid("unjudgeable")
    term = made.terms[0]
    assert final(term, SAMPLE, {"math": NO, "math:1": broken}) is NO
    assert pay(made, {"math": INVALID, "math:1": broken}).reward == -1


def test_a_shadow_is_drawn_by_content_and_never_paid() -> None:
    made = parse_recipe({"terms": ["math", {"verifier": "judge", "shadow": 0.25, "weight": 9}]})
    samples = [Sample(response=f"r{index}", id=str(index)) for index in range(400)]
    shadowed = [sample for sample in samples if "judge" in keys(made, sample)]
    assert 60 < len(shadowed) < 140
    assert all("judge" in keys(made, sample.model_copy(update={"id": "z"})) for sample in shadowed)
    course = made.default
    assert course is not None
    assert [one.shadow for one in course.judgements.values()] == [False, True]
    for said in (NO, OURS, INVALID):
        assert priced(made, math=YES, judge=said).reward == 1
    assert priced(made, math=YES).reward == 1


ROUTED = {
    "routes": [
        {"when": {"data_source": ["gsm8k", "math"]}, "terms": ["math"]},
        {"when": {"language": "python", "metadata": {"level": 3}}, "terms": ["code"], "shaping": [{"clip": [0, 0.5]}]},
        {"when": {"answer_type": "choice"}, "terms": ["choice"], "combine": "min"},
    ],
    "shaping": [{"affine": {"scale": 2}}],
}


@pytest.mark.parametrize(
    ("fields", "asked"),
    [
        ({"data_source": "math"}, ["math"]),
        ({"metadata": {"language": "python", "level": 3}}, ["code"]),
        ({"metadata": {"language": "python", "level": 2, "answer_type": "choice"}}, ["choice"]),
        ({"data_source": "gsm8k", "metadata": {"answer_type": "choice"}}, ["math"]),
    ],
)
def test_the_first_route_that_matches_is_taken(fields: dict[str, object], asked: list[str]) -> None:
    sample = Sample.model_validate({"response": "x", **fields})
    assert keys(parse_recipe(ROUTED), sample) == asked


def test_a_route_may_shape_for_itself() -> None:
    made = parse_recipe(ROUTED)
    code = Sample(response="x", metadata={"language": "python", "level": 3})
    assert priced(made, code, code=YES).reward == 0.5
    assert priced(made, Sample(response="x", data_source="math"), math=YES).reward == 2


def test_a_sample_without_a_route_is_alone_and_named() -> None:
    made = parse_recipe(ROUTED)
    lost = Sample(response="x", id="a", data_source="poems")
    reward = priced(made, lost)
    assert made.course_of(lost) is None
    assert (reward.reward, reward.outcome, reward.reason_code) == (None, Outcome.ABSTAINED, "no_route")
    assert "poems" in reward.reason
    assert reward.components == {"math": None, "code": None, "choice": None}
    assert priced(parse_recipe({**ROUTED, "terms": ["exact"]}), lost, exact=YES).reward == 2
