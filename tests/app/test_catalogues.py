"""The OpenAPI document and the catalogue of verifiers take seconds to make, and others are not to wait for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from threading import Event
from typing import Any

import httpx2
import pytest

from app.http.openapi import ServiceApp
from app.main import create_app
from app.settings import Settings
from app.verify import endpoints
from trueward.wire.verifier import VerifierInfo

WAIT_S = 60.0


def held(made: Callable[..., Any], meanwhile: Event) -> Callable[..., Any]:
    """The same, which waits first until something else has happened."""

    def make(*given: Any) -> Any:
        assert meanwhile.wait(WAIT_S), "nobody else was served meanwhile"
        return made(*given)

    return make


@pytest.mark.parametrize("path", ["/openapi.json", "/v1/verifiers", "/v1/verifiers/exact"])
async def test_others_are_served_while_it_is_made(path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    meanwhile = Event()
    monkeypatch.setattr(ServiceApp, "openapi", held(ServiceApp.openapi, meanwhile))
    monkeypatch.setattr(endpoints, "_described", held(endpoints._described, meanwhile))
    app = create_app(Settings(data_dir=tmp_path, sandbox="off", workers=1))
    async with app.router.lifespan_context(app) as state:

        async def answer(scope: Any, receive: Any, send: Any) -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx2.ASGITransport(app=answer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=None) as http:
            asked = asyncio.create_task(http.get(path))
            assert (await http.get("/health/live")).status_code == 200
            assert not asked.done()
            meanwhile.set()
            assert (await asked).status_code == 200
            assert (await http.get(path)).content == (await asked).content


def test_a_verifier_is_described_once() -> None:
    from verifiers import registry

    found = endpoints._described(registry.get("exact"))
    assert isinstance(found, VerifierInfo)
    assert endpoints._described(registry.get("exact")) is found
