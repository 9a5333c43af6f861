"""The contract in process, without the service: whose doing a failure is, by the stage in which it happens."""

from __future__ import annotations

from typing import ClassVar, Literal

import pytest

from trueward import Lane, Sample, SampleVerifier, Task, Verdict
from trueward.authoring.verifier import Abstain, Params, defect

Stage = Literal["triage", "prepare", "check"]


class Fails(SampleVerifier[Params]):
    """Raises in one stage, for the sample whose response is `bad`."""

    name: ClassVar[str] = "fails"
    lane: ClassVar[Lane] = "cpu"

    def __init__(self, stage: Stage, failure: BaseException) -> None:
        super().__init__()
        self._stage, self._failure = stage, failure

    def triage(self, sample: Sample) -> Verdict | Task:
        self._at("triage", sample.response_text)
        return sample.response_text

    def prepare(self, task: Task) -> None:
        self._at("prepare", task)

    def check(self, task: Task) -> Verdict:
        self._at("check", task)
        return Verdict.correct("yes")

    def _at(self, stage: Stage, task: Task) -> None:
        if stage == self._stage and task == "bad":
            raise self._failure


@pytest.mark.parametrize(
    ("stage", "failure", "outcome", "code"),
    [
        ("triage", KeyError("x"), "invalid", "unjudgeable_response"),
        ("prepare", KeyError("x"), "invalid", "unjudgeable_response"),
        ("check", KeyError("x"), "invalid", "unjudgeable_response"),
        ("triage", Abstain("no_unit", ""), "abstained", "no_unit"),
        ("prepare", Abstain("no_unit", ""), "abstained", "no_unit"),
        ("prepare", RecursionError(), "abstained", "reference_resource_limit"),
        ("prepare", MemoryError(), "abstained", "reference_resource_limit"),
        ("check", RecursionError(), "invalid", "resource_limit"),
        ("check", MemoryError(), "invalid", "resource_limit"),
    ],
)
def test_a_failure_is_charged_to_its_side_and_costs_no_other_sample(
    stage: Stage, failure: BaseException, outcome: str, code: str
) -> None:
    samples = [Sample(id=response, response=response, reference="r") for response in ("good", "bad", "fine")]
    first, failed, last = Fails(stage, failure).verify(samples)
    assert (failed.outcome.value, failed.reason_code, failed.id) == (outcome, code, "bad")
    assert failed.score == (0.0 if outcome == "invalid" else None)
    assert (first.outcome.value, last.outcome.value) == ("correct", "correct")


class Raises(SampleVerifier[Params]):
    """Raises for every response against one reference."""

    name: ClassVar[str] = "raises"

    def verify_one(self, sample: Sample) -> Verdict:
        if sample.reference == "bad":
            raise KeyError("x")
        return Verdict.incorrect("no")


def test_a_crash_that_harmless_responses_meet_too_has_no_score() -> None:
    found = Raises().verify([Sample(response="r", reference=reference) for reference in ("good", "bad")])
    assert [(one.outcome.value, one.reason_code) for one in found] == [
        ("incorrect", "no"),
        ("error", "verifier_crashed"),
    ]


@pytest.mark.parametrize(
    ("sample", "outcome", "code"),
    [
        (Sample(response=" \n", reference="r"), "invalid", "empty"),
        (Sample(reference="r"), "invalid", "empty"),
        (Sample(response="r"), "abstained", "no_reference"),
        (Sample(response="r", reference=[]), "abstained", "no_reference"),
        (Sample(response="r", reference="r", finish_reason="aborted"), "abstained", "aborted"),
        (Sample.model_validate({"response": "r", "reference": "r", "answer": "r"}), "abstained", "unknown_field"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_sample_that_cannot_be_judged_is_charged_to_its_side(sample: Sample, outcome: str, code: str) -> None:
    found = defect(sample, ("response", "reference"))
    assert found is not None
    assert (found.outcome.value, found.reason_code) == (outcome, code)


def test_a_sample_without_a_defect_has_none() -> None:
    assert defect(Sample(response="r", reference="r", finish_reason="length"), ("response", "reference")) is None
