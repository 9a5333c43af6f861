"""Recipes: stored, corrected by an audit's rates, compared."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import Field, JsonValue, StrictStr

from trueward.errors import FieldProblem
from trueward.estimators.noise import Estimator
from trueward.wire.base import Wire


class StoredRecipe(Wire):
    """A recipe that was put: ``new`` where its name stood for another content before, or for none."""

    name: str
    hash: str
    new: bool
    warnings: list[str]


class RecipeCorrection(Wire):
    """What ``POST /v1/recipes/{name}/correct`` takes: an audit, and what to call the corrected recipe.

    The audit is named by id, ``latest``, name, run or beginning of an id; only completed ones count that measured
    rates of one of the recipe's verifiers.
    """

    audit: StrictStr = Field(default="latest", min_length=1, max_length=256)
    name: StrictStr | None = Field(default=None, description="default: the recipe's, with `-corrected` behind it")
    estimator: Estimator = Field(default=Estimator.STANDARDISED, description="what the trainer makes of rewards")


class CorrectedRecipe(StoredRecipe):
    """A recipe that was corrected: with the rates of this ``audit``."""

    audit: str


class RecipeVersion(Wire):
    """What a name stood for from ``created_at`` on."""

    name: str
    hash: str | None = Field(description="null: the recipe was deleted")
    description: str = ""
    origin: Literal["put", "file"] = Field(description="`file`: it came with the service, or from its directory")
    owner: str | None = Field(default=None, description="the key that put it")
    created_at: datetime


class RecipeVersions(Wire):
    versions: list[RecipeVersion] = Field(description="newest first")


class RecipeValidation(Wire):
    """``problems`` is empty exactly where the recipe is valid; then it has a hash."""

    valid: bool
    hash: str | None = None
    problems: list[FieldProblem] = Field(default=[])
    warnings: list[str] = Field(default=[])
    reads: list[str] | None = Field(default=None, description="of a valid recipe: fields that a sample must have")
    gives: list[str] | None = Field(
        default=None,
        description="of a valid recipe, beside the reward: `step_rewards`, `token_rewards`, `weight`, `draw`",
    )


class RecipeChange(Wire):
    place: str
    before: JsonValue = None
    after: JsonValue = None


class RecipeDifference(Wire):
    """What changes from one content to the other, defaults included; a side without the place has null."""

    before: str = Field(description="content hash")
    after: str = Field(description="content hash")
    changes: list[RecipeChange]
