"""What a deletion is about, as it is stored: fixed when it is made, so that it ends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, and_, or_, select, true

from app.tables import Key
from trueward.wire.project import DEFAULT


class Cutoff(BaseModel):
    """Records of a project (None: of all) below ``until`` are due."""

    model_config = ConfigDict(frozen=True)

    project: str | None
    until: str


class Spec(BaseModel):
    """One of ``cutoffs``, ``run`` and ``subject``; ``older_than_days`` is what was asked for."""

    model_config = ConfigDict(frozen=True)

    cutoffs: Sequence[Cutoff] = ()
    run: str | None = None
    subject: str | None = None
    project: str | None = None
    older_than_days: float | None = None
    policy: bool = False

    @property
    def until(self) -> str:
        """No record from here on is due, where age decides."""
        return max((cutoff.until for cutoff in self.cutoffs), default="")


def is_owned(project: str | None, owner: Any) -> ColumnElement[bool]:
    """Whether the key in a column is a project's; None for any project. The default one has what has no owner."""
    if project is None:
        return true()
    if project == DEFAULT:
        named = or_(Key.project.is_(None), Key.project == DEFAULT)
        return or_(owner.is_(None), owner.in_(select(Key.id).where(named)))
    # never null, for who asks what is not a project's denies this
    return and_(owner.is_not(None), owner.in_(select(Key.id).where(Key.project == project)))


def of_project(project: str | None, column: Any) -> ColumnElement[bool]:
    """The same for a column that names the project itself."""
    if project is None:
        return true()
    named: ColumnElement[bool] = column == project
    return or_(column.is_(None), named) if project == DEFAULT else named


def due(cutoffs: Iterable[Cutoff], record: Any, owner: Any) -> ColumnElement[bool]:
    """Whether age decides that a record goes."""
    return or_(*(and_(is_owned(cutoff.project, owner), record < cutoff.until) for cutoff in cutoffs))
