"""What stands around the content of another server's answer: how it is packed, status, limits, when to come back, what
went wrong."""

from __future__ import annotations

import json
import math
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from pydantic import JsonValue

_GZIP = b"\x1f\x8b"
_NO_ACCESS = frozenset({401, 402})
_SPENT = frozenset(
    {
        "account_deactivated",
        "billing_hard_limit_reached",
        "billing_not_active",
        "insufficient_balance",
        "insufficient_credits",
        "insufficient_quota",
        "invalid_api_key",
    }
)
"""Error codes and types that say that the key, or the account behind it, is of no use."""
_OVER_LIMIT = re.compile(
    r"request too large for .{0,300}?\blimit:? (\d{1,12}),? requested:? (\d{1,12})\b", re.IGNORECASE | re.DOTALL
)
_LIMITS = {
    "requests": ("x-ratelimit-{}-requests", "anthropic-ratelimit-requests-{}"),
    "tokens": ("x-ratelimit-{}-tokens", "anthropic-ratelimit-tokens-{}"),
}
_SPAN = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_SPAN_S = (86_400.0, 3_600.0, 60.0, 1.0, 0.001)


class TooLarge(ValueError):
    """An answer that is unpacked has more bytes than are read."""


@dataclass(frozen=True, slots=True)
class Allowance:
    """So much of ``limit`` is left, and all of it again in ``reset_s`` seconds (0 where that is not told)."""

    limit: float
    remaining: float
    reset_s: float


def decoded(body: bytes, most_bytes: int) -> bytes:
    """The body, unpacked where a proxy packed it by gzip though nothing packed was asked for; what is no gzip stays as
    it is, whatever a header says. Raises :class:`TooLarge` where more than ``most_bytes`` come out."""
    if not body.startswith(_GZIP):
        return body
    unpacking = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        content = unpacking.decompress(body, most_bytes + 1)
    except zlib.error:
        return body
    if len(content) > most_bytes:
        raise TooLarge(f"more than {most_bytes} bytes")
    return content if unpacking.eof else body


def read_json(body: bytes) -> JsonValue:
    """Bytes that are no text in their encoding become U+FFFD, as where a server cuts a character in two. Raises
    ValueError, and RecursionError for what nests too deeply."""
    value: JsonValue = json.loads(body.decode(json.detect_encoding(body), errors="replace"))
    return value


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """``Retry-After`` in seconds or as a date, or OpenAI's ``retry-after-ms``; None where it says neither."""
    millis = _number(headers.get("retry-after-ms"))
    if millis is not None:
        return millis / 1000
    said = headers.get("retry-after")
    seconds = _number(said)
    return seconds if seconds is not None else _until_s(said)


def allowances(headers: Mapping[str, str]) -> dict[str, Allowance]:
    """What is left of ``requests`` and ``tokens``, as OpenAI's and Anthropic's headers tell it."""
    found = {}
    for name, forms in _LIMITS.items():
        for form in forms:
            limit, remaining = (_number(headers.get(form.format(part))) for part in ("limit", "remaining"))
            if limit and remaining is not None:
                found[name] = Allowance(limit, min(limit, remaining), _span_s(headers.get(form.format("reset"))))
    return found


def status_of(status: int, body: bytes) -> int:
    """The status, also where it stands in an error's body or choice under a status of 200 (as gateways do); 500 for an
    error of no status, for a choice that ended in an error, and for an answer without a choice."""
    if status != 200 or not (b'"error"' in body or b'"choices"' in body):
        return status
    value = _parsed(body)
    if not isinstance(value, dict):
        return status
    error, choices = value.get("error"), value.get("choices")
    if choices:
        first = choices[0] if isinstance(choices, list) else None
        if not isinstance(first, dict) or not (first.get("error") or first.get("finish_reason") == "error"):
            return status
        error = first.get("error")
    elif not error and "choices" not in value:
        return status
    code = error.get("code") if isinstance(error, dict) else None
    told = int(code) if isinstance(code, (int, str)) and str(code).isdecimal() else 500
    return told if 400 <= told < 600 else 500


def without_access(status: int, body: bytes) -> bool:
    """Whether an answer says that the key is of no use, or the account behind it empty. Codes count, not words: these
    may repeat a prompt."""
    if status in _NO_ACCESS:
        return True
    return status in (400, 403, 429) and not _SPENT.isdisjoint(codes_of(body))


def codes_of(body: bytes) -> tuple[str, ...]:
    """The code and the type of an error's body, in small letters, where it has them as text."""
    value = _parsed(body)
    error = value.get("error", value) if isinstance(value, dict) else None
    if not isinstance(error, dict):
        return ()
    return tuple(said.lower() for said in (error.get("code"), error.get("type")) if isinstance(said, str))


def is_over_limit(words: str) -> bool:
    """Whether OpenAI's 429 says that one request has more tokens than a whole minute's limit: no waiting cures that."""
    told = _OVER_LIMIT.search(words)
    return told is not None and int(told[2]) > int(told[1])


def words_of(body: bytes) -> str:
    """What an error's body says: OpenAI's object, flat or nested, text-embeddings-inference's, or the text itself."""
    value = _parsed(body)
    if value is None:
        return body[:10_000].decode(errors="replace")
    for name in ("error", "message", "detail"):
        if isinstance(value, dict) and name in value:
            value = value[name]
    return str(value)


def tokens_of(value: JsonValue) -> tuple[int, int]:
    """Tokens read and written by OpenAI's ``usage``, 0 where it does not tell."""
    usage = value.get("usage") if isinstance(value, dict) else None
    read, written = (
        usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")
    )
    return (read if isinstance(read, int) else 0), (written if isinstance(written, int) else 0)


def _parsed(body: bytes) -> JsonValue:
    try:
        return read_json(body)
    except (ValueError, RecursionError):
        return None


def _number(said: str | None) -> float | None:
    try:
        number = float(said or "")
    except ValueError:
        return None
    return max(0.0, number) if math.isfinite(number) else None


def _until_s(said: str | None) -> float | None:
    """Seconds until a date of HTTP or of RFC 3339."""
    for read in (parsedate_to_datetime, datetime.fromisoformat):
        try:
            return max(0.0, (read(said or "") - datetime.now(UTC)).total_seconds())
        except (ValueError, TypeError):  # no date, or one without its zone
            continue
    return None


def _span_s(said: str | None) -> float:
    """``6m0s``, ``120ms``, seconds alone, or a date."""
    number = _number(said)
    if number is not None:
        return number
    parts = _SPAN.fullmatch(said or "")
    if said and parts:
        return sum(float(part) * unit for part, unit in zip(parts.groups(), _SPAN_S, strict=True) if part)
    return _until_s(said) or 0.0
