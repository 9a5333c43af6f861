"""A server that is slow, wrong, full, down, elsewhere or endless costs a clear failure, in time, and no number."""

from __future__ import annotations

import asyncio
import gzip
import json

import pytest
from aiohttp import web

from judges.base import KeyRefused, ModelBusy, ModelUnavailable, Unaskable
from judges.questions import Classify
from judges.remote import RemoteBackend
from judges.remote import server as client
from tests.judges.remote.asking import entry_of, far
from tests.judges.remote.fake import Fake, Handler, serving, vllm

QUESTION = Classify("four")


@pytest.fixture(autouse=True)
def _without_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(client, "LONGEST_PAUSE_S", 0.01)


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
            await model.ask(QUESTION, seconds=0.5)


async def test_what_is_no_answer_is_told_with_its_type_and_beginning() -> None:
    page = classifying(lambda _: web.Response(text="<html>Sign in", content_type="text/html"))
    async with far("vllm", page) as model:
        with pytest.raises(ModelUnavailable, match=r"no JSON \(text/html.*<html>Sign in"):
            await model.ask(QUESTION, seconds=0.5)


@pytest.mark.parametrize("header", [{}, {"Content-Encoding": "gzip"}])
@pytest.mark.parametrize("packed", [True, False])
async def test_an_answer_that_a_proxy_packed_is_read_and_one_that_only_says_so_too(
    packed: bool, header: dict[str, str]
) -> None:
    said = json.dumps({"data": [{"probs": [4.0, -4.0]}]}).encode()
    body = gzip.compress(said) if packed else said
    async with far("vllm", classifying(lambda _: web.Response(body=body, headers=header))) as model:
        assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)


@pytest.mark.parametrize("status", [408, 409, 425, 500, 502, 503, 504, 529])
async def test_what_another_try_mends_is_tried_again(status: int) -> None:
    fake = vllm()
    good, bad = fake.handlers["/classify"], iter([web.Response(status=status), web.Response(status=status)])
    fake.on("/classify", lambda body: next(bad, None) or good(body))
    async with far("vllm", fake) as model:
        assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)
    assert len(fake.asked) == 3


@pytest.mark.parametrize(
    "said",
    [
        {"error": {"code": 502, "message": "the upstream failed"}},
        {"error": "overloaded"},
        {"error": {"code": "429", "message": "slower"}},
        {"choices": []},
        web.Response(text="<html>Bad gateway</html>", content_type="text/html"),
        web.Response(text="data: {}\n\n", content_type="text/event-stream"),
        web.Response(text=""),
        web.Response(body=gzip.compress(b"<html>")),
    ],
)
async def test_an_error_in_the_place_of_an_answer_is_tried_again(said: dict[str, object] | web.Response) -> None:
    fake = vllm()
    good, bad = fake.handlers["/classify"], iter([said])
    fake.on("/classify", lambda body: next(bad, None) or good(body))
    async with far("vllm", fake) as model:
        assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)
    assert len(fake.asked) == 2


@pytest.mark.parametrize(
    ("status", "failure"),
    [
        (401, KeyRefused),
        (402, KeyRefused),
        (403, ModelUnavailable),
        (404, ModelUnavailable),
        (400, Unaskable),
        (422, Unaskable),
        (204, ModelUnavailable),
    ],
)
async def test_refusals_say_what_they_are_and_are_asked_once(status: int, failure: type[Exception]) -> None:
    fake = classifying(lambda _: web.Response(status=status))
    async with far("vllm", fake) as model:
        with pytest.raises(failure):
            await model.ask(QUESTION)
    assert len(fake.asked) == 1


@pytest.mark.parametrize(("status", "failure"), [(429, ModelBusy), (500, ModelUnavailable), (503, ModelUnavailable)])
async def test_at_the_deadline_what_the_server_said_last_is_told(status: int, failure: type[Exception]) -> None:
    fake = classifying(lambda _: web.Response(status=status, text="come later"))
    async with far("vllm", fake) as model:
        with pytest.raises(failure, match=r"come later.*to the deadline"):
            await model.ask(QUESTION, seconds=1.0)
    assert len(fake.asked) >= 2 or status == 429


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
                with pytest.raises(ModelUnavailable, match="more than 1000 bytes"):
                    await one.post("/classify", {})
            finally:
                await one.close()
        assert len(fake.asked) == 1


async def test_no_server_is_a_failure_at_the_deadline_and_hardly_asked_meanwhile() -> None:
    backend = RemoteBackend("vllm")
    entry = entry_of("vllm", "http://127.0.0.1:9")
    deadline = asyncio.get_running_loop().time() + 0.3
    try:
        asked = [backend.ask(entry, QUESTION, deadline=deadline, flow="a") for _ in range(3)]
        failures = await asyncio.gather(*asked, return_exceptions=True)
        assert all(isinstance(one, ModelUnavailable) and "ConnectError" in str(one) for one in failures)
        status = (await backend.status())["far"]
        assert status.state == "failed"
        assert "down for" in status.detail
    finally:
        await backend.close()


async def test_a_question_that_always_fails_is_given_up_where_others_are_answered() -> None:
    """A text that makes a server fail costs no other its answer, and does not go on to the deadline."""
    fake = vllm()
    good = fake.handlers["/classify"]
    fake.on("/classify", lambda body: web.Response(status=500) if body["input"] == "bad" else good(body))
    async with far("vllm", fake) as model:
        failing = asyncio.ensure_future(model.ask(Classify("bad"), seconds=30.0))
        while not failing.done():
            assert (await model.ask(QUESTION)).rows == ((4.0, -4.0),)
        with pytest.raises(ModelUnavailable, match="500"):
            await failing
    asked = sum(body["input"] == "bad" for body in fake.bodies("/classify"))
    assert client.ATTEMPTS <= asked <= 3 * client.ATTEMPTS, "those count that others were answered between"


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
