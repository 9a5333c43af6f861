from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import stamina
from typer.testing import CliRunner, Result

from tests.client.command import Run
from tests.client.fake_service import FakeService, Served
from tests.live import Service
from trueward import AsyncClient, Client, cli

Ask = Callable[..., Any]


@pytest.fixture(autouse=True)
def _no_service_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRUEWARD_URL", raising=False)
    monkeypatch.delenv("TRUEWARD_API_KEY", raising=False)
    monkeypatch.delenv("TRUEWARD_API_KEY_FILE", raising=False)


@pytest.fixture(scope="package")
def live(keyless: Service) -> str:
    """The URL of a real service, the same for all tests: they name their runs and recipes apart."""
    return keyless.url


@pytest.fixture
def at_once() -> Iterator[None]:
    """Tries follow one another without waiting; their number stays what the client says."""
    with stamina.set_testing(True, attempts=100, cap=True):
        yield


@pytest.fixture
def service() -> FakeService:
    return FakeService()


@pytest.fixture
def url(service: FakeService) -> Iterator[str]:
    with Served(service) as url:
        yield url


@pytest.fixture
def client(url: str) -> Iterator[Client]:
    with Client(url, chunk_samples=10) as client:
        yield client


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, url: str) -> Iterator[Ask]:
    """``ask("verify", samples, verifier=...)`` on both clients; chunks of ten, four at a time."""
    if request.param == "sync":
        with Client(url, chunk_samples=10) as client:
            yield lambda method, *args, **kwargs: getattr(client, method)(*args, **kwargs)
        return
    with asyncio.Runner() as runner:
        awaiting = AsyncClient(url, chunk_samples=10)

        async def call(method: str, *args: Any, **kwargs: Any) -> Any:
            answer = getattr(awaiting, method)(*args, **kwargs)
            return await answer if inspect.isawaitable(answer) else answer

        yield lambda method, *args, **kwargs: runner.run(call(method, *args, **kwargs))
        runner.run(awaiting.aclose())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """The command in this process, with its arguments and standard input."""
    monkeypatch.setenv("COLUMNS", "120")

    def invoke(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(cli.app, args, input=stdin)

    return invoke
