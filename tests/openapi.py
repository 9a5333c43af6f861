"""The OpenAPI document of the service, made once in each process of the tests: that takes a second or two."""

from __future__ import annotations

from functools import cache
from typing import Any

from app.main import create_app
from app.settings import Settings


@cache
def document() -> dict[str, Any]:
    return create_app(Settings()).openapi()


def paths() -> dict[str, dict[str, Any]]:
    """Each path with its operations, by method in small letters."""
    found: dict[str, dict[str, Any]] = document()["paths"]
    return found
