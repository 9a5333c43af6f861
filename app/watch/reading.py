"""A run's stream from the ledger: bounded, a page at a time, columns only.

A run's rewards are its records; one that was only verified has its verdicts. Of a sample's content the length of the
response, the prompt's hash and the canary's mark stay.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import ColumnElement, Row, func, literal, select

from app.kit.db import Database
from app.tables import Label as LabelTable
from app.tables import Recipe as RecipeTable
from app.tables import Reward as RewardTable
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from audits.subject_verdict import accepts
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome
from trueward.wire.verifier import VOTING_VERIFIERS

if TYPE_CHECKING:
    from app.watch.signal_input import RecipeKind
    from app.watch.stream import RecordStream

_PAGE = 2000
_STEM = 10
"""Characters of a record that are its time; the verdicts of a reward share them."""
CANARY = "canary"
"""A sample is one where its data source has this name, or its metadata an entry of this name that is true."""
Ledger = type[RewardTable] | type[VerdictTable]


@dataclass(frozen=True, slots=True)
class StreamReading:
    """``left_out`` records lie between the first and the latest, which were read; ``recipe`` is the latest one's."""

    stream: RecordStream
    kind: RecipeKind
    recipe: str | None
    left_out: int


@dataclass(slots=True)
class _Columns:
    """What :meth:`RecordStream.of` takes, growing by a page at a time."""

    rows: list[dict[str, Any]] = field(default_factory=list)
    samples: list[str] = field(default_factory=list)
    scores: dict[str, dict[int, float]] = field(default_factory=dict)

    def stream(self, labels: Mapping[str, tuple[float | None, float | None]]) -> RecordStream:
        # called in a thread: the first run that is looked at loads numpy
        from app.watch.stream import RecordStream

        names = ("record", "step", "policy", "source", "group", "prompt", "accepted", "cause", "length", "answer")
        columns = {name: [row[name] for row in self.rows] for name in (*names, "canary")}
        known = [labels.get(sample, (None, None)) for sample in self.samples]
        size = range(len(self.rows))
        return RecordStream.of(
            [row["reward"] for row in self.rows],
            **columns,
            right=[right for right, _ in known],
            gold=[gold for _, gold in known],
            scores={name: [said.get(place) for place in size] for name, said in self.scores.items()},
        )


class StreamReader:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def edition(self, run: str) -> tuple[str | None, str | None]:
        """Another one whenever the run has a new record or some response a new label."""
        ledger = await self._ledger(run)
        async with self._db.read() as connection:
            latest = (await connection.execute(select(func.max(ledger.record)).where(ledger.run == run))).scalar()
            label = (await connection.execute(select(func.max(LabelTable.id)))).scalar()
        return latest, label

    async def holds(self, run: str, records: int) -> bool:
        """Whether the run has so many records, at least one of them."""
        ledger = await self._ledger(run)
        async with self._db.read() as connection:
            found = select(ledger.record).where(ledger.run == run).offset(records - 1).limit(1)
            return (await connection.execute(found)).first() is not None

    async def read(self, run: str, limit: int) -> StreamReading:
        """An empty stream for a run without records."""
        ledger = await self._ledger(run)
        total, resume = await self._extent(ledger, run, limit)
        columns, recipe, verifiers = _Columns(), None, set[str]()
        first = limit // 4 if resume else limit
        for start, most in (("", first), (resume, limit - first)) if resume else (("", first),):
            after = start
            while most > 0 and (page := await self._page(ledger, run, after, min(most, _PAGE))):
                said = await self._verdicts(run, page) if ledger is RewardTable else {row.record: row for row in page}
                await asyncio.to_thread(_add, columns, page, said)
                after, most = page[-1].record, most - len(page)
                recipe = page[-1].recipe or recipe
                verifiers |= {one.verifier for one in said.values()}
        labels = await self._labels(ledger, run)
        stream = await asyncio.to_thread(columns.stream, labels)
        return StreamReading(stream, await self._kind(recipe, verifiers), recipe, total - len(stream))

    async def _ledger(self, run: str) -> Ledger:
        async with self._db.read() as connection:
            priced = await connection.execute(select(RewardTable.record).where(RewardTable.run == run).limit(1))
            return RewardTable if priced.first() is not None else VerdictTable

    async def _extent(self, ledger: Ledger, run: str, limit: int) -> tuple[int, str | None]:
        """How many records there are, and behind which the latest ones begin where these are too many."""
        async with self._db.read() as connection:
            count = select(func.count()).select_from(ledger).where(ledger.run == run)
            total: int = (await connection.execute(count)).scalar_one()
            if total <= limit:
                return total, None
            latest = select(ledger.record).where(ledger.run == run).order_by(ledger.record.desc())
            resume = await connection.execute(latest.offset(limit - limit // 4).limit(1))
            return total, resume.scalar_one()

    async def _page(self, ledger: Ledger, run: str, after: str, size: int) -> Sequence[Row[Any]]:
        shared = (ledger.record, ledger.sample, ledger.group_, ledger.step, ledger.policy, ledger.data_source)
        query: Any = select(*shared, ledger.split, ledger.outcome, ledger.reason_code, SampleTable.content)
        if ledger is RewardTable:
            made = (RewardTable.reward, RewardTable.recipe, RewardTable.verdicts, RewardTable.request)
            query = query.add_columns(*made)
        else:
            nothing = literal(None)
            made_here = (VerdictTable.score.label("reward"), nothing.label("recipe"), nothing.label("request"))
            query = query.add_columns(*made_here, *_verdict_columns())
        query = query.join(SampleTable, SampleTable.fingerprint == ledger.sample)
        query = query.where(ledger.run == run, ledger.record > after).order_by(ledger.record).limit(size)
        async with self._db.read() as connection:
            return list(await connection.execute(query))

    async def _verdicts(self, run: str, page: Sequence[Row[Any]]) -> dict[str, Row[Any]]:
        """What was said of the page's samples, by record: whatever has a time of the page's."""
        first, last = (place.record[:_STEM] for place in (page[0], page[-1]))
        wanted = select(VerdictTable.record, VerdictTable.outcome, VerdictTable.reason_code, *_verdict_columns())
        wanted = wanted.where(
            VerdictTable.run == run, VerdictTable.record >= first, VerdictTable.record <= last + "Z" * 16
        )
        async with self._db.read() as connection:
            return {row.record: row for row in await connection.execute(wanted)}

    async def _labels(self, ledger: Ledger, run: str) -> dict[str, tuple[float | None, float | None]]:
        """What labels say of each sample: right or not by most of them (None: a tie), and the mean of their scores."""
        columns = (LabelTable.sample, LabelTable.right, LabelTable.score)
        judged = select(ledger.sample).where(ledger.run == run)
        query = select(*columns).where(LabelTable.after_reveal.is_(False), LabelTable.sample.in_(judged))
        said: dict[str, tuple[list[bool], list[float]]] = {}
        async with self._db.read() as connection:
            for row in await connection.execute(query):
                rights, scores = said.setdefault(row.sample, ([], []))
                rights += [] if row.right is None else [row.right]
                scores += [] if row.score is None else [row.score]
        return {sample: (_most(rights), fmean(scores) if scores else None) for sample, (rights, scores) in said.items()}

    async def _kind(self, recipe: str | None, verifiers: set[str]) -> RecipeKind:
        from app.watch.signal_input import RecipeKind

        if recipe is None:
            return RecipeKind(unsupervised=bool(verifiers) and verifiers <= VOTING_VERIFIERS)
        async with self._db.read() as connection:
            found = await connection.execute(select(RecipeTable.body).where(RecipeTable.hash == recipe))
        body: dict[str, Any] = found.scalar_one_or_none() or {}
        low, high = body.get("range", (0.0, 1.0))
        return RecipeKind((float(low), float(high)), bool(body.get("unsupervised")))


def prompt_name(sample: Mapping[str, JsonValue]) -> str:
    """The fingerprint of a prompt: samples with equal ones have the same."""
    prompt = sample.get("prompt")
    text = prompt if isinstance(prompt, str) else Sample.model_validate({"prompt": prompt}).prompt_text
    return "prompt:" + hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


def select_answer() -> ColumnElement[str | None]:
    """The answer that a verdict read, as its evidence has it; ``answer`` is its plain form where there is one."""
    evidence = VerdictTable.__table__.c.evidence
    return func.coalesce(*(evidence[name].as_string() for name in ("answer", "extracted"))).label("extracted")


def _verdict_columns() -> tuple[Any, ...]:
    return VerdictTable.verifier, VerdictTable.score, select_answer()


def _add(columns: _Columns, page: Sequence[Row[Any]], said: Mapping[str, Row[Any]]) -> None:
    for row in page:
        content = from_json(row.content)
        verdicts = [said[name] for name in getattr(row, "verdicts", [row.record]) if name in said]
        answering = [one for one in verdicts if (one.outcome, one.reason_code) == (row.outcome, row.reason_code)]
        place = len(columns.rows)
        for one in verdicts:
            if one.score is not None:
                columns.scores.setdefault(one.verifier, {})[place] = one.score
        columns.samples.append(row.sample)
        columns.rows.append(_row(row, content, next(iter([*answering, *verdicts]), None)))


def _row(row: Row[Any], content: Mapping[str, Any], answering: Row[Any] | None) -> dict[str, Any]:
    outcome, response, metadata = Outcome(row.outcome), content.get("response"), content.get("metadata")
    text = response if isinstance(response, str) else Sample.model_validate({"response": response}).response_text
    prompt = prompt_name(content)
    ours = "missing" if outcome.missing else "invalid" if outcome is Outcome.INVALID else None
    extracted = answering.extracted if answering is not None else None
    return {
        "record": row.record,
        "step": row.step,
        "policy": row.policy,
        # an evaluation is no part of what is learned from, whatever data it has
        "source": row.data_source if row.split == "train" else f"{row.data_source or 'no name'} ({row.split})",
        "group": (row.step if row.step is not None else row.request, row.group or prompt),
        "prompt": prompt,
        "reward": row.reward,
        "accepted": accepts(outcome, 1.0, None),
        "cause": None if ours is None else f"{ours}: {row.reason_code}",
        "length": len(text),
        "answer": extracted if extracted is not None else text or None,
        "canary": row.data_source == CANARY or (isinstance(metadata, dict) and bool(metadata.get(CANARY))),
    }


def _most(rights: Sequence[bool]) -> float | None:
    yes, no = sum(rights), len(rights) - sum(rights)
    return None if yes == no else float(yes > no)
