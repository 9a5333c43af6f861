"""Projects on the wire."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated

from pydantic import Field, FiniteFloat, StrictInt, StringConstraints

from trueward.wire.base import Wire

DEFAULT = "default"
"""What the project of null is called on the wire."""

ProjectName = Annotated[str, StringConstraints(strict=True, pattern=r"^[a-z0-9]([a-z0-9-]{0,62}[a-z0-9])?$")]
Weight = Annotated[FiniteFloat, Field(ge=0.001, le=1000)]
Days = Annotated[StrictInt, Field(ge=1, le=36_500)]


class ProjectRequest(Wire):
    name: ProjectName = Field(description="small letters, digits and hyphens")
    weight: Weight = Field(default=1.0, description="its share of a full service, against other projects' weights")
    retention_days: Days | None = Field(default=None, description="how long its records are kept; null: for ever")


class ProjectChange(Wire):
    """What is not named stays."""

    weight: Weight = Field(default=1.0, description="its share of a full service, against other projects' weights")
    retention_days: Days | None = Field(default=None, description="how long its records are kept; null: for ever")


class ProjectView(Wire):
    name: str
    weight: float = 1.0
    retention_days: int | None = None
    created_at: datetime | None = Field(default=None, description="null for the default one, which was always there")


class ProjectList(Wire):
    projects: list[ProjectView]
