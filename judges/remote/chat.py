"""Chat completions in OpenAI's words: the request for what a model says next, and the reading of the answer.

What no server must tell may be missing: no text is an empty one (the model thought until its tokens were spent, or was
made to refuse), no usage is 0 tokens, no log-probabilities are no alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import JsonValue

from judges.questions import Answer, Generate, Turn
from judges.remote.dialect import messages_of, served_name
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
from judges.remote.template import with_system
from trueward.wire.model import Finish, ModelEntry

PATH = "/v1/chat/completions"
_FINISHES: Mapping[JsonValue, Finish] = {"length": "length", "content_filter": "refused"}


async def ask_chat(
    server: Server,
    entry: ModelEntry,
    question: Generate,
    manners: Manners,
    *,
    path: str = PATH,
    more: Mapping[str, JsonValue] | None = None,
) -> Answer:
    """What the model says to a conversation, or to a plain text as a user's turn; ``more`` goes into the request."""
    prompt = (Turn("user", question.prompt),) if isinstance(question.prompt, str) else question.prompt
    asked = build_body(entry, question) | dict(more or {})
    asked["messages"] = [*messages_of(with_system(entry, prompt))]
    if question.alternatives:
        asked |= {"logprobs": True, "top_logprobs": question.alternatives}
    said = await manners.post(
        server, entry, path, question.form, lambda manner: manner.body(asked, question.max_tokens, question.form)
    )
    return _answer(said)


def build_body(entry: ModelEntry, question: Generate) -> dict[str, JsonValue]:
    """The model and how its tokens are drawn: said also where it is the default, for a server may have others."""
    body: dict[str, JsonValue] = {
        **(entry.request.body if entry.request is not None else {}),
        "model": served_name(entry),
        "temperature": question.temperature,
        "top_p": question.top_p,
    }
    if question.stop:
        body["stop"] = [*question.stop]
    if question.seed is not None:
        body["seed"] = question.seed
    return body


def finish_of(choice: JsonValue) -> Finish:
    """Why a choice ended; what is not known of is an end like any other."""
    reason = optional(choice, "finish_reason")
    return _FINISHES.get(reason, "stop") if isinstance(reason, str) else "stop"


def _answer(said: JsonValue) -> Answer:
    choice = field(said, "choices", 0)
    message = field(choice, "message")
    return Answer(
        text=_content(optional(message, "content")),
        tokens=tokens_read(said),
        written=tokens_written(said),
        finish="refused" if optional(message, "refusal") else finish_of(choice),
        alternatives=_alternatives(optional(choice, "logprobs")),
        model=model_of(said),
        cached=tokens_cached(said),
    )


def _content(value: JsonValue) -> str:
    """A text, none, or parts of which those of text count."""
    if value is None or isinstance(value, str):
        return value or ""
    parts = [part for part in rows(value) if optional(part, "type") == "text"]
    return "".join(text(field(part, "text")) for part in parts)


def _alternatives(told: JsonValue) -> tuple[tuple[tuple[str, float], ...], ...]:
    """Of a place where a server tells none there are none."""
    places = optional(told, "content")
    return tuple(
        tuple(
            (text(field(one, "token")), number(field(one, "logprob")))
            for one in rows(optional(place, "top_logprobs") or [])
        )
        for place in (rows(places) if places is not None else [])
    )
