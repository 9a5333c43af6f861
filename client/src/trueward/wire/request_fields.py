"""What a model's entry says to another server beside the question."""

from __future__ import annotations

import json
import re

from pydantic import Field, JsonValue, StrictStr, field_validator

from trueward.wire.base import Wire

SAID_BY_QUESTIONS = frozenset(
    {
        *("frequency_penalty", "logit_bias", "logprobs", "max_completion_tokens", "max_tokens", "messages", "model"),
        *("n", "presence_penalty", "prompt", "response_format", "seed", "stop", "stream", "temperature"),
        *("top_logprobs", "top_p"),
    }
)
"""Fields of a request for text that questions and judges set themselves, or that change what an answer is."""
_OUR_HEADERS = frozenset(
    {
        *("accept-encoding", "authorization", "connection", "content-encoding", "content-length", "content-type"),
        *("expect", "host", "proxy-authorization", "te", "trailer", "transfer-encoding", "upgrade"),
    }
)
_HEADER = re.compile(r"[A-Za-z0-9!#$%&'*+.^_`|~-]{1,64}")
_LONGEST_VALUE = 4096
_MOST_CHARACTERS = 16_384


class RequestFields(Wire):
    """What another server is told beside the question: how hard to think, which provider to take, whose gateway it is.

    ``body`` goes into every request for text. What the question itself says (:data:`SAID_BY_QUESTIONS`) cannot be said
    there. ``headers`` go with every request; ``{secret}`` in a value stands for the API key.
    """

    body: dict[StrictStr, JsonValue] = Field(
        {}, max_length=64, description='more fields of the request for text, such as `{"reasoning_effort": "low"}`'
    )
    headers: dict[StrictStr, StrictStr] = Field(
        {}, max_length=32, description="more headers of every request; `{secret}` in a value stands for the API key"
    )

    @field_validator("body")
    @classmethod
    def _leaves_the_question(cls, body: dict[str, JsonValue]) -> dict[str, JsonValue]:
        if taken := sorted(body.keys() & SAID_BY_QUESTIONS):
            raise ValueError(f"the question says {', '.join(taken)}: set it with the judge's preset or parameters")
        if len(json.dumps(body, allow_nan=False)) > _MOST_CHARACTERS:
            raise ValueError(f"more than {_MOST_CHARACTERS} characters")
        return body

    @field_validator("headers")
    @classmethod
    def _are_headers(cls, headers: dict[str, str]) -> dict[str, str]:
        for name, value in headers.items():
            if not _HEADER.fullmatch(name) or name.lower() in _OUR_HEADERS:
                raise ValueError(f"{name[:64]!r} is no name of a header that may be set here")
            if len(value) > _LONGEST_VALUE or not (value.isascii() and value.isprintable()):
                raise ValueError(f"the value of {name} is too long, or has characters that no header takes")
        return headers
