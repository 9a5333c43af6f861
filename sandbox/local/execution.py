"""One execution: a program in a slot, its streams, and what ends it before its time."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import replace

from sandbox.base import Execution, SandboxFailure, Status, Usage
from sandbox.limits import Limits
from sandbox.local.ending import status_of
from sandbox.local.slot import Ended, Order, Slot
from sandbox.local.streams import READ, WRITE, Capture, Drain, Feed, open_to_program

_MOMENT_S = 0.2
"""Seconds that the second of a pair has to end by itself once the first has ended."""

_AGAIN_S = 0.1
"""So often a silent program's slot is asked again."""


async def execute(slot: Slot, order: Order, stdin: bytes, brought: Callable[[Ended], None] | None = None) -> Execution:
    """Runs a program on an input; ``brought`` gets the files with their modes."""
    stdout = Capture(order.limits.output_bytes, slot.stop)
    stderr = Capture(order.limits.output_bytes, slot.stop)
    feed = Feed(stdin)
    watch = _Silence(slot, stdout, order.limits.silence_s) if order.limits.silence_s is not None else None
    try:
        slot.start(order, feed.theirs, stdout.theirs, stderr.theirs)
        ended = await slot.wait_ended()
        if brought:
            brought(ended)
        return _execution(ended, order.limits, stdout, stderr)
    finally:
        if watch:
            watch.close()
        for stream in (feed, stdout, stderr):
            stream.close()


async def execute_pair(slots: tuple[Slot, Slot], orders: tuple[Order, Order]) -> tuple[Execution, Execution]:
    """Runs two programs, the output of each being the input of the other."""
    there, back = os.pipe2(os.O_CLOEXEC), os.pipe2(os.O_CLOEXEC)
    for pipe in (there, back):
        open_to_program(pipe[0], READ | WRITE)
    to_first, to_second = Drain(back[0]), Drain(there[0])
    errors = [Capture(order.limits.output_bytes, slot.stop) for slot, order in zip(slots, orders, strict=True)]
    waiting: list[asyncio.Task[Ended]] = []
    try:
        slots[0].start(orders[0], back[0], there[1], errors[0].theirs, slots[1], outlives=True)
        slots[1].start(orders[1], there[0], back[1], errors[1].theirs, slots[0])
        first, second = waiting = [asyncio.ensure_future(slot.wait_ended()) for slot in slots]
        await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        (to_second if second.done() else to_first).begin()
        one = _execution(await first, orders[0].limits, None, errors[0])
        outlived = not second.done()
        if outlived:
            await asyncio.wait((second,), timeout=_MOMENT_S)
        ours = not second.done()
        slots[1].stop()
        two = _execution(await second, orders[1].limits, None, errors[1])
        # where a limit ended the first, what the second makes of its input's end is no doing of its own either
        if ours or (outlived and one.exit_code is None and two.status is not Status.FINISHED):
            two = replace(two, status=Status.STOPPED)
        return one, two
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)  # the failure that counts is on its way already
        for slot in slots:
            slot.stop()
        for stream in errors:
            stream.close()
        for drain in (to_first, to_second):
            drain.close()


def _execution(ended: Ended, limits: Limits, stdout: Capture | None, stderr: Capture) -> Execution:
    report, errors = ended.report, stderr.finish()
    if report["starved"]:
        raise SandboxFailure(f"the host let a program run for too little of {report['held_s']:.0f} s")
    output = stdout.finish() if stdout else b""
    truncated = stderr.truncated or bool(stdout and stdout.truncated)
    if truncated:
        status = Status.OUTPUT_LIMIT
    else:
        status = status_of(report, limits, killed_for_memory=ended.killed_for_memory, stderr=errors)
    code = report["status"]
    return Execution(
        status=status,
        usage=Usage(report["cpu_s"], report["wall_s"], report["peak_bytes"], report["held_s"]),
        exit_code=os.WEXITSTATUS(code) if os.WIFEXITED(code) else None,
        signal=os.WTERMSIG(code) if os.WIFSIGNALED(code) else None,
        stdout=output,
        stderr=errors,
        truncated=truncated,
        files={name: file.content for name, file in ended.files.items()},
    )


class _Silence:
    """Has a program ended whose standard output has been silent for ``silence_s`` of its own time."""

    def __init__(self, slot: Slot, stdout: Capture, silence_s: float) -> None:
        self._slot = slot
        self._stdout = stdout
        self._silence_s = silence_s
        self._loop = asyncio.get_running_loop()
        self._stdout.heard = self._loop.time()
        self._timer = self._loop.call_later(silence_s, self._look)

    def close(self) -> None:
        self._timer.cancel()

    def _look(self) -> None:
        left = self._stdout.heard + self._silence_s - self._loop.time()
        if left <= 0:
            self._slot.silent(-left)
        self._timer = self._loop.call_later(max(left, _AGAIN_S), self._look)
