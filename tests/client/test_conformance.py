"""The conformance suite passes what conforms and names what does not, without hanging or dying itself."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from typing import ClassVar

import pytest

from trueward import Example, Lane, Sample, SampleVerifier, Scale, Task, Verdict, check_verifier
from trueward.authoring.conformance import ConformanceFailure
from trueward.authoring.isolation import Hung, Isolated
from trueward.authoring.verifier import Params


class Sound(SampleVerifier[Params]):
    name: ClassVar[str] = "sound"
    summary: ClassVar[str] = "The response is the reference"
    examples: ClassVar[tuple[Example, ...]] = (
        Example(sample=Sample(response="42", reference="42"), outcome="correct"),
        Example(sample=Sample(response="41", reference="42"), outcome="incorrect"),
    )

    def verify_one(self, sample: Sample) -> Verdict:
        if sample.response_text in sample.references:
            return Verdict.correct("equal_text")
        return Verdict.incorrect("unequal_text")


class SoundInWorkers(Sound):
    lane: ClassVar[Lane] = "cpu"


def violations(verifier: Sound, samples: Sequence[Sample] = (), deadline_s: float = 5.0) -> set[tuple[str, str]]:
    with pytest.raises(ConformanceFailure) as failure:
        check_verifier(verifier, samples, deadline_s=deadline_s)
    return {(violation.clause, violation.sample) for violation in failure.value.report.violations}


@pytest.mark.parametrize("kind", [Sound, SoundInWorkers])
def test_a_sound_verifier_passes_in_either_lane(kind: type[Sound]) -> None:
    report = check_verifier(kind())
    assert report.samples > 60
    assert report.violations == []


def test_a_call_that_ends_after_its_deadline_leaves_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    with Isolated(time.sleep) as isolated:
        assert isolated.call(0.15, deadline_s=0.05) == Hung(0.05)
    assert capfd.readouterr().err == ""


def test_a_verifier_that_hangs_fails_with_the_sample_named_and_the_rest_is_still_checked() -> None:
    class Hangs(Sound):
        def verify_one(self, sample: Sample) -> Verdict:
            while sample.response_text == "hang":
                pass
            return super().verify_one(sample)

    hanging = Sample(id="the one that hangs", response="hang", reference="42")
    start = time.monotonic()
    assert violations(Hangs(), [hanging], deadline_s=1.0) == {("dies on time", "the one that hangs")}
    assert time.monotonic() - start < 30


def test_a_verifier_that_ends_its_process_fails_with_the_sample_named() -> None:
    class Dies(Sound):
        def verify_one(self, sample: Sample) -> Verdict:
            if "\x00" in sample.response_text:
                os._exit(3)
            return super().verify_one(sample)

    found = violations(Dies())
    assert ("never raises", "response: NUL") in found
    assert all(clause == "never raises" for clause, _ in found)


def test_an_exception_on_one_sample_is_a_violation() -> None:
    class Raises(Sound):
        def verify_one(self, sample: Sample) -> Verdict:
            sample.response_text.encode()
            return super().verify_one(sample)

    assert ("never raises", "response: lone surrogate") in violations(Raises())


def test_verdicts_that_depend_on_the_company_are_found() -> None:
    class Sociable(Sound):
        def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
            if len(samples) > 1:
                return [Verdict.correct("equal_text") for _ in samples]
            return super().verify(samples)

    assert "batch equals one by one" in {clause for clause, _ in violations(Sociable())}


def test_verdicts_that_depend_on_the_order_are_found() -> None:
    class Proud(Sound):
        def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
            verdicts = super().verify(samples)
            if len(samples) > 1 and (samples[0].id or "").startswith("metadata"):  # the last of all, asked first
                verdicts[0] = Verdict.incorrect("different_text")
            return verdicts

    assert {clause for clause, _ in violations(Proud())} == {"order"}


def test_a_lost_verdict_and_a_changed_order_are_found() -> None:
    class Loses(Sound):
        def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
            return super().verify(samples)[:5]

    class Sorts(Sound):
        def verify(self, samples: Sequence[Sample]) -> list[Verdict]:
            return super().verify(sorted(samples, key=lambda sample: sample.id or ""))

    assert ("same length and order", "") in violations(Loses())
    assert ("same length and order", "") in violations(Sorts())


def test_a_coin_must_not_call_itself_deterministic() -> None:
    class Coin(Sound):
        scale: ClassVar[Scale] = "unbounded"
        tosses = 0

        def verify_one(self, sample: Sample) -> Verdict:
            Coin.tosses += 1
            return Verdict.scored(float(Coin.tosses % 7), "tossed")

    class HonestCoin(Coin):
        deterministic: ClassVar[bool] = False
        examples: ClassVar[tuple[Example, ...]] = (
            Example(sample=Sample(response="42", reference="42"), outcome="scored"),
        )

    assert "batch equals one by one" in {clause for clause, _ in violations(Coin())}
    check_verifier(HonestCoin())


def test_scores_beyond_what_the_scale_says_are_found_once() -> None:
    class Halves(Sound):
        def verify_one(self, sample: Sample) -> Verdict:
            return Verdict.partial(0.5, "half")

    class Lengths(Sound):
        scale: ClassVar[Scale] = "graded"

        def verify_one(self, sample: Sample) -> Verdict:
            return Verdict.scored(2.0, "two")

    for verifier in (Halves(), Lengths()):
        assert [clause for clause, _ in violations(verifier)].count("scale") == 1


def test_a_wrong_example_is_found() -> None:
    class Boasts(Sound):
        examples: ClassVar[tuple[Example, ...]] = (
            Example(sample=Sample(response="41", reference="42"), outcome="correct"),
        )

    assert violations(Boasts()) == {("examples", "'41'")}


def test_a_score_that_does_not_fit_its_outcome_is_found() -> None:
    class Generous(Sound):
        def verify_one(self, sample: Sample) -> Verdict:
            return Verdict(outcome=super().verify_one(sample).outcome, score=0.5, reason_code="generous")

    assert "verdict" in {clause for clause, _ in violations(Generous())}


def test_a_missing_reference_must_not_be_the_policys_fault() -> None:
    class Blames(Sound):
        def triage(self, sample: Sample) -> Verdict | Task:
            return Verdict.incorrect("unequal_text") if sample.reference is None else super().triage(sample)

    assert ("missing fields", "reference missing") in violations(Blames())


def test_a_task_that_cannot_travel_is_found() -> None:
    class Unhashable(SoundInWorkers):
        def triage(self, sample: Sample) -> Verdict | Task:
            return [sample.response_text]  # type: ignore[return-value]  # the fault under test

        def check(self, task: Task) -> Verdict:
            return Verdict.incorrect("unequal_text")

    assert "never raises" in {clause for clause, _ in violations(Unhashable())}


def test_a_verifier_that_says_nothing_of_itself_is_not_run() -> None:
    class Silent(Sound):
        name: ClassVar[str] = "Not Snake"
        summary: ClassVar[str] = ""
        examples: ClassVar[tuple[Example, ...]] = ()

    assert violations(Silent()) == {("declares itself", "")}
