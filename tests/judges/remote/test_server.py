"""A server that is slow, wrong, full, down, elsewhere or endless costs a clear failure, in time, and no number."""

from __future__ import annotations

import asyncio
import gzip
from collections.abc import Iterator

import pytest
import stamina
from aiohttp import web

from judges.base import ModelBusy, ModelUnavailable, Unaskable
from judges.questions import Classify
from judges.remote import RemoteBackend
from judges.remote import server as client
from tests.judges.remote.asking import entry_of, far
from tests.judges.remote.fake import Fake, Handler, serving, vllm

QUESTION = Classify("four")


@pytest.fixture(autouse=True)
def _without_pauses() -> Iterator[None]:
    with stamina.set_testing(True, attempts=client.ATTEMPTS):
        yield


def classifying(handler: Handler) -> Fake:
    return Fake().on("/classify", handler)


@pytest.mark.parametrize(
    "said",
    [
        "<html>",
        "[]",
        "{}",
        '{"data": []}',
        '{"data": [{"probs": []}]}',
        '{"data": [{"probs": 1.0}]}',
        '{"data": [{"probs": ["1"]}]}',
        '{"data": [{"probs": [true]}]}',
        '{"data": {"0": {"probs": [1.0]}}}',
        "[" * 100_000,
        "",
    ],
)
async def test_an_answer_of_another_protocol_is_a_failure(said: str) -> None:
    async with far("vllm", classifying(lambda _: web.Response(text=said))) as model:
        with pytest.raises(ModelUnavailable):
            await model.ask(QUESTION)


async def test_what_another_try_mends_is_tried_again() -> None:
    for status in (429, 502, 503, 504):
        fake = vllm()
        good, bad = fake.handlers["/classify"], iter([web.Response(status=status), web.Response(status=status)])
        fake.on("/classify", lambda body, good=good, bad=bad: next(bad, None) or good(body))  # type: ignore[misc]
        async with far("vllm", fake) as model:
            assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)
        assert len(fake.asked) == 3


@pytest.mark.parametrize(
    ("status", "failure", "asked"),
    [
        (429, ModelBusy, client.ATTEMPTS),
        (503, ModelUnavailable, client.ATTEMPTS),
        (500, ModelUnavailable, 1),
        (401, ModelUnavailable, 1),
        (404, ModelUnavailable, 1),
        (400, Unaskable, 1),
        (422, Unaskable, 1),
        (204, ModelUnavailable, 1),
    ],
)
async def test_refusals_say_what_they_are(status: int, failure: type[Exception], asked: int) -> None:
    fake = classifying(lambda _: web.Response(status=status))
    async with far("vllm", fake) as model:
        with pytest.raises(failure):
            await model.ask(QUESTION)
    assert len(fake.asked) == asked


async def test_a_redirect_is_not_followed() -> None:
    inside = vllm()
    async with serving(inside) as secret:
        moved = classifying(lambda _: web.Response(status=307, headers={"Location": f"{secret}/classify"}))
        async with far("vllm", moved) as model:
            with pytest.raises(ModelUnavailable, match="redirects"):
                await model.ask(QUESTION)
    assert inside.asked == []


async def test_an_answer_is_read_up_to_a_bound() -> None:
    bomb = gzip.compress(bytes(10**7))

    for body, headers in ((b"x" * 10**6, {}), (bomb, {"Content-Encoding": "gzip"})):
        fake = classifying(lambda _, body=body, headers=headers: web.Response(body=body, headers=headers))  # type: ignore[misc]
        async with serving(fake) as url:
            one = client.Server(url, 2, most_bytes=1000)
            try:
                with pytest.raises(ModelUnavailable, match=r"bytes|no JSON"):
                    await one.post("/classify", {})
            finally:
                await one.close()
        assert len(fake.asked) == 1


async def test_no_server_is_a_failure_and_after_some_it_is_left_alone() -> None:
    backend = RemoteBackend("vllm")
    entry = entry_of("vllm", "http://127.0.0.1:9")
    deadline = asyncio.get_running_loop().time() + 20
    try:
        with pytest.raises(ModelUnavailable, match="ConnectError"):
            await backend.ask(entry, QUESTION, deadline=deadline, flow="a")
        for _ in range(2):
            with pytest.raises(ModelUnavailable):
                await backend.ask(entry, QUESTION, deadline=deadline, flow="a")
        with pytest.raises(ModelUnavailable, match="given a rest"):
            await backend.ask(entry, QUESTION, deadline=deadline, flow="a")
        assert (await backend.status())["far"].state == "failed"
    finally:
        await backend.close()


async def test_refusing_texts_does_not_make_a_server_count_as_down() -> None:
    fake = vllm()
    good = fake.handlers["/classify"]
    fake.on("/classify", lambda body: web.Response(status=500) if body["input"] == "bad" else good(body))
    async with far("vllm", fake) as model:
        for _ in range(12):
            with pytest.raises(ModelUnavailable):
                await model.ask(Classify("bad"))
        assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)


async def test_a_slow_server_is_given_up_before_the_caller_is() -> None:
    fake = vllm()
    fake.pause_s = 1.0
    async with far("vllm", fake) as model:
        now = asyncio.get_running_loop().time
        started = now()
        with pytest.raises(TimeoutError):
            await model.ask(QUESTION, seconds=0.5)
        assert now() - started < 0.5


async def test_questions_at_once_are_bounded_and_flows_take_turns() -> None:
    fake = vllm()
    fake.pause_s = 0.02
    done: list[str] = []

    async with far("vllm", fake, connections=2) as model:

        async def ask(flow: str) -> None:
            await model.ask(QUESTION, flow=flow)
            done.append(flow)

        many = [asyncio.ensure_future(ask("many")) for _ in range(12)]
        await asyncio.sleep(0)
        few = [asyncio.ensure_future(ask("few")) for _ in range(2)]
        await asyncio.gather(*many, *few)
        assert model.backend.counters()["in_flight"] == 0
    assert fake.most_at_once == 2
    assert max(place for place, flow in enumerate(done) if flow == "few") < 9


async def test_who_gives_up_leaves_the_line() -> None:
    fake = vllm()
    fake.pause_s = 0.05
    async with far("vllm", fake, connections=1) as model:
        asked = [asyncio.ensure_future(model.ask(QUESTION)) for _ in range(4)]
        await asyncio.sleep(0.01)
        for one in asked[1:3]:
            one.cancel()
        await asyncio.gather(*asked, return_exceptions=True)
        assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)
    assert len(fake.asked) == 3


async def test_a_model_is_loaded_where_the_server_has_it() -> None:
    async with far("vllm", vllm()) as model:
        await model.backend.load(model.entry)
        assert (await model.backend.status())["far"].state == "ready"
        await model.backend.drop("far")
        assert await model.backend.status() == {}
    async with far("sglang", Fake(), served_name="other") as model:
        with pytest.raises(ModelUnavailable, match="has no model 'other', but far"):
            await model.backend.load(model.entry)
