"""Works the jobs off, in order of acceptance, so that a kill at any moment loses and repeats nothing.

What is done is what the ledger has: the record of each item was fixed before the job was accepted, and the
ledger keeps the first row of an id. After a start the unfinished jobs go on at the items whose records are
missing. On PostgreSQL several servers share the jobs; each job has one worker (``app.kit.claim``).

A chunk whose verdicts cannot be recorded is tried again until they can. A job fails where trying again
cannot help: its request is refused by now, or the same items fail ``_STRIKES`` times with the ledger up.
"""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Protocol

import structlog

from app.jobs.chunks import BOUND, SIZE, ChunkItem, Chunks
from app.jobs.intake import JobRequest, head_of
from app.jobs.repository import JobsRepository, JobWork
from app.kit.background import Background
from app.kit.claim import Claim, claim
from app.kit.commits import Commits
from app.kit.db import Database, is_outage
from app.path.ledger import EntriesRefused, LedgerUnavailable
from app.projects.visibility import sight_of_owner
from trueward.errors import Overloaded, RequestRefused, Unavailable
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest
from trueward.wire.verifier import GROUP_VERIFIERS

_POLL_S = 1.0
_BACKOFF_S = (0.1, 0.5, 1.0, 2.0, 5.0)
_STRIKES = 6
_TURN_S = 0.5
"""After so long, and a whole chunk, the next job has its turn: a small one does not wait for the end of a large one."""

log = structlog.get_logger(__name__)


class JobScorer(Protocol):
    """The one path, as a job sees it."""

    async def score(
        self, request: JobRequest, samples: list[Sample], records: list[str], *, owner: str | None, project: str | None
    ) -> None:
        """Scores the samples and records each under its record, or raises :class:`LedgerUnavailable`."""
        ...


class JobFailed(Exception):
    """Trying again cannot help this job."""


class JobRunner(Background):
    """An async context manager: works while it is open. ``size`` and ``bound`` are those of a chunk."""

    task = "jobs"

    def __init__(self, db: Database, scorer: JobScorer, *, size: int = SIZE, bound: int = BOUND) -> None:
        self._db = db
        self._scorer = scorer
        self._size = min(size, bound)
        self._bound = bound
        self._repository = JobsRepository(db)
        self._wake = asyncio.Event()
        self._round: deque[str] = deque()
        self._commits = Commits(db)  # since there was no unfinished job

    def wake(self) -> None:
        """There is a new job: look now."""
        self._wake.set()

    async def _run(self) -> None:
        failures = 0
        swept = False
        while True:
            self._wake.clear()
            try:
                if not swept:
                    await self._repository.discard_abandoned()
                    swept = True
                while await self._work_one():
                    failures = 0
                failures = 0
            except Exception as failure:  # noqa: BLE001 - the runner outlives an outage of the database, and any bug
                failures += 1
                if failures == 1:
                    log.error("jobs are not worked on; trying again", error=failure)
            wait_s = _backoff_s(failures - 1) if failures else _POLL_S
            with suppress(TimeoutError):
                async with asyncio.timeout(wait_s):
                    await self._wake.wait()

    async def _work_one(self) -> bool:
        """Gives the next job that nobody else has its turn; False where there is none."""
        if not self._round:
            if not self._commits.new():
                return False
            self._round.extend(await self._repository.list_unfinished())
            if not self._round:
                self._commits.settle()
        while self._round:
            job = self._round.popleft()
            async with claim(self._db, f"job:{job}") as granted:
                if granted is not None:
                    await self._work(job, granted)
                    return True
        return False

    async def _work(self, job: str, granted: Claim) -> None:
        try:
            work = await self._repository.start(job)
            if work is not None:
                await self._finish(work, granted)
        except JobFailed as failure:
            await self._repository.fail(job, str(failure))
        except Exception as failure:  # an outage is raised again, the job fails for the rest
            if is_outage(failure):
                raise
            log.error("a job failed", job=job, exc_info=failure)
            await self._repository.fail(job, f"{type(failure).__name__}: {str(failure)[:300]}")

    async def _finish(self, work: JobWork, granted: Claim) -> None:
        request = head_of(work.body, "body")
        read = partial(self._repository.items, work.id)
        limits = {"size": self._size, "bound": self._bound}
        chunks = Chunks(read, work.position, work.total, **limits, whole=_by_group(request))
        position, counts = work.position, Counter(work.counts)
        going = True
        now = asyncio.get_running_loop().time
        turn_ends = now() + _TURN_S
        while going and position < work.total and await granted.is_held():
            chunk = await chunks.next()
            position += len(chunk)
            counts.update(await self._score(work, request, chunk))
            completed = position == work.total
            going = await self._repository.advance(work.id, position, dict(counts), completed=completed)
            going = going and now() < turn_ends

    async def _score(self, work: JobWork, request: JobRequest, chunk: Sequence[ChunkItem]) -> Counter[str]:
        """The outcomes of a chunk, by the ledger's word: scores what it lacks until it lacks nothing."""
        strikes = tries = 0
        start, end = chunk[0].item.position, chunk[-1].item.position + 1
        while True:
            outcomes = await self._repository.outcomes(work.kind, work.id, start, end)
            if len(outcomes) == len(chunk):
                return Counter(outcomes.values())
            if tries:
                await self._pause(work, start, tries, strikes)
            # a group is judged as a whole: what of it is recorded already stays as it is
            todo = [piece for piece in chunk if _by_group(request) or piece.item.record not in outcomes]
            records = [piece.item.record for piece in todo]
            strikes += await self._try(work, request, [piece.sample for piece in todo], records)
            tries += 1

    async def _try(self, work: JobWork, request: JobRequest, samples: list[Sample], records: list[str]) -> int:
        """One attempt; 0 where an outage stopped it, else 1: what it did not record, it failed at."""
        try:
            project = (await sight_of_owner(self._db, work.owner)).project
            await self._scorer.score(request, samples, records, owner=work.owner, project=project)
        except RequestRefused as refusal:
            raise JobFailed(refusal.detail) from refusal
        except EntriesRefused as refusal:
            log.error("a chunk was not recorded", job=work.id, error=str(refusal))
            return 1
        except (LedgerUnavailable, Overloaded, Unavailable) as outage:
            log.warning("a chunk waits", job=work.id, error=str(outage))
            return 0
        except Exception as failure:  # an outage is raised again, the chunk counts a strike
            if is_outage(failure):
                raise
            log.error("a chunk failed", job=work.id, exc_info=failure)
        return 1

    async def _pause(self, work: JobWork, start: int, tries: int, strikes: int) -> None:
        if strikes >= _STRIKES:
            raise JobFailed(f"{strikes} attempts at the samples from position {start} on failed; see the log")
        await asyncio.sleep(_backoff_s(tries - 1))
        if await self._repository.start(work.id) is None:
            raise JobFailed("it was cancelled")


def _by_group(request: JobRequest) -> bool:
    """Whether a result may depend on the other members of a group."""
    return isinstance(request, RewardsRequest) or request.verifier in GROUP_VERIFIERS


def _backoff_s(tries: int) -> float:
    return _BACKOFF_S[min(tries, len(_BACKOFF_S) - 1)]
