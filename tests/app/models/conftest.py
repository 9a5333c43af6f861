"""A whole service in this process, whose models are a scripted backend."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from app.lanes.cpu.pool import Pool
from app.main import create_app
from app.settings import Settings
from app.state import AppState
from tests.app.models.scripted import Judge, OneBackend, Scripted
from verifiers import registry


@dataclass(frozen=True, slots=True)
class Served:
    http: httpx2.AsyncClient
    backend: Scripted
    state: AppState


Serve = Callable[..., AbstractAsyncContextManager[Served]]


@asynccontextmanager
async def _serving(data_dir: Path, **settings: object) -> AsyncIterator[Served]:
    given = {"data_dir": data_dir, "workers": 1, "sandbox": "off", **settings}
    app = create_app(Settings.model_validate(given))
    async with app.router.lifespan_context(app) as made:
        state: AppState = made  # type: ignore[assignment]  # what our lifespan yields
        backend = Scripted()
        lane = state["models"].lane
        lane.engines = lane.weight_sync._engines = OneBackend(backend)

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state)}, receive, send)

        transport = httpx2.ASGITransport(app=answer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1") as http:
            yield Served(http, backend, state)


@pytest.fixture
def serve(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """Starts a service with settings; the verifier ``judge`` is among its verifiers, and worker processes are not."""

    async def nothing(pool: Pool) -> None:
        return None

    monkeypatch.setattr(Pool, "start", nothing)
    monkeypatch.setitem(registry._installed()._loaded, "judge", Judge)

    def make(**settings: object) -> AbstractAsyncContextManager[Served]:
        return _serving(tmp_path / "data", **settings)

    return make
