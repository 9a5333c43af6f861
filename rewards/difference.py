"""What differs between two recipes, place by place, defaults included."""

from __future__ import annotations

from typing import NamedTuple

from pydantic import JsonValue

from rewards.recipe import Recipe


class PlaceChange(NamedTuple):
    """``before`` or ``after`` is None where the place is in one recipe only."""

    place: str
    before: JsonValue
    after: JsonValue


def difference(before: Recipe, after: Recipe) -> list[PlaceChange]:
    """The changes in the order of the recipe's keys; terms and routes are compared by position."""
    return list(_changes("", _plain(before), _plain(after)))


def _plain(recipe: Recipe) -> JsonValue:
    plain: JsonValue = recipe.model_dump(mode="json")
    return plain


def _changes(place: str, before: JsonValue, after: JsonValue) -> list[PlaceChange]:
    if isinstance(before, dict) and isinstance(after, dict):
        keys = list(dict.fromkeys([*before, *after]))
        pairs = [(f"{place}.{key}" if place else key, before.get(key), after.get(key)) for key in keys]
        return [change for pair in pairs for change in _changes(*pair)]
    if isinstance(before, list) and isinstance(after, list) and any(isinstance(x, dict) for x in [*before, *after]):
        length = max(len(before), len(after))
        padded = [entries + [None] * (length - len(entries)) for entries in (before, after)]
        rows = enumerate(zip(*padded, strict=True))
        return [change for index, (old, new) in rows for change in _changes(f"{place}.{index}", old, new)]
    return [] if before == after else [PlaceChange(place, before, after)]
