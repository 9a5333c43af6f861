"""Parameters from the command line."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Annotated

import typer
from pydantic import JsonValue

Param = Annotated[list[str] | None, typer.Option(help="Parameter of the verifier, key=value; JSON or text.")]


def params_of(verifier: str | None, recipe: str | None, given: Sequence[str] | None) -> dict[str, JsonValue]:
    """The parameters of what is to judge: either a verifier, which may have some, or a recipe, which may not."""
    if (verifier is None) == (recipe is None):
        raise typer.BadParameter("name either a verifier or a recipe", param_hint="--verifier / --recipe")
    if recipe is not None and given:
        raise typer.BadParameter("a recipe has its own parameters; --param is for a verifier", param_hint="--param")
    return read_params(given or [])


def read_params(given: Sequence[str], option: str = "--param") -> dict[str, JsonValue]:
    """``key=value``; a value that is not JSON is text."""
    params: dict[str, JsonValue] = {}
    for item in given:
        name, equals, value = item.partition("=")
        if not equals or not name:
            raise typer.BadParameter(f"{item!r} is not key=value", param_hint=option)
        try:
            params[name] = json.loads(value)
        except ValueError:
            params[name] = value
    return params
