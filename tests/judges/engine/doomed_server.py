"""A server that is killed: its engine's process hangs in a batch; prints that process's id, and waits.

Importing it as the process's ``__main__`` would add a line to the file named by its argument.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from judges.engine.process import EngineProcess
from judges.questions import Classify
from tests.judges.engine import fakes

with Path(sys.argv[1]).open("a") as imports:
    imports.write("imported\n")


async def serve() -> None:
    process = EngineProcess(
        "cpu",
        memory_bytes=100,
        batch_tokens=100,
        queue_tokens=1000,
        hang_s=600,
        loader="tests.judges.engine.fakes:load",
    )
    deadline = asyncio.get_running_loop().time() + 600
    await process.ask(fakes.entry(), Classify("x"), deadline=deadline, flow="a")
    hang = asyncio.create_task(process.ask(fakes.entry(), Classify("hang"), deadline=deadline, flow="a"))
    await asyncio.sleep(0.2)
    print(process.pid, flush=True)
    await hang


asyncio.run(serve())
