"""Models in a notebook: the same engine, without a service."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from judges.base import Models as ModelsByName
from judges.base import ModelUnavailable, ModelVerifier, TooLong, UnknownModel
from judges.questions import Classify
from judges.standalone import Standalone, verify
from tests.judges.engine import fakes
from trueward.authoring.verifier import Abstain, Params, Task
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict


class Length(ModelVerifier):
    """Asks the fake how long a response is."""

    name = "length"
    version = "1"
    summary = "how long a response is"
    Params = Params
    needs = ("response",)

    def triage(self, sample: Sample) -> Verdict | Task:
        if "skip" in sample.response_text:
            raise Abstain("skipped", "asked for")
        if "inline" in sample.response_text:
            return Verdict.scored(0.5, "inline", "no model needed")
        return sample.response_text

    async def execute(self, task: Task, models: ModelsByName) -> Verdict:
        if task == "bug":
            raise KeyError("bug")
        answer = await models.ask("m", Classify(str(task)))
        return Verdict.scored(answer.rows[0][0], "length", "as the model says")


@pytest.fixture
def models() -> Iterator[Standalone]:
    with Standalone([fakes.entry(), fakes.entry("broken", broken=1)], loader=fakes.load) as models:
        yield models


async def test_each_sample_gets_its_verdict_in_order(models: Standalone) -> None:
    texts = ["four", "too long", "skip", "inline", "", "nan", "bug", "seventh"]
    samples = [Sample(id=str(index), response=text) for index, text in enumerate(texts)]
    verdicts = await verify(Length(Params()), samples, models)
    assert [(verdict.outcome, verdict.score, verdict.reason_code) for verdict in verdicts] == [
        (Outcome.SCORED, 4.0, "length"),
        (Outcome.INVALID, 0.0, "too_long"),
        (Outcome.ABSTAINED, None, "skipped"),
        (Outcome.SCORED, 0.5, "inline"),
        (Outcome.INVALID, 0.0, "empty"),
        (Outcome.ERROR, None, "not_finite"),
        (Outcome.ERROR, None, "verifier_crashed"),
        (Outcome.SCORED, 7.0, "length"),
    ]
    assert [verdict.id for verdict in verdicts] == [str(index) for index in range(8)]


async def test_failures_are_raised_to_who_asks(models: Standalone) -> None:
    assert models.entry("m").name == "m"
    with pytest.raises(UnknownModel, match="known: m, broken"):
        await models.ask("other", Classify("x"))
    with pytest.raises(ModelUnavailable):
        await models.ask("broken", Classify("x"))
    with pytest.raises(TooLong):
        await models.ask("m", Classify("too long"))


async def test_a_lost_device_fails_what_waits_and_what_comes(models: Standalone) -> None:
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="the device is lost"):
            await models.ask("m", Classify("lost"))


async def test_after_the_end_nothing_is_asked() -> None:
    with Standalone([fakes.entry()], loader=fakes.load) as models:
        await models.ask("m", Classify("x"))
    with pytest.raises(ModelUnavailable, match="closed"):
        await models.ask("m", Classify("x"))
