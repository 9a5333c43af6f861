"""Structured logs: JSON lines, or readable ones on a terminal. Keys never reach a log (:func:`redacted`)."""

from __future__ import annotations

import logging
import re
import sys

import structlog

_KEY_IN_PATH = re.compile(r"^/k/[^/]*")
_KEY_IN_QUERY = re.compile(r"(?<=[?&]key=)[^&]*")
_KEY_ANYWHERE = re.compile(r"tw_[\w-]{16,}")
"""One in the wrong place, such as ``//k/<key>/...``: refused, but a key all the same."""


def configure(level: str) -> None:
    numeric = logging.getLevelNamesMapping()[level.upper()]
    readable = sys.stderr.isatty()
    renderer = structlog.dev.ConsoleRenderer() if readable else structlog.processors.JSONRenderer()
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            structlog.processors.format_exc_info,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(numeric),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )
    logging.basicConfig(
        level=max(numeric, logging.INFO), stream=sys.stderr, format="%(levelname)s %(name)s %(message)s"
    )
    # it logs every URL that it calls, and a webhook's may hold a token
    logging.getLogger("httpx2").setLevel(logging.WARNING)


def redacted(path: str, query: str = "") -> str:
    """A request's path and query with every API key in them replaced."""
    target = f"{path}?{query}" if query else path
    return _KEY_ANYWHERE.sub("***", _KEY_IN_QUERY.sub("***", _KEY_IN_PATH.sub("/k/***", target)))
