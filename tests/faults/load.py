"""A small steady load of every kind of client on one service, whose every answer is kept, and held against the truth.

``with Load(url) as load:`` starts the clients in a thread of their own, so that a test may kill, cut and wait.
:meth:`Load.recovered` waits for whole answers, :meth:`Load.end` ends the load, and :func:`tests.faults.ledger.check`
says what was lost or invented.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Self, TypeVar

import httpx2

from tests.faults.shapes import (
    PATTERN,
    Answer,
    Broken,
    LlamaFactory,
    Native,
    NoAnswer,
    OpenRlhf,
    Shape,
    Streamed,
    Verified,
)
from tests.faults.truth import Truth
from trueward import AsyncClient
from trueward.errors import TruewardError

BATCH = 4
PACE_S = 0.1
SETTLE_S = 180.0
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Exchange:
    """A request that was answered; times are those of the monotonic clock."""

    who: str
    sent: float
    answered: float
    answers: Sequence[Answer]

    @property
    def whole(self) -> bool:
        return bool(self.answers) and not any(answer.missing for answer in self.answers)


@dataclass
class Load:
    """``programs``: with programs for the sandbox, too; ``job``: samples of the job in the background, none without."""

    url: str
    programs: bool = False
    job: int = 2000
    truth: Truth = field(default_factory=Truth)
    exchanges: list[Exchange] = field(default_factory=list)
    unanswered: Counter[str] = field(default_factory=Counter)
    broken: list[str] = field(default_factory=list)
    job_results: list[Answer] = field(default_factory=list)
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _thread: threading.Thread = field(init=False)
    _http: httpx2.AsyncClient = field(init=False)
    _native: AsyncClient = field(init=False)
    _clients: list[asyncio.Task[None]] = field(default_factory=list)
    _names: set[str] = field(default_factory=set)
    _job: str = ""
    _ending: bool = False
    ended: bool = False

    def __post_init__(self) -> None:
        self._thread = threading.Thread(target=self._loop.run_forever, name="load", daemon=True)
        self._http = httpx2.AsyncClient(base_url=self.url, timeout=180.0, trust_env=False)
        self._native = AsyncClient(self.url, attempts=100)

    def __enter__(self) -> Self:
        self._thread.start()
        try:
            self._run(asyncio.wait_for(self._begin(), SETTLE_S))
        except BaseException:  # raised again, cleaned up
            self._stop()
            raise
        return self

    def __exit__(self, *failure: object) -> None:
        self._stop()

    def recovered(self, timeout_s: float = SETTLE_S) -> float:
        """Waits until every client got a whole answer to what it sent from now on; the seconds that it took."""
        start = time.monotonic()
        missing = set(self._names)
        while missing and time.monotonic() - start < timeout_s:
            time.sleep(0.05)
            missing = self._names - {one.who for one in list(self.exchanges) if one.sent >= start and one.whole}
        assert not missing, f"no whole answer within {timeout_s} s for {missing}; {self.unanswered}, {self.broken[:3]}"
        return time.monotonic() - start

    def some_answers(self, count: int = 5, timeout_s: float = SETTLE_S) -> None:
        """Waits for so many more answers or failures, whosever they are."""
        start = time.monotonic()
        before = len(self.exchanges) + self.unanswered.total()
        while len(self.exchanges) + self.unanswered.total() < before + count:
            assert time.monotonic() - start < timeout_s, "nobody is answered"
            time.sleep(0.05)

    def end(self, timeout_s: float = SETTLE_S) -> None:
        """Lets what is on its way be answered, and the job end; then no client asks any more."""
        self._ending = True
        self._run(self._drain(timeout_s))
        self.ended = True

    def missing_share(self, since: float, until: float) -> float:
        """Of the samples that were answered in an interval of the monotonic clock."""
        said = [answer for one in self.exchanges if since <= one.answered <= until for answer in one.answers]
        return sum(answer.missing for answer in said) / len(said) if said else 0.0

    def _stop(self) -> None:
        self._run(self._close())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    # in the loop's thread

    def _run(self, work: Coroutine[None, None, _T]) -> _T:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _begin(self) -> None:
        http = self._http
        stored = await http.put("/v1/recipes/pattern", json=PATTERN)
        assert stored.status_code == 200, stored.text
        if self.job:
            samples = [known.sample for known in self.truth.batch("job", self.job)]
            self._job = (await self._native.submit(samples, recipe="math", run="job")).id
        shapes: list[Shape] = [Native(self._native), Streamed(http), OpenRlhf(http), LlamaFactory(http)]
        if self.programs:
            shapes.append(Verified(http))
        self._names = {shape.name for shape in shapes}
        self._clients = [asyncio.create_task(self._ask(shape)) for shape in shapes]

    async def _ask(self, shape: Shape) -> None:
        while not self._ending:
            samples = self.truth.batch(shape.name, BATCH, shape.kinds)
            sent = time.monotonic()
            try:
                answers = await shape.ask(samples)
            except NoAnswer:
                self.unanswered[shape.name] += 1
            except Broken as broken:
                self.broken.append(f"{shape.name}: {broken}")
            else:
                self.exchanges.append(Exchange(shape.name, sent, time.monotonic(), answers))
            await asyncio.sleep(PACE_S)

    async def _drain(self, timeout_s: float) -> None:
        async with asyncio.timeout(timeout_s):
            await asyncio.gather(*self._clients)
            if self._job:
                await self._read_job()

    async def _read_job(self) -> None:
        job = self._native.job(self._job)
        while True:  # the wait is one request after another; a service that is away in between is asked again
            try:
                state = await job.wait()
                break
            except TruewardError:
                await asyncio.sleep(0.5)
        if state.state != "completed":
            self.broken.append(f"the job ended: {state}")
        async for result in job.results():
            number = getattr(result, "reward", None)
            self.job_results.append(Answer(str(result.id), number, number is None, result.record))

    async def _close(self) -> None:
        for task in self._clients:
            task.cancel()
        await asyncio.gather(*self._clients, return_exceptions=True)
        await self._http.aclose()
        await self._native.aclose()


def wait_until_unready(url: str, timeout_s: float = 60.0) -> None:
    """Returns when ``/health/ready`` answers 503."""
    deadline = time.monotonic() + timeout_s
    while httpx2.get(f"{url}/health/ready", timeout=30.0, trust_env=False).status_code == 200:
        assert time.monotonic() < deadline, f"{url} stays ready"
        time.sleep(0.1)
