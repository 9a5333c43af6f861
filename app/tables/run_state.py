"""Every version of the state of a run whose recipe learns: rewards name the one that priced them.

``request`` is the one that the run learned it from.
"""

from __future__ import annotations

from datetime import datetime

from pydantic import JsonValue
from sqlalchemy import Text
from sqlalchemy.orm import Mapped, mapped_column

from app.tables.base import Json, Table, UtcTime


class RunState(Table):
    __tablename__ = "run_states"

    run: Mapped[str] = mapped_column(Text, primary_key=True)
    version: Mapped[int] = mapped_column(primary_key=True)
    request: Mapped[str | None] = mapped_column(Text)
    state: Mapped[dict[str, JsonValue]] = mapped_column(Json)
    at: Mapped[datetime] = mapped_column(UtcTime)
