"""Jobs: received, listed, watched, read, cancelled. Working them off is the runner's."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Sequence
from copy import copy
from typing import Self

from sqlalchemy.exc import IntegrityError

from app.idempotency.service import refuse_unusable
from app.jobs.chunks import BOUND
from app.jobs.intake import Intake, JobRequest, JsonIntake, LinesIntake, PlacedSample
from app.jobs.repository import JobsRepository, QueuedItem
from app.jobs.runner import JobRunner, JobScorer
from app.kit.db import Database
from app.kit.paging import PageRange
from app.kit.tokens import new_id
from app.projects.visibility import Sight
from app.webhooks.outbox import hook_of
from trueward.errors import DuplicateIds, IdempotencyConflict, InvalidRequest, NotFound, TooLarge
from trueward.wire.job import JobKind, JobList, JobView
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.webhook import WebhookFields

_BLOCK_ITEMS = 500
_BLOCK_CHARACTERS = 2**22
_PAGE = 500
_FIRST_LOOK_S, _LOOK_S = 0.02, 0.5
_HEARTBEAT_S = 15.0


class JobsService:
    """An async context manager: works jobs off while it is open.

    ``check`` raises what a request without samples is refused with. ``max_samples`` a job, ``max_bytes`` a
    JSON body or a line, ``max_chunk`` samples in one call of the scorer.
    ``loopback``: webhooks may lead to this machine.
    """

    def __init__(
        self,
        db: Database,
        scorer: JobScorer,
        check: Callable[[JobRequest], None],
        *,
        max_samples: int,
        max_bytes: int,
        max_chunk: int = BOUND,
        loopback: bool = True,
    ) -> None:
        self._db = db
        self._check = check
        self._max_samples = max_samples
        self._max_bytes = max_bytes
        self._loopback = loopback
        self._repository = JobsRepository(db)
        self._runner = JobRunner(db, scorer, bound=min(BOUND, max_chunk))

    async def __aenter__(self) -> Self:
        await self._runner.__aenter__()
        return self

    async def __aexit__(self, *failure: object) -> None:
        await self._runner.__aexit__(*failure)

    async def stop(self) -> None:
        """Works on no job any more; each goes on where it is when the service starts again."""
        await self._runner.stop()

    def visible_to(self, sight: Sight) -> JobsService:
        """The same for somebody who sees these jobs alone."""
        seen = copy(self)
        seen._repository = JobsRepository(sight.of(self._db))
        return seen

    async def accept(
        self, stream: AsyncIterator[bytes], *, lines: bool, owner: str | None, idempotency: tuple[str, str] | None
    ) -> JobView:
        """Receives a job and stores it whole; ``idempotency`` is scope and key. Refused, nothing remains."""
        if idempotency is not None:
            refuse_unusable(idempotency[1])
        intake: Intake = (
            await LinesIntake.open(stream, self._max_bytes) if lines else JsonIntake(await self._read_all(stream))
        )
        self._check(intake.head)
        if isinstance(intake.head, RewardsRequest) and intake.head.gather is not None:
            detail = "a job brings whole groups: `gather` is for requests to POST /v1/rewards, one after the other"
            raise InvalidRequest.at_field("gather", "not_in_jobs", detail)
        kind: JobKind = "verify" if isinstance(intake.head, VerifyRequest) else "rewards"
        job = new_id()
        hook = hook_of(intake.head, loopback=self._loopback)
        left_out = {"samples", *WebhookFields.model_fields}
        body = intake.head.model_dump(mode="json", exclude=left_out, exclude_unset=True)
        await self._repository.begin(job, kind, body, owner, hook)
        try:
            accepted = await self._receive(job, intake, idempotency)
        except BaseException:  # raised again, once what was stored is discarded
            await asyncio.shield(self._repository.discard(job))
            raise
        if accepted != job:
            await self._repository.discard(job)
        self._runner.wake()
        return await self.show(accepted)

    async def show(self, job: str, owner: str | None = None) -> JobView:
        """Of an ``owner``, or of whomever. Raises :class:`NotFound`."""
        found = await self._repository.find(job, owner)
        if found is None:
            raise NotFound(f"there is no job {job[:100]!r}; GET /v1/jobs lists them")
        return found

    async def wait_ended(self, job: JobView) -> JobView:
        """Returns once the job has ended."""
        wait_s = _FIRST_LOOK_S
        while not job.ended:
            await asyncio.sleep(wait_s)
            wait_s = min(_LOOK_S, wait_s * 1.5)
            job = await self.show(job.id)
        return job

    async def page(self, wanted: PageRange) -> JobList:
        """Newest first."""
        jobs, following = wanted.cut(await self._repository.page(wanted), lambda job: job.id)
        return JobList(jobs=jobs, next=following)

    async def cancel(self, job: str, owner: str | None = None) -> JobView:
        """Of an ``owner``, or of whomever. What is recorded stays; what is being scored is recorded too, and nothing
        after it."""
        await self.show(job, owner)
        await self._repository.cancel(job)
        return await self.show(job)

    async def results(self, job: JobView) -> AsyncIterator[str]:
        """The verdicts or rewards of the items that are done, in input order, a JSON line each."""
        for start in range(0, job.counts["done"], _PAGE):
            end = min(start + _PAGE, job.counts["done"])
            results = await self._repository.results(job.kind, job.id, start, end)
            yield "".join(result.model_dump_json() + "\n" for result in results)

    async def events(self, job: JobView) -> AsyncIterator[str]:
        """Server-sent events: ``progress`` whenever something changed, ``end`` when the job has ended.

        Without an ``end`` the service stopped: it goes on with the job when it starts again.
        """
        told: JobView | None = None
        silent_s = 0.0
        while not job.ended and not self._runner.stopped:
            if job != told:
                yield _event("progress", job)
                told, silent_s = job, 0.0
            elif silent_s >= _HEARTBEAT_S:
                yield ": still working\n\n"
                silent_s = 0.0
            await asyncio.sleep(_LOOK_S)
            silent_s += _LOOK_S
            job = await self.show(job.id)
        if job.ended:
            yield _event("end", job)

    async def _read_all(self, stream: AsyncIterator[bytes]) -> bytes:
        body = bytearray()
        async for piece in stream:
            body += piece
            if len(body) > self._max_bytes:
                raise TooLarge(f"the body is over {self._max_bytes} bytes: send the job as application/x-ndjson")
        return bytes(body)

    async def _receive(self, job: str, intake: Intake, idempotency: tuple[str, str] | None) -> str:
        """Stores the samples and accepts the job; gives the job that the request stands for."""
        total = 0
        async for block in _blocks(intake.samples()):
            total += len(block)
            if total > self._max_samples:
                raise TooLarge(f"a job has at most {self._max_samples} samples (TRUEWARD_MAX_JOB_SAMPLES)")
            await self._store(job, total - len(block), block)
        if idempotency is None:
            await self._repository.accept(job, total)
            return job
        accepted, same = await self._repository.accept_once(job, total, *idempotency, intake.digest())
        if not same:
            raise IdempotencyConflict("this Idempotency-Key was used with another body: make a new key a request")
        return accepted

    async def _store(self, job: str, start: int, block: Sequence[PlacedSample]) -> None:
        items = [_item(start + index, placed) for index, placed in enumerate(block)]
        ids = [item.sample_id for item in items]
        try:
            if len(set(ids)) == len(ids):
                await self._repository.add(job, items)
                return
        except IntegrityError:
            pass
        known = await self._repository.find_known_ids(job, ids)
        for item, placed in zip(items, block, strict=True):
            if item.sample_id in known:
                raise _duplicate(item, placed)
            known.add(item.sample_id)


def _item(position: int, placed: PlacedSample) -> QueuedItem:
    sample = placed.sample
    sample_id = str(position) if sample.id is None else sample.id
    return QueuedItem(position, new_id(), sample_id, sample.model_dump_json(exclude={"id"}, exclude_unset=True))


def _duplicate(item: QueuedItem, placed: PlacedSample) -> DuplicateIds:
    detail = f"{placed.where}: id {item.sample_id[:100]!r} repeats; ids must differ within a job"
    return DuplicateIds.at_field(f"{placed.where}.id", "duplicate_id", detail)


async def _blocks(samples: AsyncIterator[PlacedSample]) -> AsyncIterator[list[PlacedSample]]:
    """Samples in blocks that fit into one transaction."""
    block: list[PlacedSample] = []
    characters = 0
    async for placed in samples:
        block.append(placed)
        characters += len(placed.sample.response_text) + len(placed.sample.prompt_text)
        if len(block) == _BLOCK_ITEMS or characters > _BLOCK_CHARACTERS:
            yield block
            block, characters = [], 0
    if block:
        yield block


def _event(name: str, job: JobView) -> str:
    return f"id: {job.counts['done']}\nevent: {name}\ndata: {job.model_dump_json()}\n\n"
