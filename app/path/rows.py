"""What the ledger's tables get of one scored sample: rows that the driver takes as they are.

The ORM and even Core cost more than the insert itself here, so the statement is compiled once and its
values are made by hand; a column that is forgotten is a ``KeyError`` at the first row.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from typing import Protocol

from pydantic_core import to_json
from sqlalchemy import Dialect
from sqlalchemy import Table as SqlTable

from app import tables
from app.kit.db import Row, Statement, insert_in
from app.tables.ledger import prompt_hash
from rewards.conditions import NOTHING_KNOWN, Conditions
from rewards.recipe import Recipe
from trueward.authoring.verifier import Verifier
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample, Split
from trueward.wire.verdict import Verdict

Value = str | int | float | bool | datetime | None
Named = dict[str, Value]


@dataclass(frozen=True, slots=True)
class RequestContext:
    """What the samples of one request share.

    ``verifiers`` are those whose parameters its verdicts name; ``request`` names it, for a replay, and
    ``conditions`` is what its rewards depended on beside recipe, samples and verdicts.
    """

    run: str | None = None
    step: int | None = None
    policy: str | None = None
    split: Split = "train"
    owner: str | None = None
    verifiers: Sequence[Verifier] = ()
    request: str | None = None
    conditions: Conditions = NOTHING_KNOWN


@dataclass(frozen=True, slots=True)
class Entry:
    """All that is recorded of one sample: in one piece, or not at all.

    ``content`` is the sample's JSON without identity, ``fingerprint`` its hash. Verdicts and reward carry
    their ``record``, verdicts their ``producer``; ``position`` is the sample's place in its request, ``keys`` say
    which of the recipe's judgements each verdict is.
    """

    sample: Sample
    fingerprint: str
    content: str
    verdicts: Sequence[Verdict]
    reward: Reward | None = None
    position: int = 0
    keys: Sequence[str] = ()

    @property
    def rows(self) -> int:
        return 1 + len(self.verdicts) + (self.reward is not None)


def count_rows(entries: Sequence[Entry]) -> int:
    return sum(entry.rows for entry in entries)


class Records(Protocol):
    """Where a batch is recorded; returns when it is committed, raises :class:`LedgerUnavailable`."""

    async def write(
        self, entries: Sequence[Entry], context: RequestContext, deadline: float, recipe: Recipe | None
    ) -> None: ...


class Insert:
    """``INSERT ... ON CONFLICT DO NOTHING`` of one table, in the words of one dialect."""

    def __init__(self, table: type[tables.Table], dialect: Dialect) -> None:
        target = table.__table__
        assert isinstance(target, SqlTable)
        names = [column.name for column in target.columns]
        compiled = insert_in(dialect.name, target).on_conflict_do_nothing().compile(dialect=dialect, column_keys=names)
        self.sql = str(compiled)
        self.row: Callable[[Named], Row] = itemgetter(*(getattr(compiled, "positiontup", None) or names))

    def fill(self, rows: Iterable[Named]) -> Statement:
        return self.sql, [self.row(row) for row in rows]


def _json(value: object) -> str:
    """Compact JSON; models as their fields say. Raises ``ValueError`` for text that is no UTF-8."""
    return to_json(value).decode()


def sample_row(entry: Entry, at: Value) -> Named:
    return {"fingerprint": entry.fingerprint, "content": entry.content, "created_at": at}


def params_row(verifier: Verifier) -> Named:
    producer = verifier.producer
    return {"hash": producer.params, "verifier": producer.name, "body": _json(verifier.params)}


def recipe_row(digest: str, recipe: Recipe, at: Value) -> Named:
    return {"hash": digest, "name": recipe.name, "body": _json(recipe), "created_at": at}


def verdict_row(shared: Named, verdict: Verdict) -> Named:
    """``shared``: :func:`make_shared_row` of the sample."""
    producer = verdict.producer
    if producer is None or verdict.record is None:
        raise ValueError("a verdict is recorded under its record and its producer; this one lacks one of them")
    return {
        **shared,
        "record": verdict.record,
        "verifier": producer.name,
        "version": producer.version,
        "params": producer.params,
        "outcome": verdict.outcome.value,
        "score": verdict.score,
        "reason_code": verdict.reason_code,
        "reason": verdict.reason,
        "evidence": _json(verdict.evidence),
        "confidence": verdict.confidence,
        "feedback": verdict.feedback,
        "elapsed_s": verdict.elapsed_s,
        "cached": verdict.cached,
    }


def reward_row(
    shared: Named, entry: Entry, reward: Reward, context: RequestContext, made_of: tuple[str, str, str]
) -> Named:
    """``shared``: :func:`make_shared_row` of the sample; ``made_of``: the hash and the name of the recipe, and the hash
    of the conditions."""
    if reward.record is None:
        raise ValueError("a reward is recorded under its record; this one has none")
    return {
        **shared,
        "record": reward.record,
        "recipe": made_of[0],
        "recipe_name": made_of[1],
        "reward": reward.reward,
        "outcome": reward.outcome.value,
        "components": _json(reward.components),
        "corrected": reward.corrected,
        "weight": reward.weight,
        "reason_code": reward.reason_code,
        "reason": reward.reason,
        "producers": _json(reward.producers),
        "verdicts": _json([verdict.record for verdict in entry.verdicts]),
        "keys": _json(entry.keys),
        "estimate": reward.estimate,
        "uncertainty": reward.uncertainty,
        "kept": reward.kept,
        "step_rewards": _json(reward.step_rewards),
        "step_spans": _json(reward.step_spans),
        "token_rewards": _json(reward.token_rewards),
        "token_spans": _json(reward.token_spans),
        "request": context.request,
        "position": entry.position,
        "state_version": context.conditions.state.version,
        "conditions": made_of[2],
    }


def conditions_body(conditions: Conditions) -> str:
    """What rewards depended on, but for the run's state, as JSON; empty where that was nothing."""
    looked_at = (conditions.rates, conditions.histories, conditions.labelled_history, conditions.formulas)
    if conditions.grouped and not any(looked_at):
        return ""
    known: dict[str, object] = {
        "rates": conditions.rates,
        "histories": conditions.histories,
        "labelled_history": conditions.labelled_history,
    }
    if not conditions.grouped:
        known["grouped"] = False
    if conditions.formulas:
        known["formulas"] = conditions.formulas
    return _json(known)


def conditions_hash(body: str) -> str:
    """The name of such a body; empty for none."""
    return hashlib.sha256(body.encode()).hexdigest() if body else ""


def make_shared_row(entry: Entry, context: RequestContext, at: Value) -> Named:
    """What all records of a sample have in common."""
    prompt = entry.sample.prompt
    return {
        "sample": entry.fingerprint,
        "sample_id": entry.sample.id,
        "group": entry.sample.group,
        "pair": entry.sample.pair,
        "run": context.run,
        "step": context.step,
        "policy": context.policy,
        "split": context.split,
        "data_source": entry.sample.data_source,
        "owner": context.owner,
        "created_at": at,
        "length": len(entry.sample.response_text),
        # its JSON as the content has it
        "prompt": None if prompt is None else prompt_hash(to_json(prompt, exclude_none=True)),
    }
