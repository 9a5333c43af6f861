"""What changed between then and now, on both databases, on ledgers small enough to count by hand."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from app import tables
from app.kit.db import Database
from tests.audits.labelled.planted import draw, drawn, label, put, put_judged, sample, verdict
from tests.audits.reverify.changed import MATH, Changed, reverified
from trueward.errors import InvalidRequest
from trueward.wire.audit import LabelChoice, Population, ReverifyAudit, Subject
from trueward.wire.verdict import Outcome

C, I, T = Outcome.CORRECT, Outcome.INCORRECT, Outcome.TIMEOUT  # noqa: E741 - a column of outcomes is read more easily
FOURTEEN = [*[(I, C)] * 6, (C, I), *[(C, C)] * 3, *[(I, I)] * 2, (T, C), (C, T)]
"""Then and now: six flips one way, one the other, a verdict more and one less."""


async def planted(db: Database, kinds: list[tuple[Outcome, Outcome]], **rest: Any) -> tuple[list[Any], Changed]:
    samples = [sample(f"r{place}", prompt=f"p{place}") for place in range(len(kinds))]
    said = [verdict(one, then.value, **rest) for one, (then, _) in zip(samples, kinds, strict=True)]
    for one, (then, _) in zip(said, kinds, strict=True):
        one["score"] = None if then.missing else one["score"]
    await put_judged(db, list(zip(samples, said, strict=True)))
    return samples, Changed({f"r{place}": now for place, (_, now) in enumerate(kinds)})


async def test_missing_scores_are_told_with_their_reasons(db: Database) -> None:
    _, judging = await planted(db, FOURTEEN)
    notes = (await reverified(db, judging)).notes
    assert "then 1 of 14 samples had no score: made_up 1" in notes
    assert "now 1 of 14 samples had no score: now_timeout 1" in notes


async def test_no_threshold_is_asked_for_where_nothing_has_a_score(db: Database) -> None:
    _, judging = await planted(db, [(C, T)] * 3)
    notes = (await reverified(db, judging)).notes
    assert notes == ["now 3 of 3 samples had no score: now_timeout 3"]


async def test_flips_both_ways_are_counted_and_tested(db: Database) -> None:
    _, judging = await planted(db, FOURTEEN)
    findings: Any = (await reverified(db, judging)).findings
    flips = findings["flips"]
    assert (flips["gained"], flips["lost"], flips["items"]) == (6, 1, 12)
    assert flips["exact"] == pytest.approx(2 * (1 + 7) / 2**7)
    assert flips["mid"] == pytest.approx(2 * (1 + 7) / 2**7 - 7 / 2**7)
    assert flips["share"] == pytest.approx(7 / 12)
    assert findings["table"] == {
        "accepted": {"accepted": 3, "rejected": 1, "no verdict": 1},
        "rejected": {"accepted": 6, "rejected": 2, "no verdict": 0},
        "no verdict": {"accepted": 1, "rejected": 0, "no verdict": 0},
    }
    assert findings["scores"]["missing"] == {"before": 1 / 14, "after": 1 / 14}
    assert findings["by_reason"] == [
        {"before": "made_up", "after": "now_correct", "gained": 6, "lost": 0},
        {"before": "made_up", "after": "now_incorrect", "gained": 0, "lost": 1},
    ]


async def test_flips_are_listed_by_both_records_and_shown(db: Database) -> None:
    hostile = "<script>alert(1)</script>" * 40
    samples = [sample(hostile, prompt="=1+1", reference={"a": 1}), sample("x")]
    said = [verdict(samples[0], "incorrect", reason="then <b>"), verdict(samples[1])]
    await put_judged(db, list(zip(samples, said, strict=True)))
    findings: Any = (await reverified(db, Changed({hostile: C, "x": I}))).findings
    gained, lost = findings["flipped"]
    assert (gained["sample"], gained["before"], gained["now"]) == (
        samples[0]["fingerprint"],
        said[0]["record"],
        "accepted",
    )
    assert (lost["before"], lost["now"], lost["after"]) == (said[1]["record"], "rejected", "now 1 x")
    shown = findings["examples"][0]
    assert shown["response"] == hostile[:500]
    assert (shown["prompt"], shown["reference"]) == ("=1+1", '{"a": 1}')
    assert (shown["before"]["reason"], shown["after"]["reason"]) == ("then <b>", "as told")


async def test_the_newest_verdict_of_a_sample_counts(db: Database) -> None:
    one = sample("r0")
    old, new = verdict(one, "incorrect"), verdict(one, "correct")
    await put_judged(db, [(one, old), (one, new)])
    report = await reverified(db, Changed({"r0": C}))
    assert report.findings["samples"] == 1
    assert report.findings["records"] == 2
    assert report.findings["flipped"] == []


async def test_version_parameters_and_population_choose(db: Database) -> None:
    samples, judging = await planted(db, FOURTEEN, version="1", run="r1")
    await put(db, tables.Verdict, [verdict(one, "correct", version="2", run="r2") for one in samples[:3]])
    for before, population, count in (
        (Subject(verifier="math", version="1"), Population(), 14),
        (Subject(verifier="math", version="2"), Population(), 3),
        (MATH, Population(run="r2"), 3),
    ):
        report = await reverified(db, judging, before=before, population=population)
        assert report.findings["samples"] == count
    with pytest.raises(InvalidRequest, match="no verdict of math@3 outside of audits"):
        await reverified(db, judging, before=Subject(verifier="math", version="3"))
    with pytest.raises(InvalidRequest, match="no verdict of math outside of audits"):
        await reverified(db, judging, before=Subject(verifier="math", params={}))


async def test_records_of_audits_are_not_judged_again_unless_named(db: Database) -> None:
    _, judging = await planted(db, FOURTEEN, run="audit:A0")
    with pytest.raises(InvalidRequest, match="no verdict of math outside of audits"):
        await reverified(db, judging)
    report = await reverified(db, judging, population=Population(run="audit:A0"))
    assert report.findings["samples"] == 14


async def test_slices_are_by_data_source(db: Database) -> None:
    samples = [sample(f"r{place}") for place in range(40)]
    said = [verdict(one, "incorrect", data_source="ab"[place % 2]) for place, one in enumerate(samples)]
    await put_judged(db, list(zip(samples, said, strict=True)))
    says = {f"r{place}": C if place % 2 else I for place in range(40)}
    listed: Any = (await reverified(db, Changed(says))).findings["by_data_source"]
    assert [(one["data_source"], one["flipped"], one["items"]) for one in listed] == [("b", 20, 20), ("a", 0, 20)]
    assert listed[0]["p_value"] < 1e-3


async def test_labels_tell_whether_it_was_for_the_better(db: Database) -> None:
    samples, judging = await planted(db, FOURTEEN)
    truths = [*[True] * 5, False, False, True]  # of the seven flips, and one more that stayed accepted
    await put(db, tables.Label, [label(one, right) for one, right in zip(samples, truths, strict=False)])
    report = await reverified(db, judging)
    found: Any = report.findings["labels"]
    assert (found["labelled"], found["labelled_flips"], found["flips"]) == (8, 7, 7)
    # right now and not then: five that were right, and the one that is wrong and now rejected
    assert (found["correctness"]["gained"], found["correctness"]["lost"]) == (6, 1)
    assert found["correctness"]["exact"] == pytest.approx(0.125)
    assert (found["before"]["false_negative_rate"], found["after"]["false_negative_rate"]) == (5 / 6, 0.0)
    assert (found["before"]["false_positive_rate"], found["after"]["false_positive_rate"]) == (1 / 2, 1 / 2)
    assert report.origins == {"human": 8}
    assert report.false_positives == [], "labels on flips are no sample of the run"


async def test_labels_of_several_draws_are_left_out_and_said(db: Database) -> None:
    samples, judging = await planted(db, FOURTEEN)
    await put(db, tables.Draw, [draw(14, 1, "D1"), draw(14, 1, "D2")])
    await put(db, tables.DrawItem, [drawn(samples[place], "x", 0, 0.5, f"D{place + 1}") for place in range(2)])
    labels = [label(samples[place], True, draw=f"D{place + 1}", position=0, probability=0.5) for place in range(2)]
    await put(db, tables.Label, labels)
    report = await reverified(db, judging)
    assert "labels" not in report.findings
    assert any(note.startswith("labels were not used: these labels come from 2 draws") for note in report.notes)
    chosen: Any = (await reverified(db, judging, labels=LabelChoice(draw="D2"))).findings["labels"]
    assert chosen["labelled"] == 1


async def test_scores_without_a_pass_line_flip_where_a_threshold_is_given(db: Database) -> None:
    samples = [sample(f"r{place}") for place in range(4)]
    scores = [0.1, 0.4, 0.6, 0.9]
    said = [verdict(one, "scored", score) for one, score in zip(samples, scores, strict=True)]
    await put_judged(db, list(zip(samples, said, strict=True)))
    judging = Changed({f"r{place}": score for place, score in enumerate([0.7, 0.4, 0.6, None])})
    bare = await reverified(db, judging)
    assert bare.findings["table"] is not None
    assert any("need a threshold" in note for note in bare.notes)
    subject = Subject(verifier="math", threshold=0.5)
    findings: Any = (await reverified(db, judging, subject=subject, before=MATH)).findings
    assert (findings["flips"]["gained"], findings["flips"]["lost"], findings["flips"]["items"]) == (1, 0, 3)
    assert findings["scores"]["mean"] == pytest.approx({"before": 1.1 / 3, "after": 1.7 / 3})


def test_a_verifier_is_not_compared_with_a_recipe() -> None:
    with pytest.raises(ValidationError, match="both be verifiers or both be recipes"):
        ReverifyAudit(subject=MATH, before=Subject(recipe="math"))
