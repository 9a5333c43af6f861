"""A recipe as somebody wrote it, JSON or YAML: parsed, and refused with the line of what is wrong."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

from app.kit.body import parse
from rewards.recipe import Recipe
from rewards.recipe_yaml import LONGEST, Lines, place_problems, read
from trueward.errors import InvalidRecipe, InvalidRequest

MEDIA_TYPES = ("application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml")


@dataclass(frozen=True, slots=True)
class Written:
    """The mapping that was written, and the text it was written as."""

    body: Mapping[str, object]
    text: str
    lines: Lines | None

    async def parse(self, make: Callable[[Mapping[str, object]], Awaitable[Recipe]], name: str | None) -> Recipe:
        """What ``make`` makes of it; ``name`` is the recipe's, whatever the text says. Raises InvalidRecipe."""
        try:
            return await make(self.body if name is None else {**self.body, "name": name})
        except InvalidRecipe as refusal:
            lines = await asyncio.to_thread(self._lines)
            raise (place_problems(refusal, lines) if refusal.errors and lines else refusal) from None

    def _lines(self) -> Lines:
        """JSON is YAML too, or nearly: where it is not, errors name no line."""
        if self.lines is not None:
            return self.lines
        try:
            return read(self.text)[1]
        except InvalidRecipe:
            return {}


async def read_body(raw: bytes, content_type: str) -> Written:
    """What a body says; YAML where its content type says so, else JSON. Raises :class:`InvalidRecipe`.

    Read in a thread, for YAML takes up to a second.
    """
    return await asyncio.to_thread(_written, raw, content_type)


def _written(raw: bytes, content_type: str) -> Written:
    try:
        text = raw.decode()
    except UnicodeDecodeError as refusal:
        raise _unreadable("the recipe is not UTF-8") from refusal
    if len(text) > LONGEST:
        raise _unreadable(f"the recipe has over {LONGEST} characters")
    if content_type.partition(";")[0].strip().lower() in MEDIA_TYPES:
        body, lines = read(text)
        return Written(body, text, lines)
    try:
        value = parse(raw, "recipe")
    except InvalidRequest as refusal:
        raise _unreadable(f"{refusal.detail}; YAML needs the content type {MEDIA_TYPES[0]}") from refusal
    if not isinstance(value, dict):
        raise _unreadable("a recipe is an object")
    return Written(value, text, None)


def _unreadable(detail: str) -> InvalidRecipe:
    return InvalidRecipe.at_field("recipe", "no_document", detail)
