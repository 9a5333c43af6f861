"""What an entry says to another server beside the question, and what tokens from that server's cache cost."""

from __future__ import annotations

import asyncio
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue, ValidationError

from app.admission.budget.amount import price_tokens
from judges.asking import Usage
from judges.questions import Answer, Choices, Generate, Question, Turn
from judges.remote import RemoteBackend
from tests.judges.openai_server import JudgeServer, Scripted
from trueward.wire.model import ModelEntry, Price
from trueward.wire.request_fields import SAID_BY_QUESTIONS

ASKED = (Turn("user", "2 + 2 = 4?"),)
SECRET = "TRUEWARD_SECRET_GATEWAY"


async def answered(entry: ModelEntry, question: Question) -> Answer:
    backend = RemoteBackend("openai", connections=4)
    try:
        return await backend.ask(entry, question, deadline=asyncio.get_running_loop().time() + 10.0, flow="a")
    finally:
        await backend.close()


async def test_fields_and_headers_of_the_entry_go_with_every_question(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(SECRET, "key-0123")
    request = {
        "body": {"reasoning_effort": "low", "chat_template_kwargs": {"enable_thinking": False}},
        "headers": {"api-key": "{secret}", "X-Route": "judges"},
    }
    with JudgeServer(lambda body: Scripted("Yes", alternatives=[{"Yes": -0.1, "No": -2.4}])) as server:
        entry = server.entry("judge", secret=SECRET, request=request)
        await answered(entry, Generate(ASKED, 20, temperature=0.5))
        await answered(entry, Choices(ASKED, ("Yes", "No")))
        sent = server.asked
    assert len(sent) == 2
    for one in sent:
        assert one.body["reasoning_effort"] == "low"
        assert one.body["chat_template_kwargs"] == {"enable_thinking": False}
        assert one.headers["api-key"] == "key-0123"
        assert one.headers["X-Route"] == "judges"
        assert one.headers["Authorization"] == "Bearer key-0123"
    assert sent[0].body["temperature"] == 0.5


async def test_entries_of_one_server_keep_their_headers_apart() -> None:
    with JudgeServer(lambda body: "Yes") as server:
        backend = RemoteBackend("openai", connections=4)
        try:
            for route in ("a", "b", ""):
                headers = {"X-Route": route} if route else {}
                entry = server.entry(f"judge{route}", served_name="one", request={"headers": headers})
                deadline = asyncio.get_running_loop().time() + 10.0
                await backend.ask(entry, Generate(ASKED, 20), deadline=deadline, flow="a")
        finally:
            await backend.close()
        assert [one.headers.get("X-Route") for one in server.asked] == ["a", "b", None]


def entry_of(request: dict[str, JsonValue], **fields: JsonValue) -> ModelEntry:
    stated = {"name": "judge", "kind": "causal", "backend": "openai", "url": "http://127.0.0.1:1", "request": request}
    return ModelEntry.model_validate({**stated, **fields})


@pytest.mark.parametrize("name", sorted(SAID_BY_QUESTIONS))
def test_what_a_question_says_cannot_be_said_by_an_entry(name: str) -> None:
    with pytest.raises(ValidationError, match=name):
        entry_of({"body": {name: 1}})


@pytest.mark.parametrize(
    "headers",
    [
        {"Authorization": "Bearer x"},
        {"HOST": "elsewhere"},
        {"Content-Length": "0"},
        {"Transfer-Encoding": "chunked"},
        {"X-A": "one\r\nX-B: two"},
        {"X A": "one"},
        {"": "one"},
        {"X-A": "\u00e9"},
        {"X-A": "{secret}"},
    ],
)
def test_headers_that_would_change_the_request_are_refused(headers: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        entry_of({"headers": headers})


def test_a_local_model_has_no_request() -> None:
    with pytest.raises(ValidationError, match="other servers"):
        ModelEntry(name="m", kind="causal", path="/models/m", request={"body": {"a": 1}})


def test_another_request_is_another_judge_and_none_is_the_one_of_before() -> None:
    low, high = (entry_of({"body": {"reasoning_effort": one}}).digest for one in ("low", "high"))
    assert low != high
    plain = entry_of({}).model_copy(update={"request": None})
    before = plain.model_dump_json(exclude={"limits", "request"})
    assert "request" not in json.loads(before)
    assert plain.digest != low


def usage(**fields: JsonValue) -> Scripted:
    told = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}], "usage": fields}
    return Scripted(raw=json.dumps(told).encode())


@pytest.mark.parametrize(
    ("told", "cost"),
    [
        ({"prompt_tokens": 1000, "completion_tokens": 100}, 1000 * 2 + 100 * 8),
        (
            {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_tokens_details": {"cached_tokens": 900}},
            100 * 2 + 900 * 0.5 + 100 * 8,
        ),
        (
            {"prompt_tokens": 1000, "completion_tokens": 100, "prompt_cache_hit_tokens": 400},
            600 * 2 + 400 * 0.5 + 100 * 8,
        ),
        ({"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": 99}}, 10 * 0.5),
        ({"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": {"cached_tokens": -5}}, 10 * 2),
        ({"prompt_tokens": 10, "completion_tokens": 0, "prompt_tokens_details": None}, 10 * 2),
    ],
)
async def test_tokens_from_the_servers_cache_have_a_price_of_their_own(told: dict[str, JsonValue], cost: float) -> None:
    with JudgeServer(lambda body: usage(**told)) as server:
        entry = server.entry("judge", price={"read": 2, "written": 8, "cached": 0.5})
        answer = await answered(entry, Generate(ASKED, 20))
    assert Usage.of(entry, answer).cost * 1_000_000 == pytest.approx(cost)


@given(
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.integers(0, 10**6),
    st.floats(0, 10, allow_nan=False),
    st.floats(0, 1, allow_nan=False),
)
def test_a_budget_and_a_verdict_charge_the_same_and_a_cache_never_more(
    read: int, written: int, cached: int, price: float, share: float
) -> None:
    tariff = Price(read=price, written=2 * price, cached=price * share)
    assert price_tokens(tariff, read, written, 1, cached).cost / 10**9 == pytest.approx(
        tariff.of(read, written, cached), rel=1e-6, abs=2e-9
    )
    assert tariff.of(read, written, cached) <= tariff.of(read, written) * (1 + 1e-9)


def test_a_cache_that_costs_more_than_reading_is_refused() -> None:
    with pytest.raises(ValidationError, match="no more"):
        Price(read=1, written=1, cached=1.5)
