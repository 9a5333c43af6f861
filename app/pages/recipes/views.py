"""What the pages of recipes show."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field

from trueward.wire.base import Wire
from trueward.wire.recipe import RecipeChange, RecipeVersion
from trueward.wire.watch import Freeze


class RecipeRow(Wire):
    name: str
    hash: str
    description: str
    terms: list[str] = Field(description="verifiers and models of its terms, those of routes included")
    path: str


class RecipesView(Wire):
    recipes: list[RecipeRow]


class SideRow(Wire):
    """A line of both texts, side by side; null where a text has none there. Numbers count from 1."""

    kind: Literal["same", "changed", "removed", "added", "left_out"]
    before_line: int | None = None
    before: str | None = None
    after_line: int | None = None
    after: str | None = None


class DiffView(Wire):
    """``rows`` is empty for texts that are too long to be laid side by side; ``changes`` are those of the API."""

    before: str = Field(description="hash")
    after: str = Field(description="hash")
    rows: list[SideRow]
    changes: list[RecipeChange]


class UseRow(Wire):
    run: str
    path: str
    recipe: str = Field(description="hash that is pinned")
    created_at: datetime


class RecipePage(Wire):
    name: str
    hash: str
    description: str
    text: str = Field(description="YAML, without what is at its default; what `PUT /v1/recipes/{name}` takes")
    current: bool = Field(description="the name stands for this content")
    stored: bool = Field(description="the name stands for something; else the ledger alone knows the content")
    versions: list[RecipeVersion] = Field(description="newest first, deletions included")
    diff: DiffView | None = Field(description="null unless two versions are compared")
    runs: list[UseRow] = Field(description="the newest 50 that have any of the versions pinned")
    freeze: Freeze | None = Field(description="why rewards are refused; null where they are not")
    warnings: list[str] = Field(description="what in it has no effect")
