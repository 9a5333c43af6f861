"""The long form of the loads in :mod:`tests.verifiers.math.test_hostile`: eight callers, and all items."""

from __future__ import annotations

from app.lanes.cpu.limits import Limits
from app.lanes.cpu.pool import Pool
from tests.verifiers.math.company import CPU_S, check_company, items


async def test_eight_loads_at_once_get_the_verdicts_that_one_gets() -> None:
    pool = Pool(workers=2, limits=Limits(cpu_s=CPU_S, wall_s=60))
    await pool.start()
    try:
        await check_company(pool, items(), loads=8)
    finally:
        await pool.stop()
