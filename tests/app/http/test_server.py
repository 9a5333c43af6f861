"""The server around the application, as clients see it: slow ones, those that leave, and what a stop does to all."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AsyncExitStack, asynccontextmanager, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest

from app.health.starting import HELD_S
from tests.live import START_S, Service, free_port, run, serving, start
from trueward.errors import Problem

READ_S = 1.0
PATIENCE_S = 20.0
UNREAD_S = 1.0
"""Longer than the answer would take."""


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Line:
    """A connection of one's own."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter

    def send(self, content: bytes) -> None:
        self.writer.write(content)

    async def answer(self, patience_s: float = PATIENCE_S) -> Answer:
        async with asyncio.timeout(patience_s):
            head = (await self.reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            headers = dict(line.lower().split(": ", 1) for line in head[1:] if line)
            body = await self.reader.readexactly(int(headers["content-length"]))
        return Answer(int(head[0].split()[1]), headers, body)

    async def ended(self) -> bool:
        """Whether the server closes it, or cuts it, within our patience."""
        try:
            async with asyncio.timeout(PATIENCE_S):
                return await self.reader.read() is not None
        except ConnectionResetError:
            return True


@asynccontextmanager
async def connected(service: Service) -> AsyncIterator[Line]:
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(service.url).port)
    try:
        yield Line(reader, writer)
    finally:
        writer.close()


def post(path: str, body: object) -> bytes:
    content = json.dumps(body).encode()
    return (
        f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    ).encode() + content


def timer_of(own: int, others: int) -> str:
    """What the kernel waits for on the connection between two ports of this machine, and for how long."""
    rows = [row.split() for row in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]]
    [timer] = [row[5] for row in rows if row[1].endswith(f":{own:04X}") and row[2].endswith(f":{others:04X}")]
    return timer


def listens(service: Service) -> bool:
    with closing(socket.socket()) as tried:
        return tried.connect_ex(("127.0.0.1", urlsplit(service.url).port)) == 0


def get(path: str) -> bytes:
    return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode()


def program(seconds: float, name: str = "") -> dict[str, object]:
    """A request whose program runs so long; ``name`` makes it another one."""
    code = f"```python\nimport time\ntime.sleep({seconds})\nprint(1)  # {name}\n```"
    sample = {"response": code, "reference": {"stdio": [{"stdout": "1"}]}}
    return {"verifier": "code", "params": {"limits": {"wall_s": 60}}, "deadline_s": 60, "samples": [sample]}


ENDLESS = "```python\nwhile True: pass\n```"
MATH = {"verifier": "math", "samples": [{"response": "\\boxed{2}", "reference": "2"}]}
CHAT = {"query": ["1+1? \\boxed{2}"], "prompts": ["1+1?"], "labels": ["2"]}


def value_of(service: Service, metric: str) -> float:
    text = httpx2.get(f"{service.url}/metrics", trust_env=False).text
    return sum(float(line.rpartition(" ")[2]) for line in text.splitlines() if line.startswith(metric))


async def until(true: Callable[[], bool], patience_s: float = PATIENCE_S) -> None:
    async with asyncio.timeout(patience_s):
        while not true():
            await asyncio.sleep(0.05)


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    folder = tmp_path_factory.mktemp("server")
    with serving(folder, read_s=str(READ_S), max_connections="20", sandbox_workers="1") as running:
        yield running


@pytest.mark.parametrize(
    "said", [b"", b"POST /v1/verify HTTP/1.1\r\nHost: 127.0.0.1\r\n", post("/v1/verify", MATH)[:-5]]
)
async def test_who_does_not_finish_a_request_is_told_so_and_closed(service: Service, said: bytes) -> None:
    async with connected(service) as line:
        line.send(said)
        answer = await line.answer()
        assert (answer.status, answer.headers["content-type"]) == (408, "application/problem+json")
        assert Problem.model_validate_json(answer.body).code == "request_refused"
        assert await line.ended()


async def test_a_head_that_dribbles_has_no_more_time_than_one_that_stops(service: Service) -> None:
    async with connected(service) as line:
        answer = asyncio.create_task(line.answer())
        line.send(b"GET /health/live HTTP/1.1\r\n")
        while not answer.done():
            line.send(b"X-A: b\r\n")
            await asyncio.sleep(0.2)
        assert answer.result().status == 408


async def test_a_body_may_take_longer_than_that_as_long_as_it_moves(service: Service) -> None:
    content = post("/v1/verify", {**MATH, "samples": [{"response": "x" * 6000, "reference": "2"}] * 2})
    async with connected(service) as line:
        for start in range(0, len(content), 1000):
            line.send(content[start : start + 1000])
            await asyncio.sleep(0.2)
        assert (await line.answer()).status == 200


async def test_an_idle_connection_is_kept(service: Service) -> None:
    async with connected(service) as line:
        for _ in range(2):
            line.send(get("/health/live"))
            assert (await line.answer()).status == 200
            await asyncio.sleep(2.5 * READ_S)


async def test_tcp_looks_for_peers_that_vanished(service: Service) -> None:
    async with connected(service) as line:
        line.send(get("/health/live"))
        assert (await line.answer()).status == 200
        timer = timer_of(*(line.writer.get_extra_info(name)[1] for name in ("peername", "sockname")))
        kind, _, ticks = timer.partition(":")
        assert kind == "02"
        assert 0 < int(ticks, 16) <= 60 * os.sysconf("SC_CLK_TCK")


async def test_who_does_not_read_his_answers_is_cut(service: Service) -> None:
    with closing(socket.socket()) as deaf:
        deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        deaf.connect(("127.0.0.1", urlsplit(service.url).port))
        deaf.sendall(get("/openapi.json") * 200)
        await until(lambda: "does not read its answer" in service.log.read_text())


async def test_beyond_the_limit_connections_wait_their_turn(service: Service) -> None:
    async with connected(service) as last:
        lines = []
        for _ in range(19):
            reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(service.url).port)
            lines.append(Line(reader, writer))
            lines[-1].send(get("/health/live"))
            assert (await lines[-1].answer()).status == 200
        async with connected(service) as beyond:
            beyond.send(post("/v1/verify", MATH))
            answer = asyncio.create_task(beyond.answer())
            last.send(get("/health/live"))
            assert (await last.answer()).status == 200
            await asyncio.sleep(UNREAD_S)
            assert not answer.done()
            lines[0].writer.close()
            assert (await answer).status == 200
        for line in lines:
            line.writer.close()


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/verify", program(50, "verify")),
        ("/v1/rewards", {"recipe": "code-tests", "samples": program(50, "rewards")["samples"]}),
        ("/t/code-tests/slime", {"prompt": "p", "response": ENDLESS, "label": {"stdio": [{"stdout": "1"}]}}),
        ("/run_code", {"code": "import time\ntime.sleep(50)", "language": "python", "run_timeout": 60}),
    ],
)
async def test_who_goes_away_frees_what_was_done_for_him(service: Service, path: str, body: dict[str, object]) -> None:
    async with connected(service) as line:
        line.send(post(path, body))
        await until(lambda: value_of(service, "trueward_sandbox_running") == 1)
    await until(lambda: value_of(service, "trueward_sandbox_running") == 0)
    assert value_of(service, "trueward_waiting_samples") == 0
    assert value_of(service, "trueward_http_requests_total") > 0


async def test_others_that_wait_for_the_same_check_still_get_it(service: Service) -> None:
    body = post("/v1/verify", program(1.5, "shared"))
    async with connected(service) as staying:
        async with connected(service) as leaving:
            leaving.send(body)
            await until(lambda: value_of(service, "trueward_sandbox_running") == 1)
            staying.send(body)
            await until(lambda: value_of(service, "trueward_waiting_samples") == 2)
        verdict = json.loads((await staying.answer()).body)["verdicts"][0]
    assert verdict["outcome"] == "correct"


async def test_a_stop_finishes_what_it_took_and_says_what_became_of_the_rest(tmp_path: Path) -> None:
    with serving(tmp_path, drain_s="3", sandbox_workers="1") as service:
        async with (
            connected(service) as quick,
            connected(service) as endless,
            connected(service) as idle,
            connected(service) as retrying,
            connected(service) as looking,
        ):
            idle.send(get("/health/live"))
            await idle.answer()
            quick.send(post("/v1/verify", program(1, "quick")))
            await until(lambda: value_of(service, "trueward_sandbox_running") == 1)
            endless.send(post("/v1/verify", program(50, "endless")))
            await until(lambda: value_of(service, "trueward_sandbox_waiting") == 1)
            service.process.send_signal(signal.SIGTERM)

            def unready() -> bool:
                return httpx2.get(f"{service.url}/health/ready", trust_env=False).status_code == 503

            await until(unready)
            started = time.monotonic()
            refused = None
            while refused is None or refused.status == 200:  # until the stop has been noticed
                async with connected(service) as new:
                    new.send(post("/v1/verify", MATH))
                    refused = await new.answer()
            assert refused.status == 503
            assert int(refused.headers["retry-after"]) >= 1
            assert refused.headers["connection"] == "close"
            idle.send(post("/t/math/openrlhf", CHAT))
            held = await idle.answer()
            assert json.loads(held.body)["rewards"] == [1.0]
            assert held.headers["connection"] == "close"
            finished = json.loads((await quick.answer()).body)["verdicts"][0]
            assert finished["outcome"] == "correct"
            left = json.loads((await endless.answer()).body)["verdicts"][0]
            assert (left["outcome"], left["score"], left["reason_code"]) == ("error", None, "shutdown")
            assert await looking.ended()
            assert await retrying.ended()
        assert await asyncio.to_thread(service.process.wait, 20) == 0
        assert time.monotonic() - started < 30
    with closing(sqlite3.connect(tmp_path / "trueward.db")) as ledger:
        query = "SELECT reason_code FROM verdicts WHERE record = ?"
        assert ledger.execute(query, (left["record"],)).fetchone() == ("shutdown",)


@contextmanager
def begun(data_dir: Path) -> Iterator[Service]:
    """A service that has only been told to start."""
    port = free_port()
    with Path(os.devnull).open("wb") as nowhere:
        process = start(["serve", "--port", str(port), "--data-dir", str(data_dir)], nowhere, nowhere)
    try:
        yield Service(f"http://127.0.0.1:{port}", process, data_dir / "log")
    finally:
        process.kill()
        process.wait()


async def test_while_it_starts_native_calls_are_sent_back_and_trainers_are_kept(tmp_path: Path) -> None:
    with begun(tmp_path) as service:
        await until(lambda: listens(service), START_S)
        async with connected(service) as native, connected(service) as trainer:
            native.send(post("/v1/verify", {"verifier": "exact", "samples": []}))
            trainer.send(post("/t/exact/slime", {"prompt": "2+2?", "response": "4", "label": "4"}))
            refused = await native.answer()
            assert (refused.status, refused.headers["retry-after"]) == (503, "1")
            assert refused.headers["content-type"] == "application/problem+json"
            assert json.loads(refused.body)["detail"] == "the service is starting"
            kept = await trainer.answer(HELD_S)
            assert (kept.status, json.loads(kept.body)) == (200, 1.0)
            trainer.send(get("/health/ready"))
            assert (await trainer.answer()).status == 200


def test_a_port_that_is_taken_is_named_with_the_way_to_another(tmp_path: Path) -> None:
    with closing(socket.socket()) as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        done = run("serve", "--port", port, "--data-dir", str(tmp_path), timeout_s=START_S)
    assert done.returncode == 3
    assert f"port {port} of 127.0.0.1 is taken by another program: choose another with --port or" in done.stderr


def test_told_to_stop_before_it_listens_for_that_it_ends(tmp_path: Path) -> None:
    """Nothing is at work yet. A signal that was lost would leave a service that nobody expects."""
    stop = f"import signal; signal.raise_signal({int(signal.SIGTERM)}); return made(settings)"
    code = f"import app.main; made = app.main.create_app\ndef told(settings):\n    {stop}\napp.main.create_app = told\n"
    code += f"from pathlib import Path; from app.cli import serve; serve(None, {free_port()}, Path({str(tmp_path)!r}))"
    done = subprocess.run([sys.executable, "-c", code], timeout=START_S, check=False)
    assert done.returncode == 0


async def test_told_twice_it_ends_at_once(tmp_path: Path) -> None:
    with serving(tmp_path, drain_s="300") as service:
        async with connected(service) as line:
            line.send(post("/v1/verify", program(200)))
            await until(lambda: value_of(service, "trueward_sandbox_running") == 1)
            service.process.send_signal(signal.SIGTERM)
            await until(lambda: httpx2.get(f"{service.url}/health/ready", trust_env=False).status_code == 503)
            service.process.send_signal(signal.SIGTERM)
            assert await asyncio.to_thread(service.process.wait, 10) == -signal.SIGTERM


async def test_whether_it_is_alive_is_told_at_once_whatever_others_have_to_be_worked_on(service: Service) -> None:
    many = post("/v1/verify", {"verifier": "exact", "samples": [{"response": "x" * 200, "reference": "y"}] * 1000})
    async with AsyncExitStack() as stack:
        lines = [await stack.enter_async_context(connected(service)) for _ in range(12)]
        answers = []
        for line in lines:
            line.send(many)
            answers.append(asyncio.create_task(line.answer(120.0)))
        async with connected(service) as asking:
            waits = []
            while not all(answer.done() for answer in answers):
                began = time.perf_counter()
                asking.send(get("/health/live"))
                assert (await asking.answer()).status == 200
                waits.append(time.perf_counter() - began)
                await asyncio.sleep(0.01)
        assert {(await answer).status for answer in answers} <= {200, 503}
    assert len(waits) > 5
    assert sorted(waits)[len(waits) // 2] < 0.2
