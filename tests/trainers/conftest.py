"""A service that speaks the wire, for the plug-ins: a response is right where it equals the reference."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest

from tests.client.fake_service import FakeService, Served
from trueward.trainers.connection import Connection


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def url(service: FakeService) -> Iterator[str]:
    with Served(service) as url:
        yield url


@pytest.fixture(autouse=True)
async def _connections_are_closed(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[None]:
    """Plug-ins keep theirs for as long as the trainer's process lives; a test ends earlier."""
    made: list[Connection] = []
    begin = Connection.__init__

    def remembered(self: Connection, *args: Any, **options: Any) -> None:
        made.append(self)
        begin(self, *args, **options)

    monkeypatch.setattr(Connection, "__init__", remembered)
    yield
    monkeypatch.undo()
    for connection in made:
        connection.close()
        await connection.aclose()
