"""A server that is killed: starts a pool, gives each worker a hang, prints all its processes, and waits.

Importing it as a worker's ``__main__`` would add a line to the file named by its argument.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import psutil

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.app.lanes.cpu.conftest import RESOLVER, judge_with

with Path(sys.argv[1]).open("a") as imports:
    imports.write("imported\n")


async def serve() -> None:
    pool = Pool(workers=2, limits=Limits(cpu_s=600, wall_s=600), resolver=RESOLVER)
    await pool.start()
    judge = judge_with(pool)
    await judge("nothing")
    hangs = [asyncio.create_task(judge(what)) for what in ("spin", "sleep")]
    while pool.stats().busy < 2:
        await asyncio.sleep(0.01)
    processes = psutil.Process().children(recursive=True)
    print(*(process.pid for process in processes), flush=True)
    await asyncio.gather(*hangs)


asyncio.run(serve())
