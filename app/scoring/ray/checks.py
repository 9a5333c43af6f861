"""The cpu lane on a cluster: the pools of its replicas as one."""

from __future__ import annotations

from collections import Counter
from typing import cast

from app.scoring.cpu.ending import Cause
from app.scoring.cpu.pool import Pool, PoolStats
from app.scoring.demand import Demand
from app.scoring.ray.judging import judged
from app.scoring.ray.link import Link
from trueward.types import Verdict
from trueward.verifier import Task, Verifier

_SUMMED = ("workers", "alive", "busy", "waiting", "done")


class RayPool(Pool):
    """Without workers of its own; what waits for one of a replica is not in its queue, which stays empty.

    The link is opened and closed by whoever made it.
    """

    def __init__(self, link: Link) -> None:
        super().__init__(workers=1)
        self._link = link

    async def start(self) -> None:
        """Nothing: the replicas are there."""

    async def stop(self) -> None:
        """Nothing: other services use them."""

    def shed(self) -> None:
        self._link.shed("cpu")

    async def _judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand) -> Verdict:
        return await judged(self._link, "cpu", verifier, task, deadline, demand)

    def stats(self) -> PoolStats:
        """Of all replicas that answer, a few seconds old; ``restarts`` since the start of each."""
        sums: Counter[str] = Counter()
        restarts: Counter[str] = Counter({cause.value: 0 for cause in Cause})
        for replica in self._link.stats.get("cpu", []):
            sums.update({name: cast(int, replica[name]) for name in _SUMMED})
            restarts.update(cast("dict[str, int]", replica["restarts"]))
        workers, alive, busy, waiting, done = (sums[name] for name in _SUMMED)
        return PoolStats(workers, alive, busy, waiting, done, dict(restarts))
