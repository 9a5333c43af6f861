"""Reads from the ledger what was settled together, one request at a time."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from pydantic import JsonValue
from sqlalchemy import ColumnElement, Row, func, select

from app.kit.cache import Cache
from app.kit.db import Database
from app.kit.tokens import derive_ids
from app.replay.ledger_replay import RecordedRequest, RecordedReward
from app.tables import Conditions as ConditionsTable
from app.tables import Recipe as RecipeTable
from app.tables import Reward as RewardTable
from app.tables import RunState
from app.tables import Sample as SampleTable
from app.tables import Verdict as VerdictTable
from app.verdicts.repository import reward_of, verdict_of
from rewards.conditions import Conditions
from rewards.noise.rates import Rates
from rewards.recipe import Recipe
from rewards.state import State
from trueward.wire.sample import Sample

_AT_ONCE = 400
_KEPT = 50
_REWARDS = RewardTable.__table__
_VERDICTS = VerdictTable.__table__


class ReplayRepository:
    """Keeps the recipes, conditions and states that it read last; make one for each replay."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self._recipes: Cache[str, Recipe] = Cache(_KEPT)
        self._bodies: Cache[str, dict[str, Any]] = Cache(_KEPT)
        self._states: Cache[tuple[str, int], State] = Cache(_KEPT)

    async def requests(self, run: str, after: str, limit: int) -> list[str]:
        """The next requests of a run whose rewards can be computed again, oldest first."""
        query = select(RewardTable.request).where(RewardTable.run == run, RewardTable.request > after)
        async with self._db.read() as connection:
            found = await connection.execute(query.distinct().order_by(RewardTable.request).limit(limit))
            return [request for request in found.scalars() if request is not None]

    async def count_unknown(self, run: str) -> int:
        """How many rewards of a run do not name their request."""
        query = select(func.count()).where(RewardTable.run == run, RewardTable.request.is_(None))
        async with self._db.read() as connection:
            return (await connection.execute(query)).scalar_one()

    async def request_of(self, record: str) -> tuple[str | None, str | None] | None:
        """Run and request of a reward; None where the record is no reward's."""
        query = select(RewardTable.run, RewardTable.request).where(RewardTable.record == record)
        async with self._db.read() as connection:
            row = (await connection.execute(query)).one_or_none()
        return None if row is None else (row.run, row.request)

    async def size(self, run: str | None, request: str, most: int) -> int:
        """How many rewards were settled together, counted up to ``most``."""
        rewards = select(RewardTable.record).where(RewardTable.run == run, RewardTable.request == request).limit(most)
        async with self._db.read() as connection:
            return (await connection.execute(select(func.count()).select_from(rewards.subquery()))).scalar_one()

    async def request(self, run: str | None, request: str) -> RecordedRequest | None:
        """None where the ledger has no reward of it, or no more all that its rewards were made of."""
        query = select(_REWARDS).where(RewardTable.run == run, RewardTable.request == request)
        async with self._db.read() as connection:
            rows = list(await connection.execute(query.order_by(RewardTable.position)))
        if not rows:
            return None
        recipe = await self._recipe(rows[0].recipe)
        samples = await self._samples({row.sample for row in rows})
        conditions = await self._conditions(rows[0])
        if conditions is None or any(row.sample not in samples for row in rows):
            return None
        entries = await self._entries(recipe, rows, samples)
        return None if entries is None else RecordedRequest(request, recipe, conditions, entries)

    async def states(self, run: str, after: int, limit: int) -> list[tuple[State, str | None]]:
        """States of a run with the request that each was learned from, by version, from behind ``after``."""
        query = select(RunState.state, RunState.request).where(RunState.run == run, RunState.version > after)
        async with self._db.read() as connection:
            rows = await connection.execute(query.order_by(RunState.version).limit(limit))
            return [(State.model_validate(row.state), row.request) for row in rows]

    async def _entries(
        self, recipe: Recipe, rows: Sequence[Row[Any]], samples: Mapping[str, Mapping[str, JsonValue]]
    ) -> list[RecordedReward] | None:
        """None where a verdict was deleted. Made in a thread: thousands of them would keep the service from answering
        anybody else."""
        shells = await asyncio.to_thread(lambda: [_shell(recipe, row, samples[row.sample]) for row in rows])
        wanted = {record for shell in shells for record in (*shell.row.verdicts, *shell.later.values())}
        said = await self._among(select(_VERDICTS), VerdictTable.record, wanted)
        return await asyncio.to_thread(_filled, shells, said)

    async def _samples(self, fingerprints: set[str]) -> dict[str, dict[str, JsonValue]]:
        rows = await self._among(
            select(SampleTable.fingerprint, SampleTable.content), SampleTable.fingerprint, fingerprints
        )
        return {row.fingerprint: json.loads(row.content) for row in rows}

    async def _among(self, query: Any, column: Any, names: set[str]) -> list[Row[Any]]:
        """The rows whose column has one of these names."""
        wanted = sorted(names)
        found: list[Row[Any]] = []
        async with self._db.read() as connection:
            for at in range(0, len(wanted), _AT_ONCE):
                within: ColumnElement[bool] = column.in_(wanted[at : at + _AT_ONCE])
                found += await connection.execute(query.where(within))
        return found

    async def _recipe(self, digest: str) -> Recipe:
        known = self._recipes.get(digest)
        if known is None:
            query = select(RecipeTable.body).where(RecipeTable.hash == digest)
            async with self._db.read() as connection:
                known = Recipe.model_validate((await connection.execute(query)).scalar_one())
            self._recipes.put(digest, known)
        return known

    async def _conditions(self, row: Row[Any]) -> Conditions | None:
        """None where the state was deleted."""
        body = await self._body(row.conditions) if row.conditions else {}
        state = await self.state(row.run, row.state_version)
        if state is None:
            return None
        return Conditions(
            step=row.step,
            rates={audit: Rates.model_validate(rates) for audit, rates in body.get("rates", {}).items()},
            state=state,
            histories=body.get("histories", {}),
            labelled_history=body.get("labelled_history", ()),
            grouped=body.get("grouped", True),
            formulas=body.get("formulas", {}),
        )

    async def _body(self, digest: str) -> dict[str, Any]:
        known = self._bodies.get(digest)
        if known is None:
            query = select(ConditionsTable.body).where(ConditionsTable.hash == digest)
            async with self._db.read() as connection:
                known = (await connection.execute(query)).scalar_one()
            assert known is not None
            self._bodies.put(digest, known)
        return known

    async def state(self, run: str | None, version: int) -> State | None:
        """A state of a run that was recorded, None where it was deleted; version 0 is that of a run that has not
        learned."""
        if run is None or version == 0:
            return State()
        known = self._states.get((run, version))
        if known is None:
            query = select(RunState.state).where(RunState.run == run, RunState.version == version)
            async with self._db.read() as connection:
                body = (await connection.execute(query)).scalar_one_or_none()
            if body is None:
                return None
            known = State.model_validate(body)
            self._states.put((run, version), known)
        return known


class _Shell(NamedTuple):
    """A reward's row with its sample; ``later`` are the records that verdicts after the reward would have, by key."""

    row: Row[Any]
    sample: Sample
    later: Mapping[str, str]


def _shell(recipe: Recipe, row: Row[Any], content: Mapping[str, JsonValue]) -> _Shell:
    sample = Sample.model_validate({**content, "id": row.sample_id, "group": row.group, "pair": row.pair})
    course = recipe.course_of(sample)
    keys = list(course.judgements) if course is not None else []
    records = zip(keys, derive_ids(row.record, len(keys)), strict=True)
    return _Shell(row, sample, {key: record for key, record in records if key not in row.keys})


def _filled(shells: Sequence[_Shell], said: Sequence[Row[Any]]) -> list[RecordedReward] | None:
    verdicts = {row.record: verdict_of(row) for row in said}
    if any(record not in verdicts for shell in shells for record in shell.row.verdicts):
        return None
    return [
        RecordedReward(
            sample,
            reward_of(row),
            {key: verdicts[record] for key, record in zip(row.keys, row.verdicts, strict=True)},
            {key: verdicts[record] for key, record in later.items() if record in verdicts},
        )
        for row, sample, later in shells
    ]
