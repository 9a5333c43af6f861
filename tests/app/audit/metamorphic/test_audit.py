"""Metamorphic audits end to end: a subject with known faults is found out, and the real ones through a live service."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from app.audit.judging import Judged, Judging, accepts
from app.audit.metamorphic.audit import metamorphic
from app.audit.metamorphic.catalogue import TRANSFORMATIONS
from app.audit.work import Work
from app.kit.db import Database
from tests.app.conftest import Api
from trueward.audits import AuditReport, Given, MetamorphicAudit, Subject
from trueward.errors import InvalidRequest
from trueward.types import Outcome, Sample
from trueward.verifier import Verifier
from verifiers import registry

NUMBERS = [Sample(prompt=str(number), reference=str(number)) for number in range(1000, 1060)]
ADD = "```python\ndef add(a, b):\n    return a + b\n```"


class Told(Judging):
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
    audit = MetamorphicAudit(subject=subject, given=Given(samples=samples), **spec)
    report = await metamorphic(audit, Work("A1", cast(Database, None), Told(says), progress))
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
    assert report.tables[0].rows[0][0] == "integer_grouped"
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


def carried_out(api: Api, audit: dict[str, Any]) -> dict[str, Any]:
    started = api.post("/v1/audits", {"audit": {"kind": "metamorphic", **audit}})
    assert started.status_code == 202, started.text
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        found: dict[str, Any] = api.get(f"/v1/audits/{started.json()['id']}").json()
        if found["state"] in ("completed", "failed"):
            return found
        time.sleep(0.1)
    raise AssertionError("the audit does not end")


@pytest.mark.parametrize(
    ("subject", "references", "least"),
    [
        (
            {"verifier": "math"},
            ["1234", "0.125", "5/6", r"2\sqrt{3}", "x^2 - 3x + 2", r"\{1, 2\}", "[0, 1)", "5 km"],
            120,
        ),
        ({"verifier": "numeric"}, ["1234", "-0.125", "5/8"], 40),
        ({"recipe": {"terms": ["math", "format"]}}, ["1234", r"\frac{3\pi}{4}"], 30),
    ],
)
def test_the_real_ones_keep_and_break_as_they_should(
    api: Api, subject: dict[str, Any], references: list[str], least: int
) -> None:
    samples = [{"prompt": reference, "reference": reference} for reference in references]
    audit = carried_out(api, {"subject": subject, "given": {"samples": samples}})
    assert audit["state"] == "completed", audit["failure"]
    assert audit["report"]["findings"]["worst"] == []
    assert audit["report"]["findings"]["tried"] >= least
    assert audit["report"]["findings"]["no_verdict"] == 0
    assert audit["done"] == audit["total"]


def test_programs_in_a_sandbox(api: Api) -> None:
    tests = {"assertions": ["assert add(1, 2) == 3", "assert add(0, 5) == 5"]}
    given = {"samples": [{"response": ADD, "reference": tests}]}
    audit = carried_out(api, {"subject": {"verifier": "code"}, "given": given})
    assert audit["state"] == "completed", audit["failure"]
    found = audit["report"]["findings"]
    assert (found["worst"], found["survivors"], found["left_out"]) == ([], [], 0)
    assert {each["kind"] for each in found["transformations"]} == {"keeps", "breaks"}


def test_an_unknown_name_fails_the_audit_with_the_list(api: Api) -> None:
    audit = carried_out(
        api,
        {
            "subject": {"verifier": "math"},
            "given": {"samples": [{"reference": "5"}]},
            "transformations": ["turn_around"],
        },
    )
    assert audit["state"] == "failed"
    assert "turn_around" in audit["failure"]
    assert "digit_changed" in audit["failure"]


def test_every_transformation_is_in_the_documentation() -> None:
    page = (Path(__file__).parents[4] / "docs" / "audits.md").read_text()
    assert [each.name for each in TRANSFORMATIONS if f"`{each.name}`" not in page] == []
