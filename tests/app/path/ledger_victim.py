"""A process that writes to a ledger and says each record once its write was answered, until it is killed."""

from __future__ import annotations

import asyncio
import sys

from app.kit.db import Database
from app.kit.tokens import new_id
from app.path.ledger import Ledger
from app.path.rows import RequestContext
from tests.app.records import entry


async def write_on(ledger: Ledger) -> None:
    while True:
        record = new_id()
        deadline = asyncio.get_running_loop().time() + 60
        await ledger.write([entry(record, record=record)], RequestContext(), deadline)
        print(record, flush=True)


async def main(url: str) -> None:
    async with Database(url) as db, Ledger(db, 1000) as ledger, asyncio.TaskGroup() as writers:
        for _ in range(8):
            writers.create_task(write_on(ledger))


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
