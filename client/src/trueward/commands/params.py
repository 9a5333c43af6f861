"""Parameters from the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence

import typer
from pydantic import JsonValue


def read_params(given: Sequence[str]) -> dict[str, JsonValue]:
    """``key=value``; a value that is not JSON is text."""
    params: dict[str, JsonValue] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{item!r} is not key=value", param_hint="--param")
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params
