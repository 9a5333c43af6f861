"""A failure of the sandbox is raised and never told as a status of the program."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable

from sandbox.base import Program, Sandbox, SandboxFailure
from sandbox.base import run as run_once
from sandbox.conformance.bench import LIMITS, Bench, brief

Outage = Callable[[Sandbox], Awaitable[None] | None]
"""Breaks a sandbox for good or for a while: kills its server, its containers, its connection."""


async def closed_sandbox(bench: Bench) -> None:
    """One that is closed fails; it neither runs the program nor hangs."""
    sandbox = bench.make()
    await run_once(sandbox, Program("python", "print(1)"), LIMITS)
    await sandbox.close()
    try:
        execution = await run_once(sandbox, Program("python", "print(1)"), LIMITS)
    except SandboxFailure:
        return
    finally:
        await sandbox.close()
    bench.fault(f"a closed sandbox says {brief(execution)}")


def outage(strike: Outage) -> Callable[[Bench], Awaitable[None]]:
    """The check of a sandbox that breaks while programs run in it."""

    async def outages(bench: Bench) -> None:
        """Every run that an outage meets is a SandboxFailure; later ones work again, or fail as openly."""
        sandbox = bench.make()
        program = Program("python", "import time\nprint('started', flush=True)\ntime.sleep(3)\nprint('through')")
        try:
            await run_once(sandbox, Program("python", "print(1)"), LIMITS)
            running = [asyncio.create_task(run_once(sandbox, program, LIMITS)) for _ in range(2)]
            await asyncio.sleep(1.0)
            struck = strike(sandbox)
            if inspect.isawaitable(struck):
                await struck
            for met in await asyncio.gather(*running, return_exceptions=True):
                if isinstance(met, BaseException):
                    bench.expect(isinstance(met, SandboxFailure), f"an outage is a SandboxFailure, not {met!r}")
                else:
                    whole = met.stdout == b"started\nthrough\n"  # a retry inside the backend is as good
                    bench.expect(whole, f"an outage is told as {brief(met)}")
            try:
                after = await run_once(sandbox, Program("python", "print('alive')"), LIMITS)
                bench.expect(after.stdout == b"alive\n", f"after an outage: {brief(after)}")
            except SandboxFailure:
                pass
        finally:
            await sandbox.close()

    return outages


CHECKS = (closed_sandbox,)
