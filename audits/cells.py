"""Findings as cells of a table."""

from __future__ import annotations

from pydantic import JsonValue

from trueward.wire.audit import Cell


def cell(value: JsonValue) -> Cell:
    """A text or a number; None for what has no place in a cell."""
    return value if isinstance(value, str | int | float) else None


def cells(row: JsonValue, *names: str) -> list[Cell]:
    """The entries of an object, in this order; None for those that it lacks."""
    return [cell(row.get(name)) if isinstance(row, dict) else None for name in names]
