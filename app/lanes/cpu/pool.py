"""The cpu lane: tasks in, verdicts out, by worker processes that are killed when an item is over its limits.

``judge`` never raises and ends by its deadline. A hang, a crash or a memory bomb costs its own item and one
worker; finished items of the same chunk keep their verdicts and the others are queued again, in front. Workers
end with this process, however it ends. Not here: sharing equal tasks, caching, what verifiers compute.
"""

from __future__ import annotations

import asyncio
import socket
from collections import Counter
from collections.abc import Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from time import perf_counter

import structlog

from app.admission.cost import Costs
from app.admission.demand import NONE, Demand
from app.admission.room import Weights, weigh_equally
from app.kit.durations import Durations
from app.lanes.cpu import ending, frames
from app.lanes.cpu.ending import Cause
from app.lanes.cpu.launch import bury, kill_fork_server, launch
from app.lanes.cpu.limits import Limits
from app.lanes.cpu.process import WorkerProcess
from app.lanes.cpu.progress import Progress
from app.lanes.cpu.queue import QueuedTask, TaskQueue
from app.lanes.shutdown import report_shutdown
from trueward.authoring.verifier import Task, Verifier, report_crash
from trueward.wire.verdict import Verdict

WATCH_S = 0.05
"""Seconds between two looks at the running items: a limit is enforced at most so much late."""

START_S = 60.0
_RETRY_S, _RETRY_MAX_S = 0.1, 5.0
_BURIAL_S = 5.0

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class PoolStats:
    """``restarts``: workers replaced since the start, by cause. ``waiting`` items are in no worker yet."""

    workers: int
    alive: int
    busy: int
    waiting: int
    done: int
    restarts: dict[str, int]


class Pool:
    """``waits``: of items until a worker had them. ``capacity``: items waiting or running; ``resolver``:
    'module:function' that makes a verifier in a worker."""

    def __init__(
        self,
        *,
        workers: int,
        limits: Limits | None = None,
        recycle_after: int = 5000,
        capacity: int = 10_000,
        resolver: str = "verifiers.registry:create",
        preload: Sequence[str] = ("app.lanes.cpu.warm",),
        costs: Costs | None = None,
        weights: Weights = weigh_equally,
    ) -> None:
        self._size = workers
        self._limits = limits or Limits()
        self._recycle_after = recycle_after
        self._resolver = resolver
        self._preload = tuple(preload)
        self._room = asyncio.Semaphore(capacity)
        self._queue = TaskQueue(workers, weights)
        self._costs = costs or Costs()
        self._workers: list[WorkerProcess] = []
        self._burials: set[asyncio.Task[None]] = set()
        self._hiring: set[asyncio.Task[None]] = set()
        self._launcher = ThreadPoolExecutor(1, "cpu-lane-launcher")
        self._watching: asyncio.TimerHandle | None = None
        self._dispatching = False
        self._stopped = False
        self._done = 0
        self.waits = Durations()
        self._restarts: Counter[str] = Counter({cause.value: 0 for cause in Cause})

    async def start(self) -> None:
        """Returns when all workers are ready; after ``START_S`` without those that still cannot be started."""
        first = [self._spawn(self._hire(), self._hiring) for _ in range(self._size)]
        await asyncio.wait(first, timeout=START_S)

    async def stop(self) -> None:
        """Ends all workers; what was waiting or running gets ``error: shutdown``."""
        self.shed()
        if self._watching is not None:
            self._watching.cancel()
        for task in self._hiring:
            task.cancel()
        for worker in self._workers:
            worker.kill()
        if ending_tasks := [*self._hiring, *self._burials]:
            await asyncio.wait(ending_tasks, timeout=_BURIAL_S)
        self._launcher.shutdown(wait=False)

    def shed(self) -> None:
        """What waits or runs, and whatever comes, gets ``error: shutdown``."""
        self._stopped = True
        for item in [*self._queue, *(i for w in self._workers for i in w.unfinished)]:
            item.settle(report_shutdown())

    def wait_s(self, project: str | None, seconds: float) -> float:
        """Seconds until a new request's work of so many seconds is begun, all workers at work on what is before it."""
        return self._queue.turns.ahead_s(project, seconds) / self._size

    @property
    def backlog_s(self) -> float:
        """Seconds until what waits is begun, if nothing else comes."""
        return self._queue.turns.seconds / self._size

    async def judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand = NONE) -> Verdict:
        """The verdict on ``task`` by ``deadline`` (the loop's time). Never raises but CancelledError."""
        verdict = await self._judge(verifier, task, deadline, demand)
        verdict.producer = verifier.producer
        return verdict

    async def _judge(self, verifier: Verifier, task: Task, deadline: float, demand: Demand) -> Verdict:
        item: QueuedTask | None = None
        try:
            async with asyncio.timeout_at(deadline), self._room:
                if self._stopped:
                    return report_shutdown()
                packed = frames.pack_item(verifier.name, verifier.params.model_dump_json(), task)
                item = QueuedTask(packed, asyncio.get_running_loop().create_future(), perf_counter())
                self._queue.append(item, demand.project, demand.flow, self._costs.item_s(verifier))
                self._wake()
                return await item.verdict
        except TimeoutError:
            return self._late(item)
        except Exception as failure:  # noqa: BLE001 - a task that cannot be pickled raises anything: it is our crash
            return report_crash(failure)
        finally:
            if item is not None:
                self._queue.discard(item)

    def _late(self, item: QueuedTask | None) -> Verdict:
        if not self._workers:
            return Verdict.error("pool_down", "no worker process is alive; the pool keeps starting new ones")
        if item is None:
            return Verdict.timeout("queue_full", "the queue of the cpu lane had no room before the deadline")
        return Verdict.timeout("deadline", "the deadline passed before this sample was judged")

    def stats(self) -> PoolStats:
        return PoolStats(
            workers=self._size,
            alive=len(self._workers),
            busy=sum(worker.busy for worker in self._workers),
            waiting=len(self._queue),
            done=self._done,
            restarts=dict(self._restarts),
        )

    # what workers tell

    def add_worker(self, worker: WorkerProcess) -> None:
        self._workers.append(worker)
        self._wake()

    def record_verdict(self, verdict: Verdict) -> None:
        self._done += 1
        self._queue.learn(verdict.elapsed_s)

    def free(self, worker: WorkerProcess) -> None:
        if worker.tainted or worker.served >= self._recycle_after:
            worker.retire()
        else:
            self._wake()

    def take_back(self, items: list[QueuedTask]) -> None:
        self._queue.put_back(items)
        self._wake()

    def drop_worker(self, worker: WorkerProcess) -> None:
        self._workers.remove(worker)
        if self._stopped:
            return
        fate = worker.fate()
        self._restarts[fate.cause] += 1
        log.info("cpu_worker_lost", cause=fate.cause.value, pid=worker.pid, items=worker.served)
        self._queue.put_back([item for item in worker.unfinished if item is not fate.culprit])
        if fate.culprit is not None and fate.ending is not None:
            self._confront(fate.culprit, fate.ending)
        self._spawn(self._hire(), self._hiring)
        self._wake()

    def _confront(self, culprit: QueuedTask, end: ending.Ending) -> None:
        verdict = ending.judge(end, culprit.causes)
        if verdict is None:
            culprit.causes.add(end.cause)
            self._queue.suspect(culprit)
        else:
            self._done += 1
            culprit.settle(verdict)

    # the queue

    def _wake(self) -> None:
        """Dispatches once the callbacks that are due have run: what arrives together travels together."""
        if not self._dispatching:
            self._dispatching = True
            asyncio.get_running_loop().call_soon(self._dispatch)

    def _dispatch(self) -> None:
        self._dispatching = False
        now = perf_counter()
        for worker in self._workers:
            if worker.idle:
                items = self._queue.take(fresh=worker.served == 0)
                if items:
                    worker.assign(items)
                for item in items:
                    self.waits.add(now - item.came)
        self._keep_watch()

    # the workers

    def _watch(self) -> None:
        self._watching = None
        for worker in self._workers:
            worker.watch()
        self._keep_watch()

    def _keep_watch(self) -> None:
        """Looks again in :data:`WATCH_S`, as long as any worker has an item."""
        if not self._stopped and self._watching is None and any(worker.busy for worker in self._workers):
            self._watching = asyncio.get_running_loop().call_later(WATCH_S, self._watch)

    async def _hire(self) -> None:
        """Starts one worker, trying again until it stands."""
        delay_s = _RETRY_S
        while True:
            try:
                return await self._start_worker()
            except Exception as failure:  # noqa: BLE001 - whatever it was, a pool that gives up starting workers is dead
                log.warning("cpu_worker_not_started", error=failure, retry_in_s=delay_s)
            await asyncio.sleep(delay_s)
            delay_s = min(2 * delay_s, _RETRY_MAX_S)

    async def _start_worker(self) -> None:
        """Returns when the worker is ready. Raises OSError (TimeoutError among them) or EOFError."""
        loop = asyncio.get_running_loop()
        ours, theirs = socket.socketpair()
        try:
            progress = Progress.send(ours)
            process = await self._launch(theirs)
            worker = WorkerProcess(process, progress, self._limits, self)
            await loop.create_unix_connection(lambda: worker, sock=ours)
        except BaseException:  # raised again, cleaned up
            ours.close()
            raise
        self._spawn(self._bury(worker), self._burials)
        try:
            async with asyncio.timeout(START_S):
                await worker.ready
        except BaseException:  # raised again, cleaned up
            worker.kill()
            raise

    async def _launch(self, stream: socket.socket) -> ForkServerProcess:
        """Closes this process's copy of ``stream``, whatever becomes of the start."""
        job = self._launcher.submit(launch, stream, self._resolver, self._preload, self._limits.memory_bytes)
        job.add_done_callback(lambda _: stream.close())
        try:
            async with asyncio.timeout(START_S):
                return await asyncio.wrap_future(job)
        except TimeoutError:
            kill_fork_server()
            raise

    async def _bury(self, worker: WorkerProcess) -> None:
        await worker.wait_ended()
        await asyncio.get_running_loop().run_in_executor(self._launcher, bury, worker.process)

    def _spawn(self, chore: Coroutine[None, None, None], kept: set[asyncio.Task[None]]) -> asyncio.Task[None]:
        task = asyncio.get_running_loop().create_task(chore)
        kept.add(task)
        task.add_done_callback(kept.discard)
        return task
