"""How a form of the reply is demanded of a server, and what is remembered of one that refuses it."""

from __future__ import annotations

import asyncio
import json

import pytest

from judges.base import Unaskable
from judges.questions import Generate, Turn
from judges.remote import RemoteBackend
from tests.judges.openai_server import JudgeServer, Scripted
from tests.judges.remote.asking import answers

FORM = json.dumps({"type": "object", "properties": {"a": {"type": "string"}}})
ASKED = (Turn("system", "Judge."), Turn("user", "2 + 2 = 4"))
PLAIN = Generate(ASKED, 50)
FORMED = Generate(ASKED, 50, form=FORM)


def formats(server: JudgeServer) -> list[str | None]:
    return [body.get("response_format", {}).get("type") for body in server.bodies]


async def test_a_form_is_demanded_by_its_schema() -> None:
    with JudgeServer(lambda body: "{}") as server:
        await answers(server.entry(), FORMED)
    named = server.bodies[0]["response_format"]["json_schema"]
    assert (server.bodies[0]["response_format"]["type"], named["name"], named["strict"]) == (
        "json_schema",
        "reply",
        True,
    )
    shown = named["schema"]["properties"].pop("a")
    assert shown["type"] == "string"
    assert 0 < shown.pop("maxLength") < 50
    assert named["schema"] == {"type": "object", "properties": {}}


@pytest.mark.parametrize(
    ("refused", "first", "then"),
    [
        ({"json_schema"}, ["json_schema", "json_object"], "json_object"),
        ({"json_schema", "json_object"}, ["json_schema", "json_object", None], None),
        ({"response_format"}, ["json_schema", "json_object", None], None),
    ],
)
async def test_what_a_server_refuses_is_not_demanded_again(
    refused: set[str], first: list[str | None], then: str | None
) -> None:
    with JudgeServer(lambda body: "{}", refuses=refused) as server:
        other = Generate(ASKED, 50, form='{"type": "object"}')
        assert [one.text for one in await answers(server.entry(), FORMED, FORMED, other, PLAIN)] == ["{}"] * 4
    assert formats(server) == [*first, then, then, None]


@pytest.mark.parametrize(("structured", "sent"), [("schema", "json_schema"), ("json", "json_object"), ("none", None)])
async def test_an_entry_may_say_how_a_form_is_demanded(structured: str, sent: str | None) -> None:
    with JudgeServer(lambda body: "{}") as server:
        await answers(server.entry(structured=structured), FORMED)
        assert formats(server) == [sent]
        server.refuses = {"response_format"}
        if sent is not None:
            with pytest.raises(Unaskable, match="response_format"):
                await answers(server.entry(structured=structured), FORMED)


async def test_a_schema_that_alone_is_refused_costs_the_others_nothing() -> None:
    def picky(body: dict[str, object]) -> str | Scripted:
        refused = '"string"' in json.dumps(body) and "json_schema" in json.dumps(body)
        return Scripted("Invalid schema for response_format 'reply'", status=400) if refused else "{}"

    other = Generate(ASKED, 50, form='{"type": "object"}')
    with JudgeServer(picky) as server:
        await answers(server.entry(), FORMED, other, FORMED)
    assert formats(server) == ["json_schema", "json_schema", "json_object", "json_schema", "json_object"]


@pytest.mark.parametrize(
    "words", ["In context=('properties', 'a'), 'maxLength' is not permitted.", "failed to parse grammar"]
)
async def test_a_server_that_refuses_lengths_of_texts_is_shown_none_from_then_on(words: str) -> None:
    def picky(body: dict[str, object]) -> str | Scripted:
        return Scripted(words, status=400) if "maxLength" in json.dumps(body) else "{}"

    other = Generate(ASKED, 50, form='{"type": "object", "properties": {"b": {"type": "string"}}}')
    with JudgeServer(picky) as server:
        await answers(server.entry(), FORMED, FORMED, other)
    shown = [one["response_format"]["json_schema"]["schema"] for one in server.bodies]
    assert ["maxLength" in json.dumps(one) for one in shown] == [True, False, False, False]
    assert shown[1] == json.loads(FORM)


async def test_a_refusal_that_repeats_the_policys_words_teaches_nothing() -> None:
    words = "response_format json_schema temperature top_p max_completion_tokens"

    def moderated(body: dict[str, object]) -> str | Scripted:
        return Scripted(f"flagged: {words}", status=400) if words in json.dumps(body["messages"]) else "{}"

    backend = RemoteBackend("openai")
    deadline = asyncio.get_running_loop().time() + 10
    with JudgeServer(moderated) as server:
        attack = Generate((Turn("user", words),), 50, form=FORM)
        with pytest.raises(Unaskable):
            await backend.ask(server.entry(), attack, deadline=deadline, flow="a")
        asked = len(server.asked)
        await backend.ask(server.entry(), FORMED, deadline=deadline, flow="a")
        await backend.close()
    assert asked <= 6
    assert formats(server)[-1] == "json_schema"
    assert {"max_tokens", "temperature", "top_p"} <= server.bodies[-1].keys()
