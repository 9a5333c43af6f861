"""Who pays is told of each request that a server may charge for, and of what became of it."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import suppress

import pytest
from aiohttp import web

from judges.base import BudgetSpent, ModelFailure
from judges.billing import bill_to
from judges.questions import Choices, Classify, Question
from judges.remote import RemoteBackend
from judges.remote import server as client
from tests.judges.remote.asking import entry_of, far
from tests.judges.remote.fake import Fake, vllm

QUESTION = Classify("four")
GOOD = {"data": [{"probs": [1.0, 2.0]}], "usage": {"prompt_tokens": 5}}


class Told(Counter[str]):
    """What was told; there is ``room`` for so many requests."""

    room = 99

    async def sending(self) -> None:
        if self["sending"] == self.room:
            raise BudgetSpent("no room")
        self["sending"] += 1

    def record_arrival(self) -> None:
        self["arrived"] += 1

    def record_refusal(self) -> None:
        self["refused"] += 1


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST_PAUSE_S", 0.01)


async def told_of(fake: Fake, question: Question = QUESTION, *, room: int = 99) -> Told:
    told = Told()
    told.room = room
    async with far("vllm", fake) as model:
        with bill_to(told), suppress(ModelFailure, TimeoutError):
            await model.ask(question, seconds=0.5)
    return told


async def test_an_answer_arrived() -> None:
    assert await told_of(vllm()) == {"sending": 1, "arrived": 1}


async def test_what_is_only_split_into_tokens_is_not_charged() -> None:
    fake = vllm()
    assert await told_of(fake, Choices("Good?", ("Yes", "No"))) == {"sending": 1, "arrived": 1}
    assert len(fake.bodies("/tokenize")) >= 1


@pytest.mark.parametrize("status", [400, 401, 404, 422])
async def test_a_refusal_is_told(status: int) -> None:
    told = await told_of(Fake().on("/classify", lambda _: web.Response(status=status)))
    assert told == {"sending": 1, "refused": 1}


@pytest.mark.parametrize("status", [500, 503])
async def test_each_try_that_was_refused_is_told(status: int) -> None:
    answers = iter([web.Response(status=status), web.Response(status=status), GOOD])
    told = await told_of(Fake().on("/classify", lambda _: next(answers)))
    assert told == {"sending": 3, "refused": 2, "arrived": 1}


@pytest.mark.parametrize("status", [502, 504])
async def test_behind_a_gateway_nobody_knows_what_became_of_it(status: int) -> None:
    answers = iter([web.Response(status=status), GOOD])
    told = await told_of(Fake().on("/classify", lambda _: next(answers)))
    assert told == {"sending": 2, "arrived": 1}


async def test_of_a_request_whose_answer_does_not_come_nothing_more_is_told() -> None:
    fake = vllm()
    fake.pause_s = 1.0
    assert await told_of(fake) == {"sending": 1}


async def test_what_waits_for_its_turn_has_not_left() -> None:
    fake, told = vllm(), Told()
    fake.pause_s = 1.0
    async with far("vllm", fake, connections=1) as model:
        first = asyncio.ensure_future(model.ask(QUESTION, seconds=1.0))
        await asyncio.sleep(0.1)
        with bill_to(told), pytest.raises(TimeoutError):
            await model.ask(QUESTION, seconds=0.2)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
    assert told == {}


async def test_a_server_that_is_not_there_was_sent_nothing() -> None:
    backend, told = RemoteBackend("vllm"), Told()
    with bill_to(told), pytest.raises(ModelFailure):
        await backend.ask(entry_of("vllm", "http://127.0.0.1:9"), QUESTION, deadline=_soon(), flow="a")
    await backend.close()
    assert told["sending"] == told["refused"] >= 2


async def test_without_room_nothing_more_is_sent() -> None:
    fake = Fake().on("/classify", lambda _: web.Response(status=502))
    assert await told_of(fake, room=2) == {"sending": 2}
    assert len(fake.bodies("/classify")) == 2


async def test_where_nobody_pays_nobody_is_told() -> None:
    async with far("vllm", vllm()) as model:
        assert (await model.ask(QUESTION)).rows


def _soon() -> float:
    return asyncio.get_running_loop().time() + 0.5
