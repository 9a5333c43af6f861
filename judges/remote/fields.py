"""What stands in another server's answer, or that it does not: nothing of it is taken on trust."""

from __future__ import annotations

import math
from typing import NoReturn

from pydantic import JsonValue

from judges.base import ModelUnavailable, NotFinite

_LONGEST_NAME = 300


def field(value: JsonValue, *path: str | int) -> JsonValue:
    """What stands at a path of names and places."""
    for step in path:
        try:
            value = value[step]  # type: ignore[index]  # whatever has not this is malformed
        except (LookupError, TypeError):
            raise_malformed(f"there is no {'.'.join(map(str, path))}")
    return value


def rows(value: JsonValue) -> list[JsonValue]:
    return value if isinstance(value, list) else raise_malformed("a list is something else")


def number(value: JsonValue) -> float:
    """Raises :class:`judges.base.NotFinite` for NaN and infinity, which servers also write as null."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        raise NotFinite("the server gave a number that is not finite for this text")
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise_malformed("a number is something else")
    try:
        return float(value)
    except OverflowError:
        raise NotFinite("the server gave a number beyond all bounds for this text") from None


def numbers(value: JsonValue) -> tuple[float, ...]:
    """One number or more."""
    found = tuple(map(number, rows(value)))
    return found or raise_malformed("a row has no number")


def whole(value: JsonValue) -> int:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool)
        else raise_malformed("a count is something else")
    )


def text(value: JsonValue) -> str:
    return value if isinstance(value, str) else raise_malformed("a text is something else")


def optional(value: JsonValue, name: str) -> JsonValue:
    """What an object says under a name that servers may leave out; None where it does not."""
    return value.get(name) if isinstance(value, dict) else None


def tokens_read(value: JsonValue) -> int:
    """``usage.prompt_tokens`` of OpenAI's answers; 0 where they do not tell."""
    return _used(value, "prompt_tokens")


def tokens_written(value: JsonValue) -> int:
    """``usage.completion_tokens`` of OpenAI's answers, thinking among them; 0 where they do not tell."""
    return _used(value, "completion_tokens")


def tokens_cached(value: JsonValue) -> int:
    """Those of the tokens read that the server had in its cache, as OpenAI's answers tell it, or DeepSeek's; else 0."""
    details = optional(optional(value, "usage"), "prompt_tokens_details")
    count = optional(details, "cached_tokens")
    return max(0, count) if isinstance(count, int) else _used(value, "prompt_cache_hit_tokens")


def model_of(value: JsonValue) -> str:
    """The model that OpenAI's answers name, with the fingerprint of its system where there is one."""
    parts = (optional(value, "model"), optional(value, "system_fingerprint"))
    return " ".join(part for part in parts if isinstance(part, str) and part)[:_LONGEST_NAME]


def _used(value: JsonValue, name: str) -> int:
    count = optional(optional(value, "usage"), name)
    return max(0, count) if isinstance(count, int) else 0


def raise_malformed(what: str) -> NoReturn:
    raise ModelUnavailable(f"the server's answer is not of its protocol: {what}")
