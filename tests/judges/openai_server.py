"""A judge's server that says what a function tells it: OpenAI's protocol over a real socket, in a thread of its own.

    with JudgeServer(lambda request: '{"analysis": "", "verdict": "correct"}') as server:
        entry = server.entry("judge")            # or ModelEntry(..., backend="openai", url=server.url)

``reply`` gets the body of each request for a chat completion and returns the text, or :class:`Scripted` for whatever
else a server may do. It is called in the server's thread, one call at a time; it may be replaced while the server
runs. Tokens are words. Any path that ends in ``chat/completions`` or ``models`` is served, and requests are recorded.
"""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from aiohttp import web

from trueward.wire.model import ModelEntry

Request = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Scripted:
    """One answer. With a ``status`` other than 200 ``text`` is the error's message.

    ``alternatives`` has the likeliest tokens (token: log-probability) at each place of the reply, likeliest first.
    ``raw`` is sent instead of a body; ``drop`` closes the connection without an answer.
    """

    text: str | None = ""
    finish: str = "stop"
    refusal: str | None = None
    alternatives: Sequence[Mapping[str, float]] = ()
    status: int = 200
    param: str | None = None
    retry_after: str | None = None
    delay_s: float = 0.0
    drop: bool = False
    raw: bytes | None = None


@dataclass(frozen=True, slots=True)
class Asked:
    path: str
    headers: Mapping[str, str]
    body: Request

    @property
    def text(self) -> str:
        """The whole prompt as one text, as ``tests.judges.replies`` gives it to a reply."""
        return prompt_of(self.body)


Reply = Callable[[Request], str | Scripted]


class JudgeServer:
    """``refuses`` names fields, and values of ``response_format.type``, that it answers with OpenAI's 400; with a
    ``key`` it asks for that key; ``usage`` and ``models`` may be left untold."""

    def __init__(
        self,
        reply: Reply,
        *,
        models: Collection[str] | None = ("judge",),
        refuses: Collection[str] = (),
        key: str | None = None,
        usage: bool = True,
    ) -> None:
        self.reply = reply
        self.refuses = set(refuses)
        self.key = key
        self.asked: list[Asked] = []
        """Requests for chat completions, those that were refused too, in order."""
        self.in_flight = self.most_in_flight = 0
        self._models = models
        self._usage = usage
        self._loop = asyncio.new_event_loop()
        self._runner: web.AppRunner | None = None
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)

    @property
    def url(self) -> str:
        assert self._runner is not None, "the server runs within its `with`"
        return f"http://127.0.0.1:{self._runner.addresses[0][1]}"

    @property
    def bodies(self) -> list[Request]:
        return [one.body for one in self.asked]

    def entry(self, name: str = "judge", **fields: object) -> ModelEntry:
        """Its model as a service registers it."""
        said = {"name": name, "kind": "causal", "backend": "openai", "url": self.url, **fields}
        return ModelEntry.model_validate(said)

    def __enter__(self) -> Self:
        self._thread.start()
        asyncio.run_coroutine_threadsafe(self._start(), self._loop).result()
        return self

    def __exit__(self, *_: object) -> None:
        asyncio.run_coroutine_threadsafe(self._stop(), self._loop).result()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    async def _start(self) -> None:
        app = web.Application(client_max_size=2**24)
        app.router.add_post("/{path:(.*/)?chat/completions}", self._chat)
        app.router.add_get("/{path:(.*/)?models}", self._list)
        self._runner = web.AppRunner(app, handler_cancellation=True, shutdown_timeout=0.0)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0).start()

    async def _stop(self) -> None:
        assert self._runner is not None
        await self._runner.cleanup()

    async def _list(self, request: web.Request) -> web.Response:
        if not self._admits(request):
            return _error(401, "Incorrect API key provided.", None)
        if self._models is None:
            raise web.HTTPNotFound
        return web.json_response({"object": "list", "data": [{"id": name, "object": "model"} for name in self._models]})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            body = json.loads(await request.read())
            self.asked.append(Asked(request.path, dict(request.headers), body))
            if not self._admits(request):
                return _error(401, "Incorrect API key provided.", None)
            refused = self._refused(body)
            if refused is not None:
                return refused
            said = self.reply(body)
            return await self._answer(request, body, Scripted(said) if isinstance(said, str) else said)
        finally:
            self.in_flight -= 1

    def _admits(self, request: web.Request) -> bool:
        return self.key is None or request.headers.get("Authorization") == f"Bearer {self.key}"

    def _refused(self, body: Request) -> web.Response | None:
        form = body.get("response_format", {}).get("type")
        if form in self.refuses:
            return _error(400, f"Invalid parameter: 'response_format' of type '{form}' is not supported.", None)
        for name in self.refuses & body.keys():
            words = f"Unsupported parameter: '{name}' is not supported with this model."
            if name == "max_tokens":
                words += " Use 'max_completion_tokens' instead."
            return _error(400, words, name)
        return None

    async def _answer(self, request: web.Request, body: Request, said: Scripted) -> web.StreamResponse:
        await asyncio.sleep(said.delay_s)
        if said.drop:
            assert request.transport is not None
            request.transport.abort()
            return web.Response()
        headers = {} if said.retry_after is None else {"Retry-After": said.retry_after}
        if said.raw is not None:
            return web.Response(body=said.raw, status=said.status, headers=headers, content_type="application/json")
        if said.status != 200:
            return _error(said.status, said.text or "", said.param, headers)
        return web.json_response(_completion(body, said, usage=self._usage))


def prompt_of(body: Request) -> str:
    """All turns of a request as one text."""
    return "\n".join(str(turn["content"]) for turn in body["messages"])


def _completion(body: Request, said: Scripted, *, usage: bool) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": said.text, "refusal": said.refusal}
    choice: dict[str, Any] = {"index": 0, "message": message, "finish_reason": said.finish, "logprobs": None}
    if body.get("logprobs"):
        choice["logprobs"] = {"content": [_place(told, body.get("top_logprobs", 0)) for told in said.alternatives]}
    read, written = len(prompt_of(body).split()), len((said.text or "").split())
    answer: dict[str, Any] = {"id": "chatcmpl-0", "object": "chat.completion", "created": 0, "model": body.get("model")}
    answer["choices"] = [choice]
    if usage:
        counted = {"prompt_tokens": read, "completion_tokens": written, "total_tokens": read + written}
        answer["usage"] = counted
    return answer


def _place(told: Mapping[str, float], most: int) -> dict[str, Any]:
    """One token, the likeliest, and the likeliest at its place."""
    found = [_token(token, logprob) for token, logprob in told.items()]
    return {**(found[0] if found else _token("", 0.0)), "top_logprobs": found[:most]}


def _token(token: str, logprob: float) -> dict[str, Any]:
    return {"token": token, "logprob": logprob, "bytes": list(token.encode())}


def _error(status: int, words: str, param: str | None, headers: Mapping[str, str] | None = None) -> web.Response:
    """OpenAI's error body."""
    kind = "invalid_request_error" if status < 429 else "rate_limit_exceeded" if status == 429 else "server_error"
    error = {"message": words, "type": kind, "param": param, "code": None}
    return web.json_response({"error": error}, status=status, headers=headers)
