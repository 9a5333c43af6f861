"""Model servers over real sockets, scripted: a tokenizer of words, a rule for numbers, and every way to go wrong."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from aiohttp import web

Body = dict[str, Any]
Handler = Callable[[Body], Any]
_TOKEN = re.compile(r"<\|?\w+\|?>|\s*[^\s<]+|\s+|<")


class Fake:
    """Answers by path; a handler gives JSON, or a response as it is. What was asked is kept."""

    def __init__(self, **handlers: Handler) -> None:
        self.handlers: dict[str, Handler] = {"/v1/models": lambda _: {"data": [{"id": "far"}]}, **handlers}
        self.asked: list[tuple[str, Body]] = []
        self.pause_s = 0.0
        self.most_at_once = self._at_once = 0
        self._words: dict[str, int] = {}

    def on(self, path: str, handler: Handler) -> Fake:
        self.handlers[path] = handler
        return self

    def bodies(self, path: str) -> list[Body]:
        return [body for asked, body in self.asked if asked == path]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        content = await request.read()
        body = json.loads(content) if content else {}
        self.asked.append((request.path, body))
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        try:
            await asyncio.sleep(self.pause_s)
        finally:
            self._at_once -= 1
        if request.path not in self.handlers:
            return web.json_response({"detail": "Not Found"}, status=404)
        said = self.handlers[request.path](body)
        return said if isinstance(said, web.StreamResponse) else web.Response(text=json.dumps(said))

    # a tokenizer

    def words(self, text: str) -> list[str]:
        return _TOKEN.findall(text)

    def ids(self, text: str, *, special: bool = True) -> list[int]:
        words = ["<s>", *self.words(text)] if special else self.words(text)
        return [self._words.setdefault(word, len(self._words)) for word in words]

    def word(self, number: int) -> str:
        return list(self._words)[number]


def template(messages: list[dict[str, str]], *, opened: bool) -> str:
    said = "".join(f"<{one['role']}> {one['content']}<end>" for one in messages)
    return "<s>" + said + ("<assistant> " if opened else "")


def logprob(number: int) -> float:
    return -0.125 * (number + 1)


def vllm() -> Fake:
    """Logits are the text's length; log-probabilities follow the tokens' numbers."""
    fake = Fake()

    def read(body: Body) -> str:
        return body["input"] if "input" in body else template(body["messages"], opened=False)

    def tokenize(body: Body) -> Body:
        if "messages" in body:
            ids = fake.ids(template(body["messages"], opened=body["add_generation_prompt"]), special=False)
        else:
            ids = fake.ids(body["prompt"], special=body["add_special_tokens"])
        return {"tokens": ids, "count": len(ids), "max_model_len": 99}

    def detokenize(body: Body) -> Body:
        return {"prompt": "".join(fake.word(one) for one in body["tokens"])}

    def classify(body: Body) -> Body:
        number = float(len(read(body)))
        return {"data": [{"index": 0, "probs": [number, -number]}], "usage": {"prompt_tokens": 5}}

    def completions(body: Body) -> Body:
        prompt = body["prompt"]
        if isinstance(prompt, str):
            prompt = [fake.ids(prompt, special=body["add_special_tokens"])]
        choices = []
        for index, ids in enumerate(prompt):
            told = [
                None,
                *({str(n): {"logprob": logprob(n), "rank": 1, "decoded_token": fake.word(n)}} for n in ids[1:]),
            ]
            choices.append({"index": index, "text": " so", "prompt_logprobs": told})
        return {"choices": choices[::-1], "usage": {"prompt_tokens": len(prompt[0])}}

    def chat(body: Body) -> Body:
        return {"choices": [{"message": {"content": f"{len(body['messages'])} turns"}}]}

    handlers = {"/tokenize": tokenize, "/detokenize": detokenize, "/classify": classify}
    handlers |= {"/v1/completions": completions, "/v1/chat/completions": chat}
    for path, handler in handlers.items():
        fake.on(path, handler)
    return fake


def sglang() -> Fake:
    fake = Fake()

    def generate(body: Body) -> Body:
        ids = fake.ids(body["text"])
        told: list[Any] = [[None if n == 0 else logprob(one), one, fake.word(one)] for n, one in enumerate(ids)]
        meta: Body = {"prompt_tokens": len(ids), "input_token_logprobs": told}
        wanted = body.get("token_ids_logprob")
        if wanted:
            meta["output_token_ids_logprobs"] = [[[logprob(one), one, None] for one in sorted(wanted)]]
        return {"text": "", "meta_info": meta}

    fake.on("/generate", generate)
    fake.on("/tokenize", lambda body: {"tokens": fake.ids(body["prompt"], special=body["add_special_tokens"])})
    fake.on(
        "/classify",
        lambda body: [{"embedding": [float(len(one))], "meta_info": {"prompt_tokens": 3}} for one in body["text"]],
    )
    fake.on("/v1/completions", lambda body: {"choices": [{"text": body["prompt"][::-1]}]})
    return fake


@asynccontextmanager
async def serving(fake: Fake) -> AsyncIterator[str]:
    app = web.Application(client_max_size=2**24)
    app.router.add_route("*", "/{path:.*}", fake.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}"
    finally:
        await runner.cleanup()
