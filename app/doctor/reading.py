"""Reads what the doctor looks at: a run's newest records, bounded, a page at a time, and what verdicts say of some.

Evaluations are left out where a policy learns from other records of the run, and canaries always: they are wrong on
purpose. Texts are read and let go, but those of a few that are judged again.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import JsonValue
from pydantic_core import from_json
from sqlalchemy import ColumnElement, Row, case, func, literal, null, or_, select

from app.doctor.summary import Content, Seen, Summary
from app.kit.db import Database
from app.kit.tokens import LAST_ID
from app.runs.series import MOST_TOLD, Ledger, ledger_of
from app.tables import Params as ParamsTable
from app.tables import Recipe as RecipeTable
from app.tables import Reward as RewardTable
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from app.watch.reading import CANARY
from trueward.trainers.first_batch import forms
from trueward.wire.sample import Sample
from trueward.wire.verdict import Outcome

_Among = Sequence[ColumnElement[bool]]
_PAGE = 200
LONGEST = 100_000
"""Characters of a sample's content that is read; of a longer one the response is not looked at."""


@dataclass(frozen=True, slots=True)
class ReadVerdict:
    """A verdict, without its text; ``params`` is the hash of its verifier's parameters."""

    record: str
    sample: str
    verifier: str
    params: str
    reason_code: str
    score: float | None


@dataclass(frozen=True, slots=True)
class Chain:
    """The verifier of a term, and those of its fallbacks."""

    first: str
    others: frozenset[str]


class DoctorReader:
    def __init__(self, db: Database) -> None:
        self._db = db

    async def extent(self, run: str) -> tuple[str | None, int]:
        """The run's newest record, and how many there are."""
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
            newest = select(ledger.record).where(ledger.run == run).order_by(ledger.record.desc()).limit(1)
            some = select(ledger.record).where(ledger.run == run).limit(MOST_TOLD).subquery()
            latest = (await connection.execute(newest)).scalar_one_or_none()
            return latest, (await connection.execute(select(func.count()).select_from(some))).scalar_one()

    async def read(self, run: str, limit: int) -> Summary:
        """The newest ``limit`` records of a run that are no evaluations; of one that has no others, these."""
        _, total = await self.extent(run)
        async with self._db.read() as connection:
            ledger = await ledger_of(connection, run)
        learned = [ledger.run == run, ledger.split != "eval"]
        records, recipe = await self._records(ledger, learned, limit)
        evaluated = not records
        if evaluated:
            records, recipe = await self._records(ledger, learned[:1], limit)
        body = await self._recipe(recipe)
        return Summary(
            run=run,
            records=records,
            total=total,
            evaluated=evaluated,
            penalties=frozenset(_negative(body)),
            fallbacks=await self._fallbacks(_chains(body), records),
        )

    async def _records(self, ledger: Ledger, among: _Among, limit: int) -> tuple[list[Seen], str | None]:
        """Newest first, and the recipe of the newest."""
        records: list[Seen] = []
        contents: dict[str, Content] = {}
        recipe, behind = None, LAST_ID
        while len(records) < limit and (
            page := await self._page(ledger, among, behind, min(_PAGE, limit - len(records)))
        ):
            texts = await self.texts({row.sample for row in page} - contents.keys())
            contents |= await asyncio.to_thread(_contents, texts)
            records += [_view_row(row, contents.get(row.sample)) for row in page]
            recipe, behind = recipe or page[0].recipe, page[-1].record
        return records, recipe

    async def _page(self, ledger: Ledger, among: _Among, behind: str, size: int) -> Sequence[Row[Any]]:
        """Newest first: what a round of the event loop has time for."""
        async with self._db.read() as connection:
            return list(await connection.execute(_newest(ledger, among, behind, size)))

    async def texts(self, samples: Collection[str]) -> dict[str, str]:
        """The content of each sample, as JSON; of one that is very long none."""
        content = case((func.length(SampleTable.content) <= LONGEST, SampleTable.content), else_=null())
        wanted = select(SampleTable.fingerprint, content.label("content")).where(SampleTable.fingerprint.in_(samples))
        async with self._db.read() as connection:
            return {row.fingerprint: row.content for row in await connection.execute(wanted) if row.content is not None}

    async def read_verdicts(self, records: Sequence[Seen]) -> list[ReadVerdict]:
        """The verdicts of these records."""
        named = [verdict for one in records for verdict in one.said_by]
        columns = (VerdictTable.record, VerdictTable.sample, VerdictTable.verifier, VerdictTable.params)
        found: list[ReadVerdict] = []
        for start in range(0, len(named), _PAGE):
            wanted = select(*columns, VerdictTable.reason_code, VerdictTable.score)
            wanted = wanted.where(VerdictTable.record.in_(named[start : start + _PAGE])).order_by(VerdictTable.record)
            async with self._db.read() as connection:
                found += [ReadVerdict(*row) for row in await connection.execute(wanted)]
        return found

    async def params(self, verifier: str, digest: str) -> dict[str, JsonValue]:
        """The parameters behind a hash."""
        wanted = select(ParamsTable.body).where(ParamsTable.hash == digest, ParamsTable.verifier == verifier)
        async with self._db.read() as connection:
            return (await connection.execute(wanted)).scalar_one_or_none() or {}

    async def _recipe(self, recipe: str | None) -> JsonValue:
        """The body of a recipe, by its hash."""
        if recipe is None:
            return None
        async with self._db.read() as connection:
            body: JsonValue = (
                await connection.execute(select(RecipeTable.body).where(RecipeTable.hash == recipe))
            ).scalar()
        return body

    async def _fallbacks(self, chains: Mapping[str, Chain], records: Sequence[Seen]) -> dict[str, dict[str, str]]:
        """Of each record the terms that a fallback paid; nothing is read where no term has one."""
        asked = [one for one in records if len(one.said_by) > 1 and any(map(one.is_paid, chains))]
        said = {one.record: one for one in await self.read_verdicts(asked)}
        found: dict[str, dict[str, str]] = {}
        for one in asked:
            verdicts = [said[name] for name in one.said_by if name in said]
            payers = {term: _payer(chain, verdicts) for term, chain in chains.items() if one.is_paid(term)}
            found[one.record] = {term: payer for term, payer in payers.items() if payer is not None}
        return found


def _newest(ledger: Ledger, among: _Among, behind: str, limit: int) -> Any:
    shared = (ledger.record, ledger.sample, ledger.outcome, ledger.reason_code, ledger.reason)
    told = (ledger.step, ledger.group_, ledger.prompt, ledger.data_source)
    if ledger is RewardTable:
        made: tuple[Any, ...] = (RewardTable.reward, RewardTable.components, RewardTable.verdicts)
        query = select(*shared, *told, *made, RewardTable.request, RewardTable.recipe)
    else:
        nothing = [literal(None).label(name) for name in ("components", "verdicts", "request", "recipe")]
        query = select(*shared, *told, VerdictTable.score.label("reward"), *nothing)
    kept = or_(ledger.data_source.is_(None), ledger.data_source != CANARY)
    return query.where(*among, ledger.record < behind, kept).order_by(ledger.record.desc()).limit(limit)


def _view_row(row: Row[Any], content: Content | None) -> Seen:
    member = row.group or row.prompt
    return Seen(
        record=row.record,
        sample=row.sample,
        outcome=Outcome(row.outcome),
        reason_code=row.reason_code,
        reason=row.reason,
        reward=row.reward,
        group=None if member is None else (row.step if row.step is not None else row.request, member),
        prompt=row.prompt,
        source=row.data_source,
        components=row.components,
        said_by=[row.record] if row.verdicts is None else row.verdicts,
        content=content,
    )


def _contents(texts: Mapping[str, str]) -> dict[str, Content]:
    found = {}
    for fingerprint, text in texts.items():
        sample = Sample.model_validate(from_json(text))
        response = sample.response_text
        digest = hashlib.blake2b(response.encode(), digest_size=16).hexdigest()
        found[fingerprint] = Content(len(response), digest, forms(response), sample.finish_reason, sample.tokens)
    return found


def _negative(body: JsonValue) -> list[str]:
    """Names of what has a negative weight, wherever in a recipe it stands."""
    if isinstance(body, list):
        return [name for one in body for name in _negative(one)]
    if not isinstance(body, dict):
        return []
    weight, name = body.get("weight"), body.get("name") or body.get("verifier")
    here = [str(name)] if isinstance(weight, int | float) and weight < 0 and name else []
    return here + [name for one in body.values() for name in _negative(one)]


def _chains(body: JsonValue) -> dict[str, Chain]:
    """Of the terms that have fallbacks, wherever in a recipe they stand."""
    if isinstance(body, list):
        return {name: chain for one in body for name, chain in _chains(one).items()}
    if not isinstance(body, dict):
        return {}
    found = {name: chain for one in body.values() for name, chain in _chains(one).items()}
    verifier, fallback = body.get("verifier"), body.get("fallback")
    if isinstance(verifier, str) and isinstance(fallback, list) and fallback:
        others = frozenset(str(one["verifier"]) for one in fallback if isinstance(one, dict) and "verifier" in one)
        found[str(body.get("name") or verifier)] = Chain(verifier, others)
    return found


def _payer(chain: Chain, verdicts: Sequence[ReadVerdict]) -> str | None:
    """The verifier of the fallback that pays a term: one that gives a score where the term's own verifier gave none."""
    given = [(one.verifier, (one.score or 0.0) > 0) for one in verdicts]
    if all(pays for verifier, pays in given if verifier == chain.first):
        return None
    return next((verifier for verifier, pays in given if pays and verifier in chain.others), None)
