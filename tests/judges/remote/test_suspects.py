"""Whose doing a server's failures are: of the response that alone provokes them, or of nobody who asks.

The server, the clock and the network are the test's: minutes take no time.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections import Counter
from collections.abc import Callable, Sequence
from random import Random

import httpx2
import pytest

from benchmarks.patient.virtual import run
from judges.failure_verdicts import judge_task
from judges.pointwise import JudgeOneVerifier
from judges.remote import RemoteBackend
from tests.judges.far import Far
from trueward.wire.model import ModelEntry
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Verdict

JUDGE = JudgeOneVerifier()
ENTRY = ModelEntry(name="judge", kind="causal", backend="openai", url="http://far/v1")
SAID = json.dumps({"analysis": "compared", "verdict": "correct"})
GOOD = json.dumps({"choices": [{"message": {"content": SAID}, "finish_reason": "stop"}]}).encode()
DOWN = 503, b"loading"
Told = tuple[int, bytes]


class Played(httpx2.AsyncBaseTransport):
    """A judge that replies after ``work_s``. ``fails`` says by a prompt and the time what it says instead, at once."""

    def __init__(self, fails: Callable[[str, float], Told | None], work_s: float = 1.0) -> None:
        self.asked = 0
        self._fails = fails
        self._work_s = work_s

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked += 1
        status, body = await self.answer((await request.aread()).decode())
        return httpx2.Response(status, stream=httpx2.ByteStream(body))

    async def answer(self, prompt: str) -> Told:
        now = asyncio.get_running_loop().time
        said = self._fails(prompt, now())
        if said is not None:
            return said
        await asyncio.sleep(self._work_s)
        return self._fails(prompt, now()) or (200, GOOD)  # what it was at work on is lost


class Crashing(Played):
    """Is down for ``down_s`` once a prompt with TRIGGER has been read, and loses what it was at work on."""

    def __init__(self, down_s: float, work_s: float = 1.0) -> None:
        super().__init__(lambda prompt, now: DOWN if now < self._up_at else None, work_s)
        self._down_s = down_s
        self._up_at = 0.0

    async def answer(self, prompt: str) -> Told:
        now = asyncio.get_running_loop().time()
        if "TRIGGER" in prompt and now >= self._up_at:
            await asyncio.sleep(0.1)
            self._up_at = asyncio.get_running_loop().time() + self._down_s
        return await super().answer(prompt)


def judged(
    server: Played, responses: Sequence[str], *, within_s: float = 60.0, at_once: int = 64, prompt: str = "2 + 2?"
) -> list[Verdict]:
    """The verdicts on a batch, in order."""

    async def play() -> list[Verdict]:
        backend = RemoteBackend("openai", transport=server)
        turns = asyncio.Semaphore(at_once)

        async def one(response: str) -> Verdict:
            task = JUDGE.triage(Sample(prompt=prompt, response=response, reference="4"))
            assert not isinstance(task, Verdict)
            async with turns:
                deadline = asyncio.get_running_loop().time() + within_s
                return await judge_task(JUDGE, task, Far(backend, ENTRY, deadline=deadline))

        try:
            return await asyncio.gather(*map(one, responses))
        finally:
            await backend.close()

    return run(play())


def count(verdicts: Sequence[Verdict]) -> Counter[str]:
    return Counter(one.reason_code if one.outcome is Outcome.INVALID else str(one.outcome.value) for one in verdicts)


class Flaky(Played):
    """Fails at so many of all requests, whatever they hold."""

    def __init__(self, share: float) -> None:
        super().__init__(lambda prompt, now: None)
        self._random = Random(7)
        self._share = share

    async def answer(self, prompt: str) -> Told:
        return DOWN if self._random.random() < self._share else await super().answer(prompt)


def provoked(prompt: str, now: float) -> Told | None:
    return (500, b"internal error") if "TRIGGER" in prompt else None


@pytest.mark.parametrize(("size", "work_s"), [(1, 5.0), (8, 5.0), (40, 2.0)])
def test_what_breaks_a_judge_is_priced_however_many_do_it_at_once(size: int, work_s: float) -> None:
    found = judged(Played(provoked, work_s), [f"TRIGGER {place}" for place in range(size)])
    assert count(found) == {"unjudgeable": size}


def test_those_that_break_a_judge_take_it_from_nobody_else() -> None:
    responses = [f"TRIGGER {place}" if place % 2 else f"It is {place}." for place in range(64)]
    found = judged(Played(provoked, 2.0), responses)
    assert count(found[1::2]) == {"unjudgeable": 32}
    assert count(found[::2]) == {"correct": 32}


def test_a_flood_of_those_takes_it_from_nobody_else() -> None:
    """Though not all of them are found out by the deadline."""
    random.seed(1)
    responses = [*(f"TRIGGER {place}" for place in range(160)), *(f"It is {place}." for place in range(16))]
    Random(3).shuffle(responses)
    found = judged(Played(provoked, 5.0), responses, within_s=60.0, at_once=512)
    innocent = [verdict for verdict, response in zip(found, responses, strict=True) if "TRIGGER" not in response]
    assert count(innocent) == {"correct": 16}


@pytest.mark.parametrize(("size", "down_s"), [(1, 10.0), (8, 1.0), (8, 3.0), (8, 10.0), (64, 3.0), (64, 10.0)])
def test_who_takes_the_server_down_pays_alone(size: int, down_s: float) -> None:
    """Those that were asked beside it are lost, too, each time that it is tried again."""
    others = [f"It is {place}." for place in range(size - 1)]
    found = judged(Crashing(down_s, work_s=2.0), ["TRIGGER", *others], within_s=180.0)
    assert count(found[:1]) == {"unjudgeable": 1}
    assert not count(found[1:]).keys() - {"correct"}


@pytest.mark.parametrize(
    ("size", "crashing", "down_s", "within_s"), [(8, 2, 10.0, 180.0), (64, 4, 3.0, 180.0), (64, 8, 3.0, 300.0)]
)
def test_several_that_take_the_server_down_pay_and_nobody_else(
    size: int, crashing: int, down_s: float, within_s: float
) -> None:
    """Each is lost with the others at first, and the innocent with them."""
    responses = [f"TRIGGER {place}" if place < crashing else f"It is {place}." for place in range(size)]
    random.seed(size)  # of the pauses between tries
    found = judged(Crashing(down_s, work_s=2.0), responses, within_s=within_s)
    assert count(found[:crashing]) == {"unjudgeable": crashing}
    assert count(found[crashing:]) == {"correct": size - crashing}


def test_after_an_outage_nobody_waits_for_the_turns_of_a_slow_judge() -> None:
    server = Played(lambda prompt, now: DOWN if 5.0 <= now < 8.0 else None, work_s=14.0)
    assert count(judged(server, [f"It is {place}." for place in range(64)], within_s=90.0)) == {"correct": 64}


class Full(Played):
    """Works at so many questions at a time, each for ``work_s``; one with TRIGGER fails at once."""

    def __init__(self, places: int, work_s: float) -> None:
        super().__init__(provoked, work_s)
        self._places = asyncio.Semaphore(places)

    async def answer(self, prompt: str) -> Told:
        if "TRIGGER" in prompt:
            return 500, b"internal error"
        async with self._places:
            return await super().answer(prompt)


def test_what_breaks_a_busy_judge_is_priced_in_time() -> None:
    """Controls, and the response again, do not wait behind the batch."""
    found = judged(Full(64, 5.0), ["TRIGGER", *(f"It is {place}." for place in range(511))], within_s=50.0, at_once=512)
    assert count(found[:1]) == {"unjudgeable": 1}
    assert count(found[1:]) == {"correct": 511}


def test_a_server_that_fails_at_chance_blames_hardly_anyone() -> None:
    found = count(judged(Flaky(0.7), [f"It is {place}." for place in range(150)], within_s=120.0, at_once=4))
    assert found["unjudgeable"] <= 5, "less than 1 in 100 is expected"
    assert found["correct"] >= 120


@pytest.mark.parametrize("work_s", [1.0, 2.9])
@pytest.mark.parametrize("phase_s", [2.0, 3.0, 5.0])
def test_a_server_that_comes_and_goes_blames_nobody(phase_s: float, work_s: float) -> None:
    """Each time that a harmless response was judged it may be gone by the time that this one is nearly read."""
    server = Played(lambda prompt, now: DOWN if now % (2 * phase_s) >= phase_s else None, work_s)
    found = count(judged(server, [f"It is {place}." for place in range(16)], within_s=90.0, at_once=8))
    assert not found["unjudgeable"]


@pytest.mark.parametrize("from_s", [0.0, 0.04])
@pytest.mark.parametrize("length_s", [0.03, 0.08, 0.2, 1.0, 3.0, 30.0])
def test_an_outage_that_ends_at_any_moment_of_a_trial_costs_no_verdict(from_s: float, length_s: float) -> None:
    server = Played(lambda prompt, now: DOWN if from_s <= now < from_s + length_s else None, work_s=0.05)
    assert count(judged(server, [f"It is {place}." for place in range(16)])) == {"correct": 16}


TOO_LARGE = (
    "Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 31538. The "
    "input or output tokens must be reduced in order to run successfully."
)
SLOWER = "Rate limit reached for gpt-4o on tokens per min (TPM): Limit 30000, Used 29000, Requested 2000."
TOO_LONG = "prompt too long; exceeded max context length by 1200 tokens"
LONG = {
    "an error": ((500, b"out of memory"), "unjudgeable", "error"),
    "an error that tells": (
        (500, json.dumps({"error": {"message": TOO_LONG}}).encode()), "too_long", "abstained",
    ),
    "a limit of tokens a minute": (
        (429, json.dumps({"error": {"message": TOO_LARGE, "type": "tokens"}}).encode()), "too_long", "abstained",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("said", "priced", "not_priced"), LONG.values(), ids=LONG)
def test_a_response_that_is_too_long_for_a_server_is_priced_and_a_long_prompt_is_not(
    said: Told, priced: str, not_priced: str
) -> None:
    def long(prompt: str, now: float) -> Told | None:
        return said if len(prompt) > 20_000 else None

    responses = ["It is 4. " * 3000, *(f"It is {place}." for place in range(5))]
    assert count(judged(Played(long), responses)) == {priced: 1, "correct": 5}
    assert count(judged(Played(long), ["It is 4."], prompt="2 + 2? " * 4000)) == {not_priced: 1}


@pytest.mark.parametrize("words", [SLOWER, TOO_LARGE.replace("31538", "2000"), "Request too large for you."])
def test_a_limit_that_time_cures_is_waited_for(words: str) -> None:
    body = json.dumps({"error": {"message": words, "type": "tokens"}}).encode()
    server = Played(lambda prompt, now: (429, body) if now < 5.0 else None)
    assert count(judged(server, ["It is 4."])) == {"correct": 1}
