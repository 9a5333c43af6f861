"""The model lane: verdicts by the deadline whatever a model does, shared answers, the weights that were asked for."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import pytest

from app.admission.admit import admit
from app.admission.demand import NONE, Demand
from app.lanes.lanes import Lanes
from app.lanes.model_source import RegisteredModel, Source
from app.lanes.models import ModelLane
from app.settings import Settings
from judges import probing
from judges.base import ModelBusy, ModelFailure, Models, ModelUnavailable, TooLong, UnknownModel
from judges.failure_verdicts import HARMLESS
from judges.questions import Answer, Classify, Generate, Question
from tests.app.models.scripted import Judge, JudgeParams, OneBackend, Scripted
from trueward.authoring.verifier import Task
from trueward.wire.model import ModelEntry, Weights, WeightsRequest
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict


class Shelf:
    """Models that a test registers."""

    def __init__(self, *names: str) -> None:
        self.models = {name: registered(name) for name in names}
        self._change = asyncio.Event()

    def find(self, name: str) -> RegisteredModel:
        if name not in self.models:
            raise UnknownModel(f"there is no model {name!r}")
        return self.models[name]

    def all(self) -> list[RegisteredModel]:
        return list(self.models.values())

    async def wait_changed(self) -> None:
        await self._change.wait()

    def reweigh(self, name: str, version: int) -> None:
        source = Source(WeightsRequest(path=f"/w/{version}", version=version), "w")
        self.models[name] = replace(self.models[name], weights=version, sources=(source,))
        self._change.set()
        self._change = asyncio.Event()


def registered(name: str, number: str = "1") -> RegisteredModel:
    entry = ModelEntry(name=name, kind="reward", path="/m")
    return RegisteredModel(number, entry, 0, (), None, datetime(2026, 1, 1, tzinfo=UTC))


@pytest.fixture
def backend() -> Scripted:
    return Scripted()


@pytest.fixture
def shelf() -> Shelf:
    return Shelf("rm")


@pytest.fixture
async def lanes(backend: Scripted, shelf: Shelf) -> AsyncIterator[Lanes]:
    """Without worker processes: the model lane does."""
    lanes = Lanes(Settings(), shelf)
    lanes.models = ModelLane(shelf, OneBackend(backend), 100)
    yield lanes
    await lanes.models.close()
    assert backend.closed


async def judged(
    lanes: Lanes,
    response: str = "four",
    *,
    prompt: str = "p",
    baseline: bool = False,
    within_s: float = 5.0,
    demand: Demand = NONE,
) -> Verdict:
    [item] = admit([Sample(prompt=prompt, response=response)], Settings())
    verifier = Judge(JudgeParams(model="rm", baseline=baseline))
    found = lanes.judge(verifier, item, asyncio.get_running_loop().time() + within_s, demand)
    return found if isinstance(found, Verdict) else await found


async def test_a_models_number_becomes_a_verdict(lanes: Lanes) -> None:
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.score, verdict.cached) == (Outcome.SCORED, 4.0, False)
    assert verdict.producer is not None
    assert verdict.producer.name == "judge"
    assert (await judged(lanes)).cached is True


async def test_a_prompts_baseline_is_asked_once_for_all_members(lanes: Lanes, backend: Scripted) -> None:
    backend.work_s = 0.02
    responses = [f"{number:>5}" for number in range(16)]
    verdicts = await asyncio.gather(*(judged(lanes, text, prompt="abc", baseline=True) for text in responses))
    assert [verdict.score for verdict in verdicts] == [2.0] * 16
    assert len(backend.asked) == 17
    await judged(lanes, "another", prompt="abc", baseline=True)
    assert len(backend.asked) == 18


async def test_draws_are_never_shared(lanes: Lanes, backend: Scripted, shelf: Shelf) -> None:
    backend.failing = ModelUnavailable("draws only")
    drawn = Generate("p", 8, temperature=1.0)
    for question, times in ((drawn, 2), (replace(drawn, seed=1), 1)):
        backend.asked.clear()
        asks = [lanes.models.answer("rm", question, Demand(), soon()) for _ in range(2)]
        failures = await asyncio.gather(*asks, return_exceptions=True)
        assert all(isinstance(failure, ModelUnavailable) for failure in failures)
        assert len(backend.asked) == times


@pytest.mark.parametrize(
    ("failure", "code"),
    [
        (ModelUnavailable("gone"), "model_unavailable"),
        (ModelBusy("full"), "model_busy"),
        (ModelFailure("x"), "model_failed"),
    ],
)
async def test_a_model_that_fails_gives_no_score_and_is_asked_again(
    lanes: Lanes, backend: Scripted, failure: ModelFailure, code: str
) -> None:
    backend.failing = failure
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, code)
    probed = code == "model_unavailable"  # a response may have provoked it
    assert lanes.models.failures["rm", code] == 1 + probed
    backend.failing = None
    assert (await judged(lanes)).score == 4.0


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
async def test_a_number_that_is_none_gives_no_score(lanes: Lanes, backend: Scripted, number: float) -> None:
    backend.number = number
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "not_finite")


@pytest.mark.parametrize(("fits", "outcome"), [(True, Outcome.INVALID), (False, Outcome.ABSTAINED)])
async def test_a_text_that_does_not_fit_is_whose_doing_it_is(
    lanes: Lanes, backend: Scripted, monkeypatch: pytest.MonkeyPatch, fits: bool, outcome: Outcome
) -> None:
    """The response's where a harmless one would have fitted; the caller's where not."""
    ask = backend.ask

    async def refuse(entry: ModelEntry, question: Question, **named: object) -> Answer:
        if not (fits and isinstance(question, Classify) and question.text == HARMLESS[0]):
            raise TooLong("response", 9, 8)
        return await ask(entry, question, **named)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(backend, "ask", refuse)
    assert (await judged(lanes)).outcome is outcome


async def test_a_harmless_answer_of_long_ago_blames_nobody(
    lanes: Lanes, backend: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The model took the harmless text once, and takes nothing any more."""
    ask, broken = backend.ask, False

    async def refuse(entry: ModelEntry, question: Question, **named: object) -> Answer:
        if broken or not (isinstance(question, Classify) and question.text == HARMLESS[0]):
            raise TooLong("response", 9, 8)
        return await ask(entry, question, **named)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(backend, "ask", refuse)
    assert (await judged(lanes, "one")).outcome is Outcome.INVALID
    broken = True
    monkeypatch.setattr(probing, "FRESH_S", 1e-9)
    assert (await judged(lanes, "another")).outcome is Outcome.ABSTAINED


async def test_a_bug_of_the_verifier_gives_no_score(lanes: Lanes, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(self: Judge, task: object, models: object) -> None:
        raise KeyError("x")

    monkeypatch.setattr(Judge, "execute", crash)
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "verifier_crashed")


async def test_it_ends_by_the_deadline_and_the_engine_is_told(lanes: Lanes, backend: Scripted) -> None:
    backend.work_s = 30.0
    started = asyncio.get_running_loop().time()
    verdict = await judged(lanes, within_s=0.05)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.TIMEOUT, None, "deadline")
    assert asyncio.get_running_loop().time() - started < 1.0
    await asyncio.sleep(0)
    assert backend.given_up <= 1


async def test_what_nobody_waits_for_any_more_is_given_up(lanes: Lanes, backend: Scripted) -> None:
    backend.work_s = 30.0
    asks = [asyncio.ensure_future(judged(lanes)) for _ in range(3)]
    await asyncio.sleep(0.02)
    asks[0].cancel()
    await asyncio.sleep(0.02)
    assert (len(backend.asked), backend.given_up) == (1, 0)
    for ask in asks:
        ask.cancel()
    await asyncio.gather(*asks, return_exceptions=True)
    await asyncio.sleep(0.02)
    assert backend.given_up == 1


async def test_who_has_more_time_than_the_question_it_joined_asks_again(lanes: Lanes, backend: Scripted) -> None:
    backend.work_s = 0.15
    first, second = await asyncio.gather(
        judged(lanes, "first", prompt="q", baseline=True, within_s=0.1),
        judged(lanes, "other", prompt="q", baseline=True),
    )
    assert (first.outcome, second.outcome) == (Outcome.TIMEOUT, Outcome.SCORED)


async def test_nothing_of_older_weights_is_given_again(lanes: Lanes, backend: Scripted, shelf: Shelf) -> None:
    assert (await judged(lanes)).score == 4.0
    shelf.reweigh("rm", 1)
    fresh = await judged(lanes)
    assert (fresh.score, fresh.cached, fresh.evidence["weights"]) == (1004.0, False, 1)
    assert [request.version for request in backend.swapped] == [1]


async def test_a_name_registered_again_is_another_model(lanes: Lanes, backend: Scripted, shelf: Shelf) -> None:
    shelf.reweigh("rm", 1)
    assert (await judged(lanes)).score == 1004.0
    shelf.models["rm"] = registered("rm", number="2")
    fresh = await judged(lanes)
    assert (fresh.score, fresh.cached) == (4.0, False)


async def test_weights_that_the_engine_lost_are_given_again(lanes: Lanes, backend: Scripted, shelf: Shelf) -> None:
    shelf.reweigh("rm", 3)
    assert (await judged(lanes, "a")).score == 3001.0
    backend.weights.clear()
    assert (await judged(lanes, "bb")).score == 3002.0


async def test_what_was_put_back_before_a_failure_is_not_put_back_again(
    lanes: Lanes, backend: Scripted, shelf: Shelf, monkeypatch: pytest.MonkeyPatch
) -> None:
    shelf.reweigh("rm", 1)
    both = (*shelf.models["rm"].sources, Source(WeightsRequest(path="/w/2", version=2), "other"))
    shelf.models["rm"] = replace(shelf.models["rm"], weights=2, sources=both)
    swap = backend.swap

    async def fail_once(entry: ModelEntry, request: WeightsRequest) -> Weights:
        if request.version == 2 and len(backend.swapped) == 1:
            monkeypatch.setattr(backend, "swap", swap)
            raise ValueError("not yet there")
        return await swap(entry, request)

    monkeypatch.setattr(backend, "swap", fail_once)
    assert (await judged(lanes)).score == 2004.0, "it was asked again"
    assert [request.version for request in backend.swapped] == [1, 2]


async def test_weights_that_cannot_be_put_back_give_no_score(lanes: Lanes, backend: Scripted, shelf: Shelf) -> None:
    shelf.reweigh("rm", 3)
    backend.unfit = "no such file"
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "model_unavailable")
    assert "no such file" in verdict.reason


async def test_a_request_waits_for_the_weights_that_it_demands(lanes: Lanes, shelf: Shelf) -> None:
    waiting = asyncio.ensure_future(judged(lanes, demand=Demand("r", {"rm": 2})))
    await asyncio.sleep(0.02)
    shelf.reweigh("rm", 1)
    await asyncio.sleep(0.02)
    assert not waiting.done()
    shelf.reweigh("rm", 2)
    assert (await waiting).score == 2004.0


async def test_weights_that_do_not_come_give_no_score(lanes: Lanes) -> None:
    assert (await judged(lanes)).score == 4.0
    verdict = await judged(lanes, within_s=0.05, demand=Demand("r", {"rm": 2}))
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "weights_behind")


async def test_the_flow_of_a_request_reaches_the_engine(lanes: Lanes, backend: Scripted) -> None:
    await judged(lanes, demand=Demand("request-7"))
    assert backend.flows == {"request-7"}


async def test_what_was_asked_before_is_forgotten_beyond_the_bound(backend: Scripted, shelf: Shelf) -> None:
    lane = ModelLane(shelf, OneBackend(backend), 2)
    for text in ("a", "b", "c", "a"):
        await lane.answer("rm", Classify(text), Demand(), soon())
    assert len(backend.asked) == 4
    await lane.answer("rm", Classify("a"), Demand(), soon())
    assert len(backend.asked) == 4
    await lane.close()


def soon() -> float:
    return asyncio.get_running_loop().time() + 5.0


async def test_without_the_extra_the_error_says_what_to_install(shelf: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr("app.lanes.engines.find_spec", nothing)
    lanes = Lanes(Settings(), shelf)
    verdict = await judged(lanes)
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "model_unavailable")
    assert "pip install" in verdict.reason
    await lanes.models.close()


async def test_a_timeout_says_what_was_answered_and_where_the_time_went(lanes: Lanes, backend: Scripted) -> None:
    backend.work_s = 30.0
    verdict = await judged(lanes, within_s=0.05)
    assert "0 replies came by then" in verdict.reason
    waited = verdict.evidence["waited"]
    assert isinstance(waited, dict)
    assert (waited["model"], waited["loading"]) == ("rm", False)


async def test_a_judge_of_whose_replies_none_could_be_read_by_the_deadline_is_no_slow_one(
    lanes: Lanes, backend: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def unreadable(self: Judge, task: Task, models: Models) -> Verdict:
        question = Classify("four")
        models.unreadable("rm", question, await models.ask("rm", question))
        await asyncio.sleep(30.0)
        raise AssertionError("the deadline comes first")

    monkeypatch.setattr(Judge, "execute", unreadable)
    verdict = await judged(lanes, within_s=0.05)
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.ERROR, None, "judge_malformed")
    assert "1 replies came by then (1 of them could not be read)" in verdict.reason


async def test_a_local_model_is_loaded_before_a_default_deadline_counts(
    lanes: Lanes, backend: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    loaded = []

    async def load(entry: ModelEntry) -> None:
        await asyncio.sleep(0.02)
        loaded.append(entry.name)

    monkeypatch.setattr(backend, "load", load)
    judge = Judge(JudgeParams(model="rm"))
    assert await lanes.models.load_models([judge], 5.0) >= 0.02
    assert loaded == ["rm"]

    async def load_for_long(entry: ModelEntry) -> None:
        await asyncio.sleep(30.0)

    monkeypatch.setattr(backend, "load", load_for_long)
    assert await lanes.models.load_models([judge], 0.01) < 5.0, "no longer than that is waited"
