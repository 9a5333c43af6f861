"""What goes wrong is told once and as it is: to the client, in the access log and the metrics, and at the start."""

from __future__ import annotations

import asyncio
import os
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse
from starlette.types import Message
from structlog.testing import capture_logs

from app.http.observe import Observe
from app.kit import problems
from app.kit.migrate import upgrade
from app.telemetry.metrics import Metrics
from tests.live import free_port, run
from trueward.errors import Unusable


def service(metrics: Metrics) -> FastAPI:
    """Whose routes fail; put together as the service is."""
    app = FastAPI()
    problems.install(app, metrics.count_problem)

    @app.get("/outage")
    async def outage() -> None:
        raise ConnectionRefusedError(111, "Connect call failed")

    @app.get("/bug")
    async def bug() -> None:
        raise KeyError("a bug")

    @app.get("/cut")
    async def cut() -> StreamingResponse:
        async def some() -> AsyncIterator[bytes]:
            yield b"some"
            raise ConnectionRefusedError(111, "Connect call failed")

        return StreamingResponse(some())

    app.add_middleware(Observe, metrics=metrics, answer=app.exception_handlers[Exception])
    return app


@pytest.mark.parametrize(("path", "status", "code"), [("/outage", 503, "unavailable"), ("/bug", 500, "internal_error")])
async def test_log_and_metrics_say_the_status_that_the_client_got(path: str, status: int, code: str) -> None:
    """The server around it hears of no exception, so that it has none to log."""
    metrics = Metrics()
    transport = httpx2.ASGITransport(service(metrics), raise_app_exceptions=True)
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as http:
        with capture_logs() as logs:
            answer = await http.get(path)
    assert (answer.status_code, answer.json()["code"]) == (status, code)
    assert answer.headers.get_list("x-request-id") == [answer.json()["request_id"]]
    told = metrics.render().decode()
    assert f'trueward_http_requests_total{{route="{path}",status="{status}"}} 1.0' in told
    [line] = [line for line in logs if line["event"] == "request"]
    assert (line["status"], line["code"]) == (status, code)


async def test_an_answer_that_was_begun_is_cut() -> None:
    transport = httpx2.ASGITransport(service(Metrics()), raise_app_exceptions=True)
    async with httpx2.AsyncClient(transport=transport, base_url="http://x") as http:
        with pytest.raises(ConnectionRefusedError):
            await http.get("/cut")


async def test_a_start_that_is_refused_tells_the_server_no_trace() -> None:
    @asynccontextmanager
    async def refused(_: FastAPI) -> AsyncIterator[None]:
        raise Unusable("the reason")
        yield

    app = FastAPI(lifespan=refused)
    app.add_middleware(Observe, metrics=Metrics(), answer=lambda *_: Response())
    sent: list[Message] = []

    async def receive() -> Message:
        return {"type": "lifespan.startup"}

    async def send(message: Message) -> None:
        sent.append(message)

    with pytest.raises(Unusable):
        await app({"type": "lifespan", "state": {}}, receive, send)
    assert sent == [{"type": "lifespan.startup.failed", "message": ""}]


def garbage(file: Path) -> None:
    file.write_bytes(os.urandom(9000))


def truncated(file: Path) -> None:
    asyncio.run(upgrade(f"sqlite:///{file}"))
    os.truncate(file, file.stat().st_size // 2)


def of_another_program(file: Path) -> None:
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE key (id TEXT)")


def of_another_alembic(file: Path) -> None:
    with sqlite3.connect(file) as made:
        made.execute("CREATE TABLE alembic_version (version_num TEXT)")
        made.execute("INSERT INTO alembic_version VALUES ('1975ea83b712')")


def a_folder(file: Path) -> None:
    file.mkdir()


def an_empty_secret(file: Path) -> None:
    file.with_name("secret").touch()


def a_lock_that_is_a_folder(file: Path) -> None:
    file.with_name("trueward.db.lock").mkdir()


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (garbage, "is no database of SQLite"),
        (truncated, "is damaged: put the backup back"),
        (of_another_program, "is another program's"),
        (of_another_alembic, "is another program's"),
        (a_folder, "cannot be opened"),
        (an_empty_secret, "is damaged (0 bytes"),
        (a_lock_that_is_a_folder, "trueward.db.lock: Is a directory"),
    ],
)
def test_what_the_start_cannot_use_is_named_in_one_line(
    tmp_path: Path, broken: Callable[[Path], None], reason: str
) -> None:
    broken(tmp_path / "trueward.db")
    done = serve(tmp_path)
    [line] = [line for line in done.stderr.splitlines() if '"error"' in line and "Exiting" not in line]
    assert "the service cannot start" in line
    assert reason in line
    assert str(tmp_path) in line
    assert len(line) < 600
    assert ("Traceback" in done.stderr, done.returncode) == (False, 3)


def test_a_data_directory_below_a_file_and_presets_that_are_none_are_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert "file: File exists; mend that" in serve(tmp_path / "file" / "data").stderr
    told = serve(tmp_path / "data", TRUEWARD_PRESETS=f'["{tmp_path}"]').stderr
    assert f"TRUEWARD_PRESETS: {tmp_path}: no folder in it has a preset.yaml" in told
    assert "Traceback" not in told


def serve(data_dir: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """A start that is refused."""
    return run("serve", "--port", str(free_port()), "--data-dir", str(data_dir), variables=settings)
