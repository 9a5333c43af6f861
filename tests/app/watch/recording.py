"""Runs recorded in a database as the ledger records them: thousands of rewards without judging anything."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from sqlalchemy import insert

from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import derive_ids, new_id
from app.path.ledger import Ledger
from app.path.rows import Entry, RequestContext
from app.tables import Label as LabelTable
from rewards.recipe import Recipe, parse_recipe
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Outcome, Producer, Verdict

RECIPE = parse_recipe({"name": "math", "terms": [{"verifier": "math"}]})
VOTE = parse_recipe({"name": "ttrl", "unsupervised": True, "terms": [{"verifier": "majority"}]})
JUDGE = parse_recipe({"name": "judge", "range": [-10, 10], "terms": [{"verifier": "overlap"}]})
LATE = float("inf")


def entry(
    prompt: str,
    response: object,
    outcome: str = "correct",
    *,
    score: float | None = None,
    code: str = "equal",
    verifier: str = "math",
    reference: object = "4",
    extracted: str | None = None,
    **fields: Any,
) -> Entry:
    """A sample with one verdict and the reward that it is worth."""
    sample = Sample.model_validate({"prompt": prompt, "response": response, "reference": reference, **fields})
    content = sample.model_dump_json(exclude=set(Sample.identity), exclude_none=True)
    kind = Outcome(outcome)
    worth = None if kind.missing else score if score is not None else float(kind is Outcome.CORRECT)
    producer = Producer(name=verifier, version="1", params="sha256:0")
    evidence: dict[str, Any] = {} if extracted is None else {"extracted": extracted}
    name = new_id()
    [inner] = derive_ids(name, 1)
    verdict = Verdict(outcome=kind, score=worth, reason_code=code, evidence=evidence, record=inner, producer=producer)
    reward = Reward(
        record=name, reward=worth, outcome=kind, components={verifier: worth}, reason_code=code, producers=[producer]
    )
    fingerprint = hashlib.blake2b(content.encode(), digest_size=20).hexdigest()
    return Entry(sample, fingerprint, content, [verdict], reward, keys=[verifier])


async def record(
    db: Database,
    run: str,
    steps: Sequence[Sequence[Entry]],
    recipe: Recipe | None = RECIPE,
    first: int = 0,
    split: Split = "train",
) -> None:
    """Each step in one request. Without a recipe only the verdicts are recorded."""
    async with Ledger(db, 100_000) as ledger:
        for step, entries in enumerate(steps, start=first):
            kept = entries if recipe is not None else [_unpriced(one) for one in entries]
            await ledger.write(kept, RequestContext(run, step, split=split, request=new_id()), LATE, recipe)


async def label(db: Database, labels: Sequence[tuple[str, bool]], **fields: Any) -> None:
    """Labels of samples by fingerprint."""
    shared = {"annotator": "a", "source": "human", "note": "", "after_reveal": False, "created_at": now(), **fields}
    rows = [{"id": new_id(), "sample": sample, "right": right, **shared} for sample, right in labels]
    async with db.write() as connection:
        await connection.execute(insert(LabelTable), rows)


def _unpriced(one: Entry) -> Entry:
    return Entry(one.sample, one.fingerprint, one.content, one.verdicts)
