"""Logs: one event a line on standard error, as JSON objects or as text to read, ours and those of libraries alike.

Each line of a request has its id, its key's id and project, and its trace where it is traced. Whatever a line says, it
stays one line, and nothing in it moves a terminal's cursor. Keys never reach a log (:func:`redact_keys`), nor does the
text of a sample: an exception is told by its type and its place (:mod:`app.telemetry.exceptions`), for its message may
quote one.
"""

from __future__ import annotations

import json
import logging
import re
import sys
from collections.abc import Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Literal

import structlog
from starlette.types import Scope

from app.telemetry import tracing
from app.telemetry.exceptions import Mishaps

Form = Literal["auto", "text", "json"]
MOST_CHARACTERS = 2_000
"""Of one value."""
_KEY_IN_PATH = re.compile(r"^/k/[^/]*")
_KEY_IN_QUERY = re.compile(r"(?<=[?&]key=)[^&]*")
_KEY_ANYWHERE = re.compile(r"tw_[\w-]{16,}")
"""One in the wrong place, such as ``//k/<key>/...``: refused, but a key all the same."""
_BARE = re.compile(r"[^\s\"'=\\]+")
request: ContextVar[Scope | None] = ContextVar("request", default=None)
"""What a task works for. Tasks inherit it, and may go on when it has been answered (``answered`` of its state)."""


def configure(level: str, form: Form = "auto", *, samples: bool = False) -> None:
    """For the whole process. ``auto`` is text on a terminal, else JSON; ``samples`` shows what may quote one."""
    numeric = logging.getLevelNamesMapping()[level.upper()]
    as_text = form == "text" or (form == "auto" and sys.stderr.isatty())
    lines = LineRenderer(as_text=as_text, samples=samples)
    structlog.configure(
        processors=[structlog.processors.add_log_level, lines],
        wrapper_class=structlog.make_filtering_bound_logger(numeric),
        # the standard error of the moment, as the handler below: another may be put in its place, and closed
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    root = logging.getLogger()
    for handler in root.handlers[:]:
        if isinstance(handler, _Libraries):
            root.removeHandler(handler)
    root.addHandler(_Libraries(lines))
    root.setLevel(max(numeric, logging.INFO))
    # it logs every URL that it calls, and a webhook's may hold a token
    logging.getLogger("httpx2").setLevel(logging.WARNING)
    # a line for each plug-in and migration; the service has one for all of them
    logging.getLogger("alembic").setLevel(logging.WARNING)


@contextmanager
def only_warnings() -> Iterator[None]:
    """For what judges in a caller's own process, whose standard output is the caller's: warnings alone, on standard
    error. Whatever was configured holds again afterwards."""
    before = structlog.get_config()
    structlog.configure(
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING),
        logger_factory=lambda *_: structlog.PrintLogger(sys.stderr),
    )
    try:
        yield
    finally:
        structlog.configure(**before)


def redact_keys(path: str, query: str = "") -> str:
    """A request's path and query with every API key in them replaced."""
    target = f"{path}?{query}" if query else path
    return _KEY_ANYWHERE.sub("***", _KEY_IN_QUERY.sub("***", _KEY_IN_PATH.sub("/k/***", target)))


class LineRenderer:
    """Makes a line of an event; the last of structlog's processors."""

    def __init__(self, *, as_text: bool, samples: bool) -> None:
        self._write = _text if as_text else _json
        self._mishaps = Mishaps(samples=samples)
        self._stamp = structlog.processors.TimeStamper(fmt="iso", utc=True)

    def __call__(self, logger: object, name: str, event: MutableMapping[str, Any]) -> str:
        failure = event.pop("exc_info", None)
        if failure is True:
            failure = sys.exc_info()[1]
        told = self._stamp(None, name, {})
        told = {**told, "level": event.pop("level", ""), "event": event.pop("event", ""), **_whose()}
        told |= {field: self._plain_value(value) for field, value in event.items()}
        if isinstance(failure, BaseException):
            told["exception"] = self._mishaps.trace(failure)
        return self._write(told)

    def of_library(self, record: logging.LogRecord) -> str:
        message = record.getMessage()
        failure = record.exc_info[1] if record.exc_info else None
        if failure is not None:
            # what follows its first line describes the exception, as asyncio does
            message = message.splitlines()[0] if message else ""
        event = {"event": self._plain_value(message), "level": record.levelname.lower(), "logger": record.name}
        return self(None, "", event | {"exc_info": failure})

    def _plain_value(self, value: object) -> object:
        if isinstance(value, BaseException):
            return self._mishaps.words(value)
        if isinstance(value, str) and len(value) > MOST_CHARACTERS:
            return f"{value[:MOST_CHARACTERS]}... ({len(value)} characters)"
        return value


class _Libraries(logging.Handler):
    """What is logged by Python's own means: uvicorn, asyncio, SQLAlchemy."""

    def __init__(self, lines: LineRenderer) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        try:
            print(self._lines.of_library(record), file=sys.stderr, flush=True)
        except Exception:  # noqa: BLE001 - logging never raises where something is logged
            self.handleError(record)


def _whose() -> dict[str, object]:
    """The request that this is about, who asked, and the trace."""
    found: dict[str, object] = {}
    scope = request.get()
    if scope is not None and not scope["state"].get("answered"):
        found["request_id"] = scope["state"].get("request_id")
        principal = scope["state"].get("principal")
        if principal is not None and principal.owner is not None:
            found |= {"key": principal.owner, "project": principal.project}
        if (span := tracing.current()) is not None:
            found["trace_id"] = span.trace_id
    return found


def _json(event: Mapping[str, object]) -> str:
    try:
        line = json.dumps(event, default=repr, allow_nan=False)
    except ValueError:  # a number that is none, which JSON has no word for
        line = json.dumps({field: value if isinstance(value, str) else repr(value) for field, value in event.items()})
    return line.replace("\x7f", "\\u007f")


def _text(event: Mapping[str, object]) -> str:
    """``time level event field=value ...``, and indented below it the places of an exception."""
    fields = dict(event)
    head = [fields.pop("timestamp", ""), f"{fields.pop('level', ''):8}", _inert(str(fields.pop("event", "")))]
    places = str(fields.pop("exception", "")).splitlines()
    pairs = [f"{field}={_value(value)}" for field, value in fields.items() if value is not None]
    return "\n".join([" ".join([*map(str, head), *pairs]), *(f"    | {_inert(place)}" for place in places)])


def _value(value: object) -> str:
    text = _inert(str(value))
    return text if _BARE.fullmatch(text) else '"' + text.replace('"', '\\"') + '"'


def _inert(text: str) -> str:
    """Without control characters, line separators, and what turns the direction of text."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
