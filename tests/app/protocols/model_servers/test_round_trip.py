"""Our clients of other servers against our own paths in their place: the same numbers come back."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from aiohttp import web

from judges.base import Unaskable
from judges.questions import Answer, Classify, Question, Turn
from judges.remote import RemoteBackend
from tests.app.models.conftest import Served
from tests.app.protocols.model_servers.conftest import Answering
from trueward.wire.model import Backend, ModelEntry

TALK = (Turn("user", "2 + 2?"), Turn("assistant", "It is 4, for 2 and 2 are 4."))
PROTOCOLS: tuple[Backend, ...] = ("vllm", "sglang", "tei")
TEMPLATE = "{% for m in messages %}{{ m.content }}{% if not loop.last %}|{% endif %}{% endfor %}"


@asynccontextmanager
async def reachable(api: Served) -> AsyncIterator[str]:
    """The service at a port."""

    async def handle(request: web.Request) -> web.Response:
        said = await api.http.request(request.method, str(request.rel_url), content=await request.read())
        return web.Response(status=said.status_code, body=said.content, content_type="application/json")

    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()


async def asked(protocol: Backend, url: str, question: Question, **more: object) -> Answer:
    entry = ModelEntry.model_validate(
        {"name": "far", "kind": "reward", "url": url, "backend": protocol, "served_name": "rm", **more}
    )
    backend = RemoteBackend(protocol)
    try:
        await backend.load(entry)
        deadline = asyncio.get_running_loop().time() + 10
        return await backend.ask(entry, question, deadline=deadline, flow="a")
    finally:
        await backend.close()


@pytest.mark.parametrize("labels", [1, 3])
async def test_the_logits_of_a_text_come_back(answering: Answering, labels: int) -> None:
    async with answering((("rm", "reward"),), labels=labels) as api, reachable(api) as url:
        for protocol in PROTOCOLS:
            answer = await asked(protocol, url, Classify("eightxxx"))
            assert answer.rows == (tuple(2.0 / 2**label for label in range(labels)),)
            assert answer.tokens == (0 if protocol == "tei" else 7)
            if labels == 1 and protocol != "sglang":
                assert (await asked(protocol, url, Classify("eightxxx", "four"))).rows == ((1.0,),)


async def test_a_conversation_is_rendered_by_the_server_or_by_the_entrys_template(answering: Answering) -> None:
    async with answering((("rm", "reward"),)) as api, reachable(api) as url:
        assert (await asked("vllm", url, Classify(TALK))).rows == ((len(TALK[1].content) / 4,),)
        assert api.backend.asked == [Classify(TALK)]
        text = "|".join(turn.content for turn in TALK)
        for protocol in PROTOCOLS:
            answer = await asked(protocol, url, Classify(TALK), chat_template=TEMPLATE)
            assert answer.rows == ((len(text) / 4,),)
        with pytest.raises(Unaskable, match="chat_template"):
            await asked("sglang", url, Classify(TALK))
