"""Metamorphic audits: a subject with known faults is found out."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar

import pytest

from audits.metamorphic.audit import metamorphic
from audits.metamorphic.catalogue import TRANSFORMATIONS, choose_transformations
from audits.ports import NoLedger, Work
from audits.subject_verdict import Judged, accepts
from tests.audits.asking import Silent
from trueward.authoring.verifier import Params, SampleVerifier, Verifier
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, GivenSamples, MetamorphicAudit, Subject
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from verifiers import registry

NUMBERS = [Sample(prompt=str(number), reference=str(number)) for number in range(1000, 1060)]
ADD = "```python\ndef add(a, b):\n    return a + b\n```"


class Told(Silent):
    """Says of each response what it is told to."""

    def __init__(self, says: Callable[[Sample], Outcome]) -> None:
        self._says = says

    def verifiers(self, subject: Subject) -> list[Verifier]:
        return [registry.create(subject.verifier or "math", subject.params or {})]

    async def judge(self, subject: Subject, samples: Sequence[Sample]) -> AsyncIterator[list[Judged]]:
        for start in range(0, len(samples), 100):
            yield [self._one(sample) for sample in samples[start : start + 100]]

    def _one(self, sample: Sample) -> Judged:
        outcome = self._says(sample)
        score = None if outcome.missing else float(outcome is Outcome.CORRECT)
        return Judged(accepts(outcome, score, None), score, outcome, "told", "as told", "R1", 0.0, {})


async def audited(says: Callable[[Sample], Outcome], samples: list[Sample], **spec: Any) -> AuditReport:
    told: list[tuple[int, int]] = []

    async def progress(done: int, total: int) -> None:
        assert 0 <= done <= total
        told.append((done, total))

    subject = Subject(verifier=spec.pop("verifier", "math"))
    audit = MetamorphicAudit(subject=subject, given=GivenSamples(samples=samples), **spec)
    report = await metamorphic(audit, Work("A1", NoLedger(), Told(says), progress))
    assert told[-1][0] == told[-1][1]
    return report


def row(report: AuditReport, name: str) -> dict[str, Any]:
    rows: Any = report.findings["transformations"]
    [found] = [each for each in rows if each["transformation"] == name]
    return dict(found)


def no_commas(sample: Sample) -> Outcome:
    """Right on all but separators, which it cannot read, and signs, which it does not see."""
    text = sample.response_text
    answer = text.partition("boxed{")[2].rpartition("}")[0].replace(".0", "").lstrip("+-")
    if "," in answer:
        return Outcome.INVALID
    return Outcome.CORRECT if answer == sample.reference else Outcome.INCORRECT


async def test_planted_faults_are_found_and_only_they() -> None:
    names = ["unchanged", "integer_grouped", "integer_plus", "off_by_one", "sign_flipped"]
    report = await audited(no_commas, NUMBERS, transformations=names)
    grouped, flipped, other = (row(report, name) for name in ("integer_grouped", "sign_flipped", "off_by_one"))
    assert (grouped["tried"], grouped["invalid"], grouped["rate"]) == (60, 60, 1.0)
    assert (flipped["tried"], flipped["accepted"], flipped["rate"]) == (60, 60, 1.0)
    assert (other["rejected"], other["rate"], other["kind"]) == (60, 0.0, "breaks")
    assert other["clopper_pearson"] == pytest.approx([0.0, 1 - 0.025 ** (1 / 60)])
    wilson, exact, clustered = report.false_negatives
    assert (wilson.errors, wilson.items, exact.method) == (60, 180, "clopper_pearson")
    assert (clustered.method, clustered.note) == ("cluster_bootstrap", "60 groups")
    assert report.false_positives[0].rate == 0.5
    assert report.rates is None
    worst: Any = report.findings["worst"]
    assert [each["transformation"] for each in worst[:2]] == ["integer_grouped", "sign_flipped"]
    assert len(worst) == 50
    assert worst[0]["reason_code"] == "told"
    assert [figure.kind for figure in report.figures] == ["bars", "bars"]
    assert [line[0] for line in report.tables[0].rows[:2]] == ["unchanged", "integer_grouped"]
    assert "not over a policy's answers" in report.notes[0]


async def test_samples_of_one_task_are_one_cluster() -> None:
    report = await audited(no_commas, [*NUMBERS, *NUMBERS], transformations=["unchanged", "integer_grouped"])
    assert report.false_negatives[0].items == 240
    assert report.false_negatives[-1].note == "60 groups"


async def test_no_verdict_counts_neither_way() -> None:
    says = lambda sample: Outcome.TIMEOUT if "," in sample.response_text else Outcome.CORRECT  # noqa: E731
    report = await audited(says, NUMBERS, transformations=["unchanged", "integer_grouped"])
    assert row(report, "integer_grouped")["no_verdict"] == 60
    assert row(report, "integer_grouped")["rate"] is None
    assert (report.false_negatives[0].errors, report.false_negatives[0].items) == (0, 60)
    assert report.false_positives[0].rate is None
    assert any("60 of 120" in note for note in report.notes)


async def test_survivors_are_listed_with_their_line_and_failing_programs_left_out() -> None:
    weak = Sample(id="weak", response=ADD, reference={"assertions": ["assert add(0, 0) == 0"]})
    wrong = Sample(id="wrong", response=ADD, reference={"assertions": ["assert add(1, 1) == 3"]})

    def says(sample: Sample) -> Outcome:
        passes = "1, 1" not in str(sample.reference) and "None" not in sample.response_text
        return Outcome.CORRECT if passes and "not" not in sample.response_text else Outcome.INCORRECT

    report = await audited(says, [weak, wrong], verifier="code")
    assert report.findings["left_out"] == 1
    survivors: Any = report.findings["survivors"]
    assert survivors[1:] == []
    assert survivors[0] == {
        "sample": "weak",
        "mutants": 3,
        "survived": 1,
        "lines": ["mutant_arithmetic: -    return a + b +    return a - b"],
    }
    assert report.tables[-1].title == "Tests that mutants survive"
    assert any("some mutants do what the program did" in note for note in report.notes)


@pytest.mark.parametrize(
    ("spec", "sentence"),
    [
        ({"samples": NUMBERS, "transformations": ["integer_groped"]}, "'integer_groped'; there are unchanged, "),
        ({"samples": NUMBERS, "transformations": []}, "an empty list"),
        ({"samples": [Sample(reference="f(x,")], "transformations": ["set_reordered"]}, "fits any of 1 samples"),
        ({"samples": [Sample(response="4")]}, "no sample with a reference"),
        ({"samples": []}, "no sample with a reference"),
        (
            {"samples": [Sample(response=ADD, reference={"assertions": ["assert 0"]})], "verifier": "code"},
            "passes its own tests",
        ),
    ],
)
async def test_what_cannot_be_done_is_said(spec: dict[str, Any], sentence: str) -> None:
    with pytest.raises(InvalidRequest, match=sentence.replace("(", r"\(")):
        await audited(lambda sample: Outcome.INCORRECT, **spec)


async def test_hostile_references_reach_the_report_as_text_and_cut() -> None:
    hostile = "<script>alert(1)</script>" * 40
    report = await audited(lambda sample: Outcome.INCORRECT, [Sample(reference=[hostile, "5"]), NUMBERS[0]])
    worst: Any = report.findings["worst"]
    assert all(len(each["reference"]) <= 500 and len(each["response"]) <= 500 for each in worst)


def test_every_transformation_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[3] / "docs" / "audits.md").read_text()
    assert [each.name for each in TRANSFORMATIONS if f"`{each.name}`" not in page] == []


async def test_a_reference_that_is_not_accepted_as_it_is_has_a_note() -> None:
    report = await audited(lambda sample: Outcome.INCORRECT, NUMBERS, transformations=["integer_plus", "unchanged"])
    assert any("was not accepted on 60 of 60 samples" in note for note in report.notes)


def test_a_plug_in_gets_no_rewrite_that_its_reader_alone_could_allow() -> None:
    """Whether `3, 5` is a list of items in any order, or `5` a list of one, the reference does not say."""
    unknown = {each.name for each in choose_transformations(None, "lab_math")}
    ours = {each.name for each in choose_transformations(None, "sets")}
    assert not unknown & {"items_reordered", "items_as_json", "items_as_bullets", "item_added"}
    assert {"integer_grouped", "form_bold", "document_reordered"} <= unknown
    assert {"items_reordered", "items_as_json", "item_added"} <= ours


async def test_a_subject_that_reads_no_reference_has_no_answer_to_rewrite() -> None:
    class Essay(SampleVerifier[Params]):
        name: ClassVar[str] = "essay"
        needs: ClassVar[tuple[str, ...]] = ("response",)
        Reference = None

    class Told(Silent):
        def verifiers(self, subject: Subject) -> list[Verifier]:
            return [Essay()]

    async def progress(done: int, total: int) -> None:
        return None

    spec = MetamorphicAudit(subject=Subject(verifier="essay"), given=GivenSamples(samples=NUMBERS))
    with pytest.raises(InvalidRequest, match="essay reads no reference"):
        await metamorphic(spec, Work("A1", NoLedger(), Told(), progress))
