"""What vLLM and SGLang have in common with OpenAI: completions of texts and conversations, and the list of models."""

from __future__ import annotations

from pydantic import JsonValue

from judges.base import ModelUnavailable
from judges.questions import Answer, Generate
from judges.remote.dialect import messages_of, served_name
from judges.remote.fields import field, malformed, rows, tokens_read
from judges.remote.opened import Renderer
from judges.remote.server import Server
from judges.remote.template import with_system
from trueward.models import ModelEntry


async def generated(server: Server, entry: ModelEntry, question: Generate, renderer: Renderer) -> Answer:
    """By the server's chat template, or as text by the entry's. Nothing is sampled by but what the question says."""
    body: dict[str, JsonValue] = {
        "model": served_name(entry),
        "max_tokens": question.max_tokens,
        "temperature": question.temperature,
        "top_p": 1.0,
        "top_k": -1,
        "repetition_penalty": 1.0,
        "stop": [*question.stop],
    }
    if question.seed is not None:
        body["seed"] = question.seed
    if isinstance(question.prompt, str) or entry.chat_template is not None:
        opened = await renderer.prompt(server, entry, question.prompt)
        said = await server.post("/v1/completions", {**body, "prompt": opened.text})
        content = field(said, "choices", 0, "text")
    else:
        body["messages"] = [*messages_of(with_system(entry, question.prompt))]
        said = await server.post("/v1/chat/completions", body)
        content = field(said, "choices", 0, "message", "content")
    if not isinstance(content, str):
        malformed("there is no text: a server that parses reasoning or tools out of it cannot be asked")
    return Answer(text=content, tokens=tokens_read(said))


async def has_model(server: Server, entry: ModelEntry) -> None:
    """Raises :class:`judges.base.ModelUnavailable` where ``GET /v1/models`` has it not."""
    names = [field(one, "id") for one in rows(field(await server.get("/v1/models"), "data"))]
    if served_name(entry) not in names:
        raise ModelUnavailable(f"{entry.url} has no model {served_name(entry)!r}, but {', '.join(map(str, names))}")
