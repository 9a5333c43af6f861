"""A labelled audit from stored rows to its report: hand-computed numbers, and what it says where it cannot say much."""

from __future__ import annotations

from typing import Any

import pytest

from app import tables
from app.kit.db import Database
from app.labels.draws import DrawsService
from app.labels.queue import LabelQueue
from audits.labelled.audit import labelled
from audits.statistics.proportion import clopper_pearson, wilson
from rewards.noise.rates import Rates
from tests.audits.labelled.planted import Row, label, put, put_judged, sample, verdict, work
from trueward.errors import InvalidRequest
from trueward.gate import gate
from trueward.wire.audit import AuditReport, LabelledAudit, Subject
from trueward.wire.draw import DrawRequest, ItemLabel

CELLS = {
    ("correct", True): 8,
    ("incorrect", True): 2,
    ("timeout", True): 1,
    ("correct", False): 1,
    ("invalid", False): 4,
}
"""Verdict and truth of sixteen responses."""


async def plant(db: Database, cells: dict[tuple[str, bool], int], **rest: Any) -> list[tuple[Row, bool]]:
    """Responses in groups of two, each with its verdict and a label."""
    planted: list[tuple[Row, Row, bool]] = []
    for (outcome, right), count in cells.items():
        for _ in range(count):
            place = len(planted)
            one = sample(f"{outcome} {place}", metadata=rest)
            said = verdict(one, outcome, group=f"g{place // 2}", **rest)
            planted.append((one, said, right))
    await put_judged(db, [(one, said) for one, said, _ in planted])
    await put(db, tables.Label, [label(one, right) for one, _, right in planted])
    return [(one, right) for one, _, right in planted]


def spec(**rest: Any) -> LabelledAudit:
    return LabelledAudit.model_validate({"subject": {"verifier": "math"}, **rest})


async def audit(db: Database, **rest: Any) -> AuditReport:
    report = await labelled(spec(**rest), work(db))
    assert AuditReport.model_validate_json(report.model_dump_json()) == report
    return report


async def test_the_report_has_the_numbers_of_the_matrix(db: Database) -> None:
    await plant(db, CELLS)
    report = await audit(db)
    found: Any = report.findings
    assert found["confusion"] == {
        "right_accepted": 8,
        "right_rejected": 2,
        "right_missing": 1,
        "wrong_accepted": 1,
        "wrong_rejected": 4,
        "wrong_missing": 0,
    }
    by_method = {one.method: one for one in report.false_positives}
    assert by_method["wilson"].interval == pytest.approx(wilson(1, 5))
    assert by_method["clopper_pearson"].interval == pytest.approx(clopper_pearson(1, 5))
    assert by_method["cluster_bootstrap"].note.startswith("too few")
    assert {one.method: (one.errors, one.items) for one in report.false_negatives}["wilson"] == (2, 10)
    values = {name: metric["value"] for name, metric in found["metrics"].items()}
    assert values == pytest.approx(
        {
            "coverage": 15 / 16,
            "accuracy": 12 / 15,
            "precision": 8 / 9,
            "recall": 0.8,
            "f1": 16 / 19,
            "mcc": (8 * 4 - 1 * 2) / (10 * 5 * 9 * 6) ** 0.5,
            "kappa": (15 * 12 - (9 * 10 + 6 * 5)) / (15 * 15 - (9 * 10 + 6 * 5)),
        }
    )
    assert found["youden"]["value"] == pytest.approx(1 - 0.2 - 0.2)
    assert found["fate"] == "uncertain"
    assert any("do not train with it yet" in note for note in report.notes)
    # (9/15 - 0.2) / 0.6
    assert found["true_pass_rate"]["rate"] == pytest.approx(2 / 3)
    assert found["outcomes"] == {"correct": 9, "incorrect": 2, "timeout": 1, "invalid": 4}
    assert report.origins == {"human": 16}
    assert any(
        note.startswith("1 of 16 labelled responses have no verdict") and note.endswith(": made_up (1)")
        for note in report.notes
    )
    assert report.tables[0].rows == [["right", 8, 2, 1], ["wrong", 1, 4, 0]]
    assert report.figures[0].kind == "matrix"


async def test_enough_groups_give_a_firm_answer_and_the_gate_decides(db: Database) -> None:
    cells = {("correct", True): 200, ("incorrect", True): 50, ("correct", False): 40, ("incorrect", False): 210}
    await plant(db, cells)
    report = await audit(db)
    assert report.findings["fate"] == "learns"
    clustered = {one.method: one for one in report.false_positives}["cluster_bootstrap"]
    upper = max(one.interval[1] for one in report.false_positives[1:] if one.interval)
    assert gate(report, upper + 0.001, None).passed
    assert not gate(report, upper - 0.001, None).passed
    rates = Rates.model_validate(report.rates)
    assert rates.source == "audit:A1"
    assert rates.pooled.false_positive == clustered.rate == pytest.approx(0.16)
    assert (rates.pooled.wrong, rates.pooled.right) == (250, 250)


async def test_after_a_collapse_a_drawn_text_counts_as_often_as_the_run_has_it(db: Database) -> None:
    """Half of the groups answer eight times with one hacked text; a draw of everything has it once each."""
    judged: list[tuple[Row, Row]] = []
    for group in range(40):
        texts = ["hacked"] * 8 if group % 2 else [f"honest {place}" for place in range(8)]
        said = {text: sample(text, prompt=f"question {group}") for text in texts}
        outcome = "correct" if group % 2 else "incorrect"
        judged += [(said[text], verdict(said[text], outcome, group=f"g{group}", run="r")) for text in texts]
    await put_judged(db, judged)
    population = {"run": "r"}
    request = {"subject": {"verifier": "math"}, "population": population, "rest": 1.0}
    made = await DrawsService(db).make(DrawRequest.model_validate(request), None)
    assert made.drawn == 20 + 20 * 8
    while (item := await LabelQueue(db).next(made.id, "ann")) is not None:
        await LabelQueue(db).submit(made.id, item.position, ItemLabel(annotator="ann", right=False), None)
    found = await audit(db, population=population)
    [claim] = [one for one in found.false_positives if one.claim]
    assert claim.method == "horvitz_thompson"
    assert (claim.rate, claim.items) == pytest.approx((0.5, 320))
    assert claim.interval is not None
    assert claim.interval[0] < 0.5 < claim.interval[1]
    assert not gate(found, max_fpr=0.12, max_fnr=None).passed
    passing = found.findings["true_pass_rate"]
    assert isinstance(passing, dict)
    assert passing["rate"] == 0
    assert all("no claim about the run" in one.note for one in found.false_positives if not one.claim)


async def test_lasting_intervals_are_wider_and_need_labels_that_were_drawn(db: Database) -> None:
    planted = await plant(db, {("correct", True): 60, ("correct", False): 5, ("incorrect", False): 35})
    with pytest.raises(InvalidRequest, match="lasting needs labels that were drawn"):
        await audit(db, lasting=True)
    uploaded = [label(one, right, probability=0.5, annotator="bob") for one, right in planted]
    await put(db, tables.Label, uploaded)
    widths = []
    for lasting in (False, True):
        [claim] = [one for one in (await audit(db, lasting=lasting)).false_positives if one.claim]
        assert claim.interval is not None
        widths.append(claim.interval[1] - claim.interval[0])
    assert widths[1] > 1.05 * widths[0]


async def test_metrics_of_labels_without_an_error_have_a_width(db: Database) -> None:
    await plant(db, {("correct", True): 60, ("incorrect", False): 40})
    metrics = (await audit(db)).findings["metrics"]
    assert isinstance(metrics, dict)
    for name in ("accuracy", "precision", "recall", "f1"):
        one = metrics[name]
        assert isinstance(one, dict)
        assert one["value"] == 1
        assert isinstance(one["interval"], list)
        low = one["interval"][0]
        assert isinstance(low, float)
        assert 0.8 < low < 0.98


async def test_slices_are_worst_first_and_rates_are_keyed_as_asked(db: Database) -> None:
    await plant(
        db, {("correct", False): 2, ("incorrect", False): 78, ("correct", True): 80}, evidence={"form": "plain"}
    )
    await plant(db, {("correct", False): 30, ("incorrect", False): 10}, evidence={"form": "odd, = x"}, data_source="d")
    report = await audit(db, by=["form", "policy", "data_source"], rates_by=["form", "length"])
    found: Any = report.findings
    worst = found["slices"][0]
    assert (worst["feature"], worst["value"], worst["rate"]) == ("form", "odd_ _ x", "false_positive")
    assert (worst["errors"], worst["items"], worst["elsewhere"]) == (30, 40, 2 / 80)
    assert worst["adjusted"] < 0.05
    # form and source make the same slices: two features, two rates of one, one of the other
    assert sorted({(one["feature"], one["rate"]) for one in found["slices"]}) == [
        ("data_source", "false_negative"),
        ("data_source", "false_positive"),
        ("form", "false_negative"),
        ("form", "false_positive"),
    ]
    assert worst["adjusted"] >= worst["p_value"] * 2
    assert any(note.startswith("policy: nothing to slice by") for note in report.notes)
    rates = Rates.model_validate(report.rates)
    assert rates.by == ("form", "length")
    # partially pooled: near the slices' own rates, as each has some labels
    plain, odd = rates.slices["form=plain,length=0-500"], rates.slices["form=odd_ _ x,length=0-500"]
    assert ((plain.wrong, plain.right), (odd.wrong, odd.right)) == ((80, 80), (40, 0))
    assert plain.false_positive == pytest.approx(2 / 80, abs=0.02)
    assert odd.false_positive == pytest.approx(0.75, abs=0.05)
    assert rates.elsewhere is not None
    assert 2 / 80 < rates.elsewhere.false_positive < 0.75
    assert odd.right_high == pytest.approx(0.168, abs=0.001)  # its answers are of 20 prompts
    bars = [figure for figure in report.figures if figure.kind == "bars"]
    assert bars[0].lines[0].name == "form=odd_ _ x"
    assert bars[0].lines[0].low is not None


async def test_scores_and_confidences_get_their_curves(db: Database) -> None:
    scores = [0.1, 0.4, 0.35, 0.8]
    judged = [
        ((one := sample(f"{place}")), verdict(one, "scored", score, confidence=score))
        for place, score in enumerate(scores)
    ]
    broken = sample("broken")
    await put_judged(db, [*judged, (broken, verdict(broken, "invalid"))])
    right = [False, False, True, True]
    await put(db, tables.Label, [label(one, truth) for (one, _), truth in zip(judged, right, strict=True)])
    blind = await audit(db)
    assert blind.false_positives[0].rate is None
    found: Any = blind.findings["scores"]
    # scikit-learn's own example: area 0.75, average precision 0.8333
    assert (found["auc"], found["average_precision"]) == pytest.approx((0.75, 5 / 6))
    assert found["best"] == {"threshold": 0.8, "false_positive_rate": 0, "false_negative_rate": 0.5}
    assert not gate(blind, 0.5, None).passed
    lined = await audit(db, subject={"verifier": "math", "threshold": 0.4})
    assert [lined.false_positives[0].rate, lined.false_negatives[0].rate] == [0.5, 0.5]
    calibration: Any = lined.findings["calibration"]
    assert calibration["score"]["brier"] == pytest.approx((0.1**2 + 0.4**2 + 0.65**2 + 0.2**2) / 4)
    # the verdicts on the first and the last are right, those on the others wrong
    assert calibration["confidence"]["brier"] == pytest.approx((0.9**2 + 0.4**2 + 0.35**2 + 0.2**2) / 4)
    kinds = [figure.kind for figure in lined.figures]
    assert kinds.count("lines") == 3
    assert kinds.count("reliability") == 2


async def test_scores_without_a_pass_line_are_no_verdicts(db: Database) -> None:
    await plant(db, {("scored", True): 3, ("scored", False): 3}, score=0.5)
    report = await audit(db)
    assert any("so state a threshold" in note for note in report.notes)
    assert report.false_positives[0].rate is None
    assert report.rates is None
    assert report.findings["scores"] is None


@pytest.mark.parametrize(("right", "lacking"), [(True, "wrong"), (False, "right")])
async def test_one_class_alone_gives_one_rate_and_says_which_is_missing(
    db: Database, right: bool, lacking: str
) -> None:
    await plant(db, {("correct", right): 30, ("incorrect", right): 30})
    report = await audit(db)
    known, unknown = report.false_negatives, report.false_positives
    if not right:
        known, unknown = unknown, known
    assert (known[0].rate, unknown[0].rate, unknown[0].interval) == (0.5, None, None)
    assert report.findings["youden"] is None
    assert report.findings["true_pass_rate"] is None
    assert any(f"no {lacking} response" in note for note in report.notes)
    rates = Rates.model_validate(report.rates).pooled
    if right:
        assert (rates.wrong, rates.false_positive_interval) == (0, (0, 1))
    assert [check.passed for check in gate(report, 1.0, 1.0).checks] == [not right, right]


async def test_verdicts_that_are_all_missing_give_no_rate(db: Database) -> None:
    await plant(db, {("timeout", True): 3, ("error", False): 3})
    report = await audit(db)
    found: Any = report.findings
    assert found["metrics"]["coverage"]["value"] == 0
    assert (report.false_positives[0].rate, report.rates) == (None, None)
    assert any("all are missing" in note for note in report.notes)


async def test_a_subject_that_says_nothing_must_not_be_trained_with(db: Database) -> None:
    await plant(db, {("correct", True): 60, ("incorrect", True): 60, ("correct", False): 60, ("incorrect", False): 60})
    neutral = await audit(db)
    assert neutral.findings["fate"] == "neutral"
    assert any("J = 0" in note and "true pass rate is not known" in note for note in neutral.notes)
    await plant(db, {("incorrect", True): 90, ("correct", False): 90}, version="2")
    backwards = await audit(db, subject={"verifier": "math", "version": "2"})
    assert backwards.findings["fate"] == "unlearns"
    assert any("goes the wrong way" in note for note in backwards.notes)


async def test_rates_that_no_recipe_would_correct_with_are_named(db: Database) -> None:
    await plant(db, {("correct", True): 3, ("incorrect", False): 3})
    assert any("(uncorrectable) with the rates of the whole" in note for note in (await audit(db)).notes)
    await plant(db, {("correct", True): 300, ("incorrect", False): 300}, version="2")
    sure = await audit(db, subject={"verifier": "math", "version": "2"})
    assert not any("uncorrectable" in note for note in sure.notes)


async def test_a_second_verifier_is_an_imperfect_reference(db: Database) -> None:
    contents = [sample(f"{place}") for place in range(6)]
    await put_judged(db, [(one, verdict(one, "correct")) for one in contents])
    said = ["correct", "correct", "incorrect", "timeout", "correct", "incorrect"]
    rows = [verdict(one, outcome, verifier="exact") for one, outcome in zip(contents, said, strict=True)]
    # the latest word counts, and a missing one is no word
    rows += [verdict(contents[0], "incorrect", verifier="exact"), verdict(contents[1], "timeout", verifier="exact")]
    await put(db, tables.Verdict, rows)
    report = await audit(db, against={"verifier": "exact"})
    assert report.origins == {"verifier:exact": 5}
    assert (report.false_positives[0].errors, report.false_positives[0].items) == (3, 3)
    assert any("its own errors are counted" in note for note in report.notes)
    with pytest.raises(InvalidRequest, match="numeric has no verdict on any of these 6 responses"):
        await audit(db, against={"verifier": "numeric"})


async def test_what_cannot_be_audited_is_refused_with_what_to_do(db: Database) -> None:
    with pytest.raises(InvalidRequest, match="no verdict of math@99 outside of audits: is that its name"):
        await audit(db, subject={"verifier": "math", "version": "99"})
    one = sample("x")
    await put_judged(db, [(one, verdict(one))])
    with pytest.raises(InvalidRequest, match="none of the 1 responses that math judged has a label: label some"):
        await audit(db)
    await put(db, tables.Label, [label(one, None)])
    with pytest.raises(InvalidRequest, match="nobody who looked at them could tell"):
        await audit(db)
    await put(db, tables.Label, [label(one, True, source="model")])
    with pytest.raises(InvalidRequest, match="among those that `labels` chooses"):
        await audit(db, labels={"sources": ["oracle"]})
    with pytest.raises(InvalidRequest, match="there is no draw 'nope'"):
        await audit(db, labels={"draw": "nope"})
    assert "nonsense: nothing to slice by, no labelled response has it" in " ".join(
        (await audit(db, by=["nonsense"])).notes
    )
    with pytest.raises(InvalidRequest, match="rates_by cannot have 'data_source'"):
        await audit(db, rates_by=["form", "data_source"])
    with pytest.raises(InvalidRequest, match="names no feature"):
        await audit(db, by=['"; DROP'])
    with pytest.raises(InvalidRequest, match="is no"):
        await labelled(LabelledAudit(subject=Subject(verifier="nobody", params={})), work(db))
