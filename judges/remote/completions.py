"""What vLLM and SGLang have in common with OpenAI: completions of texts and conversations, and the list of models."""

from __future__ import annotations

from pydantic import JsonValue

from judges.base import ModelUnavailable
from judges.questions import Answer, Generate
from judges.remote.chat import ask_chat, build_body, finish_of
from judges.remote.completion_prompt import Renderer
from judges.remote.dialect import served_name
from judges.remote.fields import (
    field,
    model_of,
    number,
    optional,
    rows,
    text,
    tokens_cached,
    tokens_read,
    tokens_written,
)
from judges.remote.request_quirks import Manners
from judges.remote.server import Server
from trueward.wire.model import ModelEntry

_PLAIN: dict[str, JsonValue] = {"top_k": -1, "repetition_penalty": 1.0}
"""Nothing is sampled by but what the question says, whatever the model's own settings are."""


async def ask_completion(
    server: Server, entry: ModelEntry, question: Generate, renderer: Renderer, manners: Manners
) -> Answer:
    """By the server's chat template, or as text by the entry's."""
    if not isinstance(question.prompt, str) and entry.chat_template is None:
        return await ask_chat(server, entry, question, manners, more=_PLAIN)
    opened = await renderer.prompt(server, entry, question.prompt)
    asked = {**build_body(entry, question), **_PLAIN, "prompt": opened.text}
    if question.alternatives:
        asked["logprobs"] = question.alternatives
    said = await manners.post(
        server,
        entry,
        "/v1/completions",
        question.form,
        lambda manner: manner.body(asked, question.max_tokens, question.form),
    )
    choice = field(said, "choices", 0)
    return Answer(
        text=text(field(choice, "text")),
        tokens=tokens_read(said),
        written=tokens_written(said),
        finish=finish_of(choice),
        alternatives=_alternatives(optional(choice, "logprobs")),
        model=model_of(said),
        cached=tokens_cached(said),
    )


async def has_model(server: Server, entry: ModelEntry, path: str = "/v1/models") -> None:
    """Raises :class:`judges.base.ModelUnavailable` where the list of models has it not."""
    names = [field(one, "id") for one in rows(field(await server.get(path), "data"))]
    if served_name(entry) not in names:
        raise ModelUnavailable(f"{entry.url} has no model {served_name(entry)!r}, but {', '.join(map(str, names))}")


def _alternatives(told: JsonValue) -> tuple[tuple[tuple[str, float], ...], ...]:
    """An object a token: the likeliest there, with their log-probabilities."""
    places = optional(told, "top_logprobs")
    found = [place if isinstance(place, dict) else {} for place in (rows(places) if places is not None else [])]
    return tuple(
        tuple(sorted(((token, number(one)) for token, one in place.items()), key=lambda told: -told[1]))
        for place in found
    )
