"""One run in a container, from the request to what it did.

The runner ends a program at its limits; should it not answer in time the container is killed, and that is the
program's time limit, unless the engine is at fault. When the conversation breaks off the engine is asked why: out of
memory is the program's doing, anything else is a failure of ours.
"""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import Callable, Coroutine, Mapping

from sandbox.base import Execution, SandboxFailure, Status, Usage
from sandbox.docker.container import Container, Lost
from sandbox.docker.runner.frames import MOST_HELD_S, Report, RunRequest
from sandbox.limits import Limits
from sandbox.out_of_memory import ran_out_of_memory

START_S = 30.0
GRACE_S = 2.0


def run_request(
    command: tuple[str, ...],
    environment: Mapping[str, str],
    limits: Limits,
    *,
    fetch: tuple[str, ...] = (),
    fetch_bytes: int = 0,
    window: int | None = None,
    keep: bool = False,
) -> RunRequest:
    """The runner's request; ``limits`` are the command's own, the runtime's share included."""
    return {
        "command": list(command),
        "environment": dict(environment),
        "wall_s": limits.wall_s,
        "cpu_s": limits.cpu_s,
        "silence_s": limits.silence_s,
        "output_bytes": limits.output_bytes,
        "disk_bytes": limits.disk_bytes,
        "processes": limits.processes,
        "window": window,
        "fetch": list(fetch),
        "file_bytes": max(limits.output_bytes, fetch_bytes),
        "keep": keep,
    }


async def execute(
    container: Container,
    request: RunRequest,
    feed: Callable[[], Coroutine[None, None, None]],
    take: Callable[[bytes], None] | None = None,
) -> Execution:
    """Runs; ``feed`` sends the input, ``take`` gets standard output, which is kept when there is none.

    The container is broken afterwards unless the run came to a clean end.
    """
    container.broken = True
    received = {b"o": bytearray(), b"e": bytearray()}
    try:
        container.send(b"r", json.dumps(request).encode())
        async with asyncio.timeout(START_S):
            await container.expect(b"s")
        feeding = asyncio.create_task(feed())
        try:
            async with asyncio.timeout(request["wall_s"] + MOST_HELD_S + GRACE_S):
                report = await _listen(container, received, take)
                files = {path: await _contents(container, size) for path, size in report["files"]}
        except TimeoutError:
            # It works only where the engine answers: then the program has starved its runner.
            await container.remove()
            return _unreported(Status.TIME_LIMIT, request, received)
        finally:
            feeding.cancel()
            await asyncio.gather(feeding, return_exceptions=True)
    except TimeoutError as late:
        raise SandboxFailure(f"a container did not start a program within {START_S:g} s") from late
    except Lost as lost:
        if await _out_of_memory(container):
            return _unreported(Status.MEMORY_LIMIT, request, received)
        raise SandboxFailure(f"a container broke off in mid-run: {lost} {container.errors}") from lost
    if report["failure"]:
        raise SandboxFailure(f"a container could not set a program up: {report['failure']}")
    container.broken = not report["clean"]
    if report["starved"]:
        raise SandboxFailure(f"the host let a program run for too little of {report['held_s']:.0f} s")
    return _execution(report, received, files)


async def _listen(
    container: Container, received: dict[bytes, bytearray], take: Callable[[bytes], None] | None
) -> Report:
    while True:
        kind, payload = await container.receive()
        if kind == b"o" and take is not None:
            take(payload)
        elif kind in received:
            received[kind] += payload
        elif kind == b"x":
            report: Report = json.loads(payload)
            return report
        else:
            raise Lost(f"message {kind!r} in a run")


async def _contents(container: Container, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        data += await container.expect(b"d")
    return bytes(data)


async def _out_of_memory(container: Container) -> bool:
    """Whether the kernel has ended the container for its memory. Raises SandboxFailure where nobody can tell."""
    for _ in range(10):
        if (await container.state())["OOMKilled"]:
            return True
        # The engine learns of it a moment after the stream has ended.
        await asyncio.sleep(0.1)
    return False


def _execution(report: Report, received: dict[bytes, bytearray], files: dict[str, bytes]) -> Execution:
    return Execution(
        status=_status(report, bytes(received[b"e"])),
        usage=Usage(report["cpu_s"], report["wall_s"], report["peak_memory_bytes"], report["held_s"]),
        exit_code=report["exit_code"],
        signal=signal.SIGXFSZ if report["cause"] == "disk" else report["signal"],
        stdout=bytes(received[b"o"]),
        stderr=bytes(received[b"e"]),
        truncated=report["truncated"],
        files=files,
    )


def _status(report: Report, errors: bytes) -> Status:
    ended_for = {"stopped": Status.STOPPED, "time": Status.TIME_LIMIT, "output": Status.OUTPUT_LIMIT}
    died = report["signal"] is not None or report["exit_code"] != 0
    if report["cause"] in ended_for:
        return ended_for[report["cause"]]
    if died and (report["oom"] or ran_out_of_memory(errors)):
        return Status.MEMORY_LIMIT
    if report["signal"] == signal.SIGSYS:
        return Status.FORBIDDEN
    if report["signal"] == signal.SIGXCPU:
        return Status.TIME_LIMIT
    if report["cause"] == "disk" or report["signal"] is not None:
        return Status.SIGNALLED
    return Status.NONZERO_EXIT if died else Status.FINISHED


def _unreported(status: Status, request: RunRequest, received: dict[bytes, bytearray]) -> Execution:
    """What a program did that took its runner down: no usage is known but the bounds."""
    usage = Usage(cpu_s=0.0, wall_s=request["wall_s"] if status is Status.TIME_LIMIT else 0.0, peak_memory_bytes=0)
    return Execution(status, usage, stdout=bytes(received[b"o"]), stderr=bytes(received[b"e"]), truncated=True)
