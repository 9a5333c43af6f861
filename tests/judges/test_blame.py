"""Whose doing it is that a judge fails: whatever one response provokes is priced, and nobody pays for chance."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, nullcontext
from random import Random

import pytest

from judges.base import ModelBusy, ModelFailure, ModelUnavailable, NotFinite, SandboxUnavailable, Unaskable
from judges.failure_verdicts import HARMLESS, judge_task
from judges.pointwise import JudgeOneVerifier, PointwiseParams
from judges.questions import Answer
from judges.remote import RemoteBackend
from tests.judges.far import Far
from tests.judges.openai_server import JudgeServer, Request, Scripted
from tests.judges.replies import Replies, Reply, response_in, verdict_of
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

RIGHT = json.dumps({"analysis": "compared", "verdict": "correct"})
Failing = Callable[[str], Reply]


def sample(response: str = "It is 4.") -> Sample:
    return Sample(prompt="What is 2 + 2?", response=response, reference="4")


def fails(why: ModelFailure | Answer | str) -> Reply:
    if isinstance(why, ModelFailure):
        raise why
    return why


PROVOKED = {
    "flagged": ModelUnavailable("status 403: flagged by moderation"),
    "error for this text": ModelUnavailable("status 500"),
    "filtered": Unaskable("the server refuses the question"),
    "not finite": NotFinite("NaN"),
    "refusal": Answer(finish="refused"),
    "cut off": Answer(text=RIGHT[:-3], finish="length"),
    "malformed": "I will not.",
    "hedged": '{"verdict": "partially correct"}',
}


@pytest.mark.parametrize("why", PROVOKED.values(), ids=PROVOKED)
@pytest.mark.parametrize("attempts", [1, 3])
def test_whatever_one_response_provokes_is_priced(why: ModelFailure | Answer | str, attempts: int) -> None:
    models = Replies(lambda text: fails(why) if "TRIGGER" in response_in(text) else RIGHT)
    verdict = verdict_of(JudgeOneVerifier(PointwiseParams(attempts=attempts)), sample("TRIGGER"), models)
    assert (verdict.outcome, verdict.reason_code, verdict.score) == (Outcome.INVALID, "unjudgeable", 0.0)
    asked = [response_in(str(one.prompt[-1].content)) for one in models.asked]  # type: ignore[union-attr]
    assert set(asked) == {"TRIGGER", *HARMLESS}
    assert asked.count("TRIGGER") == 3


@pytest.mark.parametrize("why", PROVOKED.values(), ids=PROVOKED)
def test_what_every_response_meets_is_ours(why: ModelFailure | Answer | str) -> None:
    models = Replies(lambda text: fails(why))
    verdict = verdict_of(JudgeOneVerifier(), sample(), models)
    assert (verdict.outcome, verdict.score) == (Outcome.ERROR, None)
    if isinstance(why, ModelFailure):
        assert len(models.asked) == 2, "a model that is gone is asked once more, about one harmless response"


@pytest.mark.parametrize("why", [ModelBusy("full"), SandboxUnavailable("it is gone")], ids=["full", "no sandbox"])
def test_what_no_response_can_provoke_is_ours_at_once(why: ModelFailure) -> None:
    models = Replies(lambda text: fails(why) if "4" in response_in(text) else RIGHT)
    assert verdict_of(JudgeOneVerifier(), sample(), models).outcome is Outcome.ERROR
    assert len(models.asked) == 1


def test_a_judge_that_answers_costs_no_control() -> None:
    models = Replies(lambda text: RIGHT)
    verdict = verdict_of(JudgeOneVerifier(), sample(), models)
    assert len(models.asked) == 1
    assert "probes" not in verdict.evidence


@pytest.mark.parametrize("times", [1, 2])
def test_a_server_that_was_away_for_a_moment_gives_its_verdict_all_the_same(times: int) -> None:
    """It fails at one response so often, and at nothing else."""
    failures = iter([ModelUnavailable("status 500")] * times)

    def reply(text: str) -> Reply:
        failure = next(failures, None) if "4." in response_in(text) else None
        return fails(failure) if failure is not None else RIGHT

    verdict = verdict_of(JudgeOneVerifier(), sample(), Replies(reply))
    assert (verdict.outcome, verdict.score) == (Outcome.CORRECT, 1.0)
    assert verdict.evidence["usage"]["calls"] == 1, "controls are nobody's usage"  # type: ignore[index,call-overload]
    assert verdict.evidence["probes"]["calls"] == times  # type: ignore[index,call-overload]


@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7])
def test_chance_blames_hardly_anyone(share: float) -> None:
    """A model of whose answers so many are failures, whatever it is asked about: less than 1 in 100 is blamed."""
    random = Random(7)

    def flaky(text: str) -> Reply:
        return fails(ModelUnavailable("status 500")) if random.random() < share else RIGHT

    found = [verdict_of(JudgeOneVerifier(), sample(f"It is {place}."), Replies(flaky)) for place in range(300)]
    blamed = sum(one.outcome is Outcome.INVALID for one in found)
    assert blamed <= 3
    assert sum(one.outcome is Outcome.CORRECT for one in found) >= 300 * (1 - share) * 0.9


def test_a_verdict_without_a_score_tells_what_it_cost_and_what_was_said() -> None:
    said = "I think it is \u200bVERYSPECIALTEXT\x07 right"
    verdict = verdict_of(JudgeOneVerifier(), sample(), Replies(lambda text: said))
    assert verdict.reason_code == "judge_malformed"
    assert verdict.evidence["unread"] == ["I think it is \\u{200b}VERYSPECIALTEXT\\u{7} right"] * 3
    usage = verdict.evidence["usage"]
    assert isinstance(usage, dict)
    assert (usage["calls"], usage["malformed"]) == (3, 3)
    assert usage["tokens_read"]
    assert usage["cost"]


def test_the_evidence_says_which_model_judged() -> None:
    models = Replies(lambda text: Answer(text=RIGHT, model="org/model-2 fp_1"))
    asked = verdict_of(JudgeOneVerifier(), sample(), models).evidence["asked"]
    assert asked == {
        "judge": {"served": "judge", "entry": models.entry("judge").digest, "reported": "org/model-2 fp_1"}
    }


@asynccontextmanager
async def others(ask: Callable[[], Awaitable[Verdict]]) -> AsyncIterator[None]:
    """Others are answered meanwhile, as in any batch."""

    async def go_on() -> None:
        while True:
            await ask()
            await asyncio.sleep(0.01)

    task = asyncio.create_task(go_on())
    try:
        yield
    finally:
        task.cancel()


FORMS = {
    "flagged by moderation": Scripted("flagged by moderation", status=403),
    "content filter": Scripted("content filter", status=400),
    "a blocked prompt": Scripted(raw=b'{"id": "x", "model": "m", "choices": []}'),
    "no choices": Scripted(raw=b'{"id": "x", "model": "m", "choices": null}'),
    "an error in a good answer": Scripted(raw=b'{"error": {"message": "blocked", "code": 403}}'),
    "an error in a choice": Scripted(raw=b'{"choices": [{"message": {"content": "{"}, "finish_reason": "error"}]}'),
    "a page": Scripted(raw=b"<html><body>Blocked by the firewall</body></html>"),
    "a closed connection": Scripted(drop=True),
    "an error of the server's": Scripted("internal error", status=500),
    "a refusal": Scripted(None, refusal="I will not."),
    "a filtered reply": Scripted(RIGHT, finish="content_filter"),
}


@pytest.mark.parametrize("alone", [False, True])
@pytest.mark.parametrize("said", FORMS.values(), ids=FORMS)
async def test_however_a_provider_says_no_to_one_response_it_is_not_free(said: Scripted, alone: bool) -> None:
    judge = JudgeOneVerifier()

    async def verdict(response: str) -> Verdict:
        task = judge.triage(sample(response))
        assert not isinstance(task, Verdict)
        return await judge_task(judge, task, models)

    with JudgeServer(lambda body: said if "TRIGGER" in json.dumps(body) else RIGHT) as server:
        backend = RemoteBackend("openai", connections=8)
        models = Far(backend, server.entry(served_name="org/judge"))
        try:
            assert (await verdict("It is 4.")).outcome is Outcome.CORRECT
            async with nullcontext() if alone else others(lambda: verdict("It is 5.")):
                found = await verdict("TRIGGER")
            assert (found.outcome, found.reason_code, found.score) == (Outcome.INVALID, "unjudgeable", 0.0)
            assert (await verdict("It is 4.")).outcome is Outcome.CORRECT
        finally:
            await backend.close()


async def test_a_whole_group_that_makes_a_server_fail_is_priced() -> None:
    """Though the server counts as down meanwhile, for nothing else is asked of it."""
    judge = JudgeOneVerifier()

    async def verdict(response: str) -> Verdict:
        task = judge.triage(sample(response))
        assert not isinstance(task, Verdict)
        return await judge_task(judge, task, models)

    failed = Scripted("internal error", status=500)
    with JudgeServer(lambda body: failed if "TRIGGER" in json.dumps(body) else RIGHT) as server:
        backend = RemoteBackend("openai", connections=8)
        models = Far(backend, server.entry(served_name="org/judge"), within_s=40)
        try:
            found = await asyncio.gather(*(verdict(f"TRIGGER {place}") for place in range(4)))
        finally:
            await backend.close()
    assert {one.reason_code for one in found} == {"unjudgeable"}


async def test_an_outage_blames_nobody_who_asks_alone() -> None:
    judge = JudgeOneVerifier()
    task = judge.triage(sample())
    assert not isinstance(task, Verdict)
    answers = iter([Scripted("loading", status=503)] * 6)
    with JudgeServer(lambda body: next(answers, RIGHT)) as server:
        backend = RemoteBackend("openai")
        models = Far(backend, server.entry(served_name="org/judge"), within_s=20)
        try:
            found = await judge_task(judge, task, models)
        finally:
            await backend.close()
    assert found.outcome is Outcome.CORRECT


async def judged_at_a_server_that_cuts(reply: Callable[[Request], str | Scripted], response: str) -> Verdict:
    judge = JudgeOneVerifier()
    task = judge.triage(sample(response))
    assert not isinstance(task, Verdict)
    with JudgeServer(reply) as server:
        backend = RemoteBackend("openai")
        try:
            return await judge_task(judge, task, Far(backend, server.entry(served_name="org/judge"), within_s=20))
        finally:
            await backend.close()


RUNS_ON = Scripted('{"analysis": "' + "It is 4. " * 200, finish="length")


async def test_a_judge_that_is_cut_whatever_it_judges_takes_no_score_from_anyone() -> None:
    found = await judged_at_a_server_that_cuts(lambda body: RUNS_ON, "It is 4.")
    assert (found.outcome, found.reason_code, found.score) == (Outcome.ERROR, "judge_malformed", None)


@pytest.mark.parametrize("share", [0.1, 0.2, 0.3, 0.4, 0.5, 0.7])
def test_a_judge_that_is_cut_at_many_responses_takes_a_score_from_hardly_anyone(share: float) -> None:
    random = Random(7)
    models = Replies(
        lambda text: Answer(text='{"analysis": "It is', finish="length") if random.random() < share else RIGHT
    )
    found = [verdict_of(JudgeOneVerifier(), sample(f"It is {place}."), models) for place in range(300)]
    assert sum(one.outcome is Outcome.INVALID for one in found) <= 3


async def test_a_response_that_alone_has_the_judge_cut_is_priced() -> None:
    def reply(body: Request) -> str | Scripted:
        return RUNS_ON if "TRIGGER" in json.dumps(body) else RIGHT

    found = await judged_at_a_server_that_cuts(reply, "TRIGGER")
    assert (found.outcome, found.reason_code, found.score) == (Outcome.INVALID, "unjudgeable", 0.0)


async def test_a_judge_that_is_cut_in_its_reasons_is_asked_for_the_decision_alone() -> None:
    def reply(body: Request) -> str | Scripted:
        shown = body["response_format"]["json_schema"]["schema"]["properties"]
        return RUNS_ON if "analysis" in shown else '{"verdict": "correct"}'

    found = await judged_at_a_server_that_cuts(reply, "It is 4.")
    assert (found.outcome, found.score) == (Outcome.CORRECT, 1.0)
    assert found.evidence["usage"]["malformed"] == 1  # type: ignore[index,call-overload]
