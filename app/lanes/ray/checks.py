"""The cpu lane on a cluster: the pools of its replicas as one."""

from __future__ import annotations

from collections import Counter
from typing import cast

from app.admission.demand import Demand
from app.lanes.cpu.ending import Cause
from app.lanes.cpu.pool import Pool, PoolStats
from app.lanes.ray.judging import judge_remotely
from app.lanes.ray.link import RayLink
from trueward.authoring.verifier import Task, Verifier
from trueward.wire.verdict import Verdict

_SUMMED = ("workers", "alive", "busy", "waiting", "done")


class RayPool(Pool):
    """Without workers of its own; what waits for one of a replica is not in its queue, which stays empty.

    The link is opened and closed by whoever made it.
    """

    def __init__(self, link: RayLink) -> None:
        super().__init__(workers=1)
        self._link = link

    async def start(self) -> None:
        """Nothing: the replicas are there."""

    async def stop(self) -> None:
        """Nothing: other services use them."""

    def shed(self) -> None:
        self._link.shed("cpu")

    async def _judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand) -> Verdict:
        return await judge_remotely(self._link, "cpu", verifier, task, deadline, demand)

    def stats(self) -> PoolStats:
        """Of all replicas that answer, a few seconds old; ``restarts`` since the start of each."""
        sums: Counter[str] = Counter()
        restarts: Counter[str] = Counter({cause.value: 0 for cause in Cause})
        for replica in self._link.stats.get("cpu", []):
            sums.update({name: cast(int, replica[name]) for name in _SUMMED})
            restarts.update(cast("dict[str, int]", replica["restarts"]))
        workers, alive, busy, waiting, done = (sums[name] for name in _SUMMED)
        return PoolStats(workers, alive, busy, waiting, done, dict(restarts))
