"""Computes a run's rewards, and what it learned, again from the ledger alone, and says what came out another way."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from app.kit.db import Database
from app.replay.ledger_replay import RecordedRequest, learn_state, list_differences, replay_groups
from app.replay.repository import ReplayRepository
from rewards.state import State
from trueward.wire.replay import ReplayedReward, ReplayReport

_REQUESTS = 100
_STATES = 20
_SHOWN = 100
_MOST = 1_000_000


async def replay(db: Database, run: str) -> AsyncIterator[ReplayReport]:
    """The report as it grows, whole at the end. One request is in memory at a time, computed in a thread."""
    repository = ReplayRepository(db)
    report = ReplayReport(run=run, unknown=await repository.count_unknown(run))
    after = ""
    while page := await repository.requests(run, after, _REQUESTS):
        for name in page:
            request = await repository.request(run, name)
            if request is None:
                report.unknown += await repository.size(run, name, _MOST)
            else:
                await asyncio.to_thread(_rewards, report, request)
        after = page[-1]
        yield report
    version = 0
    while states := await repository.states(run, version, _STATES):
        for state, cause in states:
            before = await repository.state(run, state.version - 1)
            request = None if cause is None else await repository.request(run, cause)
            if before is None or request is None:
                report.unknown += 1
            else:
                await asyncio.to_thread(_state, report, state, before, request)
        version = states[-1][0].version
        yield report
    yield report


def _rewards(report: ReplayReport, request: RecordedRequest) -> None:
    for group in replay_groups(request):
        for entry, computed in zip(group.entries, group.rewards, strict=True):
            report.rewards += 1
            fields = list_differences(entry.reward, computed)
            if fields:
                report.differ += 1
            if fields and len(report.differing) < _SHOWN:
                found = ReplayedReward(request=request.id, fields=fields, recorded=entry.reward, computed=computed)
                report.differing.append(found)


def _state(report: ReplayReport, state: State, before: State, request: RecordedRequest) -> None:
    report.states += 1
    if learn_state(request, before) != state:
        report.states_differ += 1
        if len(report.differing_states) < _SHOWN:
            report.differing_states.append(state.version)
