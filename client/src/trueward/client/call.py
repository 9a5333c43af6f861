"""One exchange with the service, without the exchange: what is sent, and what the answer means.

A failure that another try may mend is raised as :class:`RetryableFailure` around the error of the tree; every other
failure is the error itself. Not here: sending, waiting, deadlines.
"""

from __future__ import annotations

import contextlib
import datetime
import email.utils
import json
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar
from urllib.parse import quote

import httpx2
from pydantic import ValidationError

from trueward.errors import (
    AnsweredError,
    ConnectionFailed,
    Forbidden,
    Overloaded,
    Problem,
    TooLarge,
    TruewardError,
    Unauthorized,
    Unavailable,
    UnexpectedAnswer,
    from_problem,
)
from trueward.tracing import trace_headers

T = TypeVar("T")

RETRIED = frozenset({429, 502, 503, 504})
LONGEST_WAIT_S = 60.0
_BARE: Mapping[int, type[AnsweredError]] = {
    401: Unauthorized,
    403: Forbidden,
    413: TooLarge,
    429: Overloaded,
    502: Unavailable,
    503: Unavailable,
    504: Unavailable,
}


class RetryableFailure(Exception):
    """A failure that another try may mend; ``wait_s`` is what the service asked for, else None."""

    def __init__(self, error: TruewardError, wait_s: float | None = None) -> None:
        super().__init__(error.detail)
        self.error = error
        self.wait_s = wait_s


def _no_body(remaining_s: float | None) -> Sequence[bytes]:
    return ()


@dataclass(frozen=True)
class Call(Generic[T]):
    """A request and the reader of its answer.

    ``body`` gives the blocks to send; it is asked once, with the seconds left, and the same bytes go out
    on every try under the same ``idempotency_key``, so that no try scores what an earlier one scored.
    ``size`` counts the samples, for progress; ``also_answers`` are statuses beside 2xx that carry an answer.
    ``trace`` is that of whoever made the call: a thread that sends it has none.
    """

    method: str
    path: str
    read: Callable[[bytes], T]
    body: Callable[[float | None], Sequence[bytes]] = _no_body
    content_type: str = "application/json"
    idempotency_key: str | None = None
    size: int = 0
    also_answers: frozenset[int] = frozenset()
    trace: Mapping[str, str] = field(default_factory=trace_headers)

    @property
    def headers(self) -> dict[str, str]:
        headers = dict(self.trace)
        if self.method in ("PATCH", "POST", "PUT"):
            headers["Content-Type"] = self.content_type
        if self.idempotency_key is not None:
            headers["Idempotency-Key"] = self.idempotency_key
        return headers


def new_key() -> str:
    """An idempotency key."""
    return uuid.uuid4().hex


@dataclass
class CallAnswer(Generic[T]):
    """The answer to a call as it arrives."""

    call: Call[T]
    status: int
    headers: Mapping[str, str]
    pieces: list[bytes] = field(default_factory=list)

    def read(self) -> T:
        """What the call asked for. Raises :class:`RetryableFailure` or an error of the tree."""
        if not 200 <= self.status < 300 and self.status not in self.call.also_answers:
            raise self.refusal()
        try:
            return self.call.read(b"".join(self.pieces))
        except (ValidationError, ValueError) as wrong:
            raise UnexpectedAnswer(
                f"{self._what()} is not what this client understands: {_first_line(wrong)}. "
                "Check that the URL is that of a Trueward service and that their versions match."
            ) from wrong

    def refusal(self) -> RetryableFailure | TruewardError:
        wait_s = retry_after_s(self.headers)
        error = self._problem(wait_s)
        return RetryableFailure(error, wait_s) if self.status in RETRIED else error

    def _problem(self, wait_s: float | None) -> TruewardError:
        try:
            problem = Problem.model_validate_json(b"".join(self.pieces))
        except ValidationError:
            return self._bare(wait_s)
        return from_problem(problem, retry_after_s=wait_s)

    def _bare(self, wait_s: float | None) -> TruewardError:
        """A refusal without our problem document: a proxy's, or somebody else's service."""
        kind = _BARE.get(self.status)
        if kind is not None:
            return kind(f"{self._what()} came from something in between, such as a proxy", retry_after_s=wait_s)
        moved = self.headers.get("location")
        hint = f"use the URL it redirects to, {moved}" if moved else "check the URL"
        return UnexpectedAnswer(f"{self._what()} is not that of a Trueward service: {hint}")

    def _what(self) -> str:
        kind = self.headers.get("content-type", "no content type").partition(";")[0]
        return f"the answer to {self.call.method} {self.call.path} (status {self.status}, {kind})"


def retry_after_s(headers: Mapping[str, str]) -> float | None:
    """Seconds that ``Retry-After`` asks for (a number or an HTTP date), in [0, 60]; None without one."""
    text = headers.get("retry-after")
    if text is None:
        return None
    try:
        seconds = float(text)
    except ValueError:
        try:
            moment = email.utils.parsedate_to_datetime(text)
            seconds = (moment - datetime.datetime.now(datetime.UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), LONGEST_WAIT_S)


@contextlib.contextmanager
def transport_errors(url: str) -> Iterator[None]:
    """Turns what the HTTP library raises into :class:`RetryableFailure` and :class:`ConnectionFailed`."""
    try:
        yield
    except (httpx2.UnsupportedProtocol, httpx2.LocalProtocolError, httpx2.DecodingError) as failure:
        raise UnexpectedAnswer(f"{url} cannot be spoken to: {_first_line(failure)}") from failure
    except httpx2.TransportError as failure:
        reason = _first_line(failure).rstrip(".") or type(failure).__name__
        raise RetryableFailure(ConnectionFailed(f"no whole answer from {url}: {reason}. {_hint(reason)}")) from failure


def _hint(reason: str) -> str:
    """What to look at, by what TLS says of the other side."""
    if "WRONG_VERSION_NUMBER" in reason or "RECORD_LAYER_FAILURE" in reason:
        return "The server there speaks HTTP without TLS: does the URL begin with http://?"
    if "disconnected without" in reason:
        return "Does a service run there, and does it speak HTTPS?"
    if "CERTIFICATE_VERIFY_FAILED" in reason:
        return "Is its name the URL's, and its authority trusted? SSL_CERT_FILE names a file with yours"
    return "Is the service running there?"


def _first_line(failure: Exception) -> str:
    if isinstance(failure, ValidationError):
        first = failure.errors(include_url=False, include_input=False)[0]
        return f"{'.'.join(map(str, first['loc']))}: {first['msg']}".removeprefix(": ")
    return str(failure).partition("\n")[0][:300]


def json_bytes(value: object) -> bytes:
    """Compact UTF-8 JSON. Raises ValueError or TypeError for what JSON cannot say."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def segment(name: str) -> str:
    """A name as one part of a path."""
    return quote(name, safe="")
