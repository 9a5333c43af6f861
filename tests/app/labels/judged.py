"""Responses with stored verdicts, as a test says them."""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from pydantic import JsonValue

from app.kit.db import Database
from app.kit.tokens import new_id
from app.path.ledger import Ledger
from app.path.rows import Entry, RequestContext
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome, Producer, Verdict


@dataclass
class Judged:
    """One response; ``said`` by verifier: accepted, rejected, or None for no verdict."""

    response: str
    said: dict[str, bool | None]
    prompt: str = "1 + 1?"
    reference: str = "2"
    group: str | None = None
    data_source: str | None = None
    evidence: dict[str, JsonValue] = field(default_factory=dict)

    def entry(self) -> Entry:
        sample = Sample(
            prompt=self.prompt,
            response=self.response,
            reference=self.reference,
            group=self.group,
            data_source=self.data_source,
        )
        content = sample.model_dump_json(exclude=set(Sample.identity), exclude_none=True)
        verdicts = [self._verdict(name, accepted) for name, accepted in self.said.items()]
        return Entry(sample, hashlib.sha256(content.encode()).hexdigest(), content, verdicts)

    def _verdict(self, name: str, accepted: bool | None) -> Verdict:
        outcome = {True: Outcome.CORRECT, False: Outcome.INCORRECT, None: Outcome.TIMEOUT}[accepted]
        score = None if accepted is None else float(accepted)
        producer = Producer(name=name, version="1", params="sha256:0")
        made = {"reason_code": "said", "evidence": self.evidence, "record": new_id(), "producer": producer}
        return Verdict.model_validate({"outcome": outcome, "score": score, **made})


async def record(
    db: Database, responses: Sequence[Judged], run: str | None = None, step: int | None = None
) -> list[Entry]:
    entries = [response.entry() for response in responses]
    async with Ledger(db, 10_000) as ledger:
        deadline = asyncio.get_running_loop().time() + 60
        await ledger.write(entries, RequestContext(run=run, step=step), deadline)
    return entries
