"""A service that nobody calls leaves its machine, and its database, to others."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from app.main import create_app
from app.settings import Settings

SETTLED_S = 2.5
"""What start-up committed has been taken in by then."""
LOOKED_AT_S = 3.0
MOST_STATEMENTS = 8
"""A look of the retention's and one of the metrics' may fall into this time, each in a transaction of its own."""


async def test_an_idle_service_asks_its_database_next_to_nothing(tmp_path: Path) -> None:
    asked: list[str] = []

    def note(_: Any, __: Any, statement: str, *___: Any) -> None:
        asked.append(statement)

    app = create_app(Settings(data_dir=tmp_path / "data", workers=1, sandbox="off"))
    async with app.router.lifespan_context(app):
        await asyncio.sleep(SETTLED_S)
        event.listen(Engine, "before_cursor_execute", note)
        try:
            await asyncio.sleep(LOOKED_AT_S)
        finally:
            event.remove(Engine, "before_cursor_execute", note)
    assert len(asked) <= MOST_STATEMENTS, asked
