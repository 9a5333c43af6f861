"""The client of SandboxFusion's ``/run_code`` against a server written to the protocol's text."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web

from sandbox.base import Program, SandboxFailure, Status, Unsupported, run
from sandbox.limits import Limits
from sandbox.remote import RemoteSandbox
from sandbox.remote.breaker import Breaker

Answer = Callable[[dict[str, Any]], "web.StreamResponse"]
PROGRAM = Program("python", "print(1)")
LIMITS = Limits(wall_s=2.0, output_bytes=1000)


class Server:
    """Answers ``/run_code`` as told, and keeps what it was asked."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        self.requests: list[dict[str, Any]] = []
        self.pause_s = 0.0
        self.most_at_once = self._at_once = 0

    async def handle(self, request: web.Request) -> web.StreamResponse:
        asked: dict[str, Any] = await request.json()
        self.requests.append(asked)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        await asyncio.sleep(self.pause_s)
        self._at_once -= 1
        return self.answer(asked)


@asynccontextmanager
async def serving(answer: Answer, **options: Any) -> AsyncIterator[tuple[Server, RemoteSandbox]]:
    server = Server(answer)
    app = web.Application()
    app.router.add_post("/run_code", server.handle)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    sandbox = RemoteSandbox(f"http://127.0.0.1:{port}", pause_s=0.01, **options)
    try:
        yield server, sandbox
    finally:
        await sandbox.close()
        await runner.cleanup()


def replying(status: str = "Success", **fields: Any) -> Answer:
    """A server that always gives this reply."""
    reply = {"status": status, "message": "", "compile_result": None, "run_result": None, "files": {}, **fields}
    return lambda _: web.json_response(reply)


def finished(code: int = 0, stdout: str = "", stderr: str = "") -> dict[str, Any]:
    return {"status": "Finished", "execution_time": 0.25, "return_code": code, "stdout": stdout, "stderr": stderr}


async def test_the_request_is_the_protocols() -> None:
    program = Program("javascript", "x", files={"a/b.txt": b"\xff"}, fetch=("out",))
    async with serving(replying(run_result=finished())) as (server, sandbox):
        await run(sandbox, program, LIMITS, "é".encode())
    [asked] = server.requests
    assert asked == {
        "code": "x",
        "language": "nodejs",
        "stdin": "é",
        "compile_timeout": LIMITS.compile_s,
        "run_timeout": pytest.approx(2.05, abs=0.2),
        "memory_limit_MB": -1,
        "files": {"a/b.txt": "/w=="},
        "fetch_files": ["out"],
    }


async def test_a_memory_limit_is_sent_where_address_space_can_bear_it() -> None:
    async with serving(replying(run_result=finished())) as (server, sandbox):
        await run(sandbox, PROGRAM, LIMITS)
    assert server.requests[0]["memory_limit_MB"] >= 512


@pytest.mark.parametrize(
    ("result", "status", "code", "by"),
    [
        (finished(), Status.FINISHED, 0, None),
        (finished(3), Status.NONZERO_EXIT, 3, None),
        (finished(-9), Status.SIGNALLED, None, 9),
        (finished(-31), Status.FORBIDDEN, None, 31),
        (finished(-24), Status.TIME_LIMIT, None, 24),
        (
            {"status": "TimeLimitExceeded", "execution_time": 2.0, "stdout": "a", "stderr": ""},
            Status.TIME_LIMIT,
            None,
            None,
        ),
        (finished(0, stdout="x" * 1001), Status.OUTPUT_LIMIT, 0, None),
    ],
)
async def test_what_the_program_did_is_a_status(
    result: dict[str, Any], status: Status, code: int | None, by: int | None
) -> None:
    async with serving(replying("Failed", run_result=result)) as (_, sandbox):
        done = await run(sandbox, PROGRAM, LIMITS)
    assert (done.status, done.exit_code, done.signal) == (status, code, by)
    assert len(done.stdout) <= LIMITS.output_bytes
    assert done.truncated == (status is Status.OUTPUT_LIMIT)


@pytest.mark.parametrize("compiled", [finished(1, stderr="no"), {"status": "TimeLimitExceeded", "stderr": "no"}])
async def test_what_does_not_compile_is_a_compile_error_and_asked_once(compiled: dict[str, Any]) -> None:
    async with (
        serving(replying("Failed", compile_result=compiled)) as (server, sandbox),
        sandbox.open(Program("cpp", "int"), LIMITS) as workspace,
    ):
        first, second = await workspace.run(), await workspace.run(b"1")
        assert workspace.compiled == first == second
    assert (first.status, first.stderr) == (Status.COMPILE_ERROR, b"no")
    assert len(server.requests) == 1


async def test_files_come_back_within_the_limit() -> None:
    files = {"a": base64.b64encode(b"\0\xff").decode(), "big": base64.b64encode(b"x" * 1001).decode(), "other": "eA=="}
    async with serving(replying(run_result=finished(), files=files)) as (_, sandbox):
        done = await run(sandbox, Program("python", "", fetch=("a", "big", "missing")), LIMITS)
    assert done.files == {"a": b"\0\xff"}


async def test_no_text_of_the_program_costs_its_verdict() -> None:
    body = json.dumps({"status": "Success", "run_result": finished(stdout="\ud800\0")})
    async with serving(lambda _: web.Response(text=body)) as (_, sandbox):
        done = await run(sandbox, PROGRAM, LIMITS)
    assert (done.status, done.stdout) == (Status.FINISHED, b"\xed\xa0\x80\0")


async def test_a_flood_is_the_programs_doing() -> None:
    async with serving(replying(run_result=finished(stdout="x" * 2**22))) as (_, sandbox):
        done = await run(sandbox, PROGRAM, LIMITS)
    assert done.status is Status.OUTPUT_LIMIT
    assert done.truncated


@pytest.mark.parametrize(
    "answer",
    [
        replying("SandboxError", run_result=finished()),
        replying("Failed", run_result={"status": "Error", "stderr": "cannot fork"}),
        replying("Failed", compile_result={"status": "Error", "stderr": "cannot fork"}),
        replying("Perhaps", run_result=finished()),
        replying(),
        replying(run_result={"status": "Finished", "return_code": None, "stdout": ""}),
        replying(run_result={"status": "Finished", "return_code": True}),
        replying(run_result={"status": "Finished", "return_code": 0, "stdout": 1}),
        replying(run_result="ok"),
        replying(run_result=finished(), files=[]),
        replying(run_result=finished(), files={"a": "?"}),
        lambda _: web.Response(text="<html>"),
        lambda _: web.Response(text="[]"),
        lambda _: web.Response(text="[" * 100_000),
        lambda _: web.Response(status=404),
        lambda _: web.Response(status=422),
        lambda _: web.Response(status=503),
        lambda _: web.Response(status=302, headers={"Location": "/elsewhere"}),
    ],
)
async def test_what_the_server_failed_at_is_no_status(answer: Answer) -> None:
    async with serving(answer) as (_, sandbox):
        with pytest.raises(SandboxFailure):
            await run(sandbox, Program("python", "", fetch=("a",)), LIMITS)


async def test_a_server_that_recovers_is_asked_again() -> None:
    answers = iter([web.Response(status=503), web.Response(status=429)])
    good = replying(run_result=finished(stdout="ok"))
    async with serving(lambda asked: next(answers, None) or good(asked)) as (server, sandbox):
        done = await run(sandbox, PROGRAM, LIMITS)
    assert done.stdout == b"ok"
    assert len(server.requests) == 3


async def test_attempts_are_bounded() -> None:
    async with serving(lambda _: web.Response(status=500), attempts=2) as (server, sandbox):
        with pytest.raises(SandboxFailure, match="500"):
            await run(sandbox, PROGRAM, LIMITS)
    assert len(server.requests) == 2


async def test_no_server_is_a_failure_of_ours() -> None:
    sandbox = RemoteSandbox("http://127.0.0.1:9", pause_s=0.01)
    try:
        with pytest.raises(SandboxFailure):
            await run(sandbox, PROGRAM, LIMITS)
    finally:
        await sandbox.close()


async def test_a_silent_server_is_given_up_in_time_and_not_asked_twice() -> None:
    asked = []

    async def hang(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked.append(1)
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            writer.close()

    server = await asyncio.start_server(hang, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    sandbox = RemoteSandbox(f"http://127.0.0.1:{port}", margin_s=0.1)
    start_s = asyncio.get_running_loop().time()
    try:
        with pytest.raises(SandboxFailure, match="did not answer"):
            await run(sandbox, PROGRAM, Limits(wall_s=0.2))
    finally:
        await sandbox.close()
        server.close()
    assert asyncio.get_running_loop().time() - start_s < 3.0
    assert len(asked) == 1


async def test_a_server_that_is_down_is_waited_for_within_a_runs_time_and_hardly_asked() -> None:
    breaker = Breaker(rest_s=60.0)
    async with serving(lambda _: web.Response(status=500), attempts=1, margin_s=1.0, breaker=breaker) as (
        server,
        sandbox,
    ):
        for _ in range(8):
            with pytest.raises(SandboxFailure):
                await run(sandbox, PROGRAM, LIMITS)
    assert len(server.requests) == 5


async def test_a_server_that_comes_back_is_used_by_whoever_waited() -> None:
    bad = iter([web.Response(status=503) for _ in range(5)])
    good = replying(run_result=finished(stdout="ok"))
    breaker = Breaker(threshold=2, rest_s=0.01)
    async with serving(lambda asked: next(bad, None) or good(asked), attempts=8, breaker=breaker) as (_, sandbox):
        done = await asyncio.gather(*(run(sandbox, PROGRAM, LIMITS) for _ in range(4)))
    assert {one.stdout for one in done} == {b"ok"}


async def test_requests_at_once_are_bounded() -> None:
    async with serving(replying(run_result=finished()), concurrency=2) as (server, sandbox):
        server.pause_s = 0.05
        await asyncio.gather(*(run(sandbox, PROGRAM, LIMITS) for _ in range(6)))
    assert (len(server.requests), server.most_at_once) == (6, 2)


@pytest.mark.parametrize(
    "program",
    [
        Program("cobol", ""),
        Program("c", ""),
        Program("python", "", command=("pytest",)),
        Program("python", "", arguments=("1",)),
        Program("python", "", harness=True),
    ],
)
async def test_what_the_protocol_cannot_say_is_unsupported(program: Program) -> None:
    async with serving(replying(run_result=finished())) as (server, sandbox):
        with pytest.raises(Unsupported):
            await run(sandbox, program, LIMITS)
    assert server.requests == []


async def test_input_that_is_no_text_and_pairs_are_unsupported() -> None:
    async with serving(replying(run_result=finished())) as (_, sandbox):
        with pytest.raises(Unsupported):
            await run(sandbox, PROGRAM, LIMITS, b"\xff")
        with pytest.raises(Unsupported):
            await sandbox.pair(PROGRAM, PROGRAM, LIMITS)
        usable = await sandbox.languages()
    assert usable["python"] == ""
    assert usable["c"] != ""
