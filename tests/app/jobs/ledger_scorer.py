"""The path as a job sees it, cut down to what matters here: it judges by equality and writes the real ledger."""

from __future__ import annotations

import asyncio

from app.jobs.intake import JobRequest
from app.kit.tokens import derive_ids
from app.path.ledger import Entry, Ledger
from app.path.rows import RequestContext
from rewards.recipe import parse_recipe
from tests.app.records import PRODUCER
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample
from trueward.wire.scoring import VerifyRequest
from trueward.wire.verdict import Verdict

RECIPE = parse_recipe({"name": "plain", "terms": [{"verifier": "exact"}]})


class LedgerScorer:
    """``calls`` are the ids of the samples of each call; ``pause_s`` is what a call takes."""

    def __init__(self, ledger: Ledger, pause_s: float = 0.0) -> None:
        self._ledger = ledger
        self._pause_s = pause_s
        self.calls: list[list[str | None]] = []

    async def score(
        self,
        request: JobRequest,
        samples: list[Sample],
        records: list[str],
        *,
        owner: str | None,
        project: str | None,
    ) -> None:
        self.calls.append([sample.id for sample in samples])
        await asyncio.sleep(self._pause_s)
        priced = not isinstance(request, VerifyRequest)
        entries = [_entry(sample, record, priced) for sample, record in zip(samples, records, strict=True)]
        context = RequestContext(run=request.run, owner=owner)
        deadline = asyncio.get_running_loop().time() + (request.deadline_s or 30.0)
        await self._ledger.write(entries, context, deadline, RECIPE if priced else None)


def _entry(sample: Sample, record: str, priced: bool) -> Entry:
    right = sample.response == sample.reference
    verdict = Verdict.correct("equal") if right else Verdict.incorrect("different")
    verdict.id, verdict.producer = sample.id, PRODUCER
    verdict.record = derive_ids(record, 1)[0] if priced else record
    content = sample.model_dump_json(exclude=set(Sample.identity), exclude_none=True)
    if not priced:
        return Entry(sample, content, content, [verdict])
    components = {"exact": verdict.score}
    reward = Reward(id=sample.id, record=record, reward=verdict.score, outcome=verdict.outcome, components=components)
    return Entry(sample, content, content, [verdict], reward)
