"""A service with jobs and the ledger's pages, on either database, over a path that is cut down."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from fastapi import FastAPI
from starlette.types import Receive, Scope, Send

from app.http.entrance import Entrance
from app.jobs import endpoints as jobs
from app.jobs.intake import JobRequest
from app.jobs.service import JobsService
from app.kit import problems
from app.kit.db import Database
from app.path.ledger import Ledger
from app.settings import Settings
from app.verdicts import endpoints as verdicts
from tests.app.jobs.ledger_scorer import LedgerScorer
from trueward.errors import UnknownVerifier
from trueward.wire.scoring import VerifyRequest


@dataclass(frozen=True, slots=True)
class Served:
    http: httpx2.AsyncClient
    jobs: JobsService
    scorer: LedgerScorer
    db: Database


def check(request: JobRequest) -> None:
    if isinstance(request, VerifyRequest) and request.verifier != "exact":
        raise UnknownVerifier(f"there is no verifier {request.verifier!r}")


@pytest.fixture
async def served(db: Database, tmp_path: Path) -> AsyncIterator[Served]:
    async with Ledger(db, 1000) as ledger:
        scorer = LedgerScorer(ledger)
        service = JobsService(db, scorer, check, max_samples=2000, max_bytes=100_000)
        settings = Settings(data_dir=tmp_path)
        state = {"jobs": service, "db": db, "settings": settings}
        app = FastAPI()
        app.include_router(jobs.router)
        app.include_router(verdicts.router)
        problems.install(app, lambda status, code: None)
        app.add_middleware(Entrance, settings=settings, routes=(), count=lambda status, code: None)

        async def with_state(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state)}, receive, send)

        transport = httpx2.ASGITransport(with_state)
        async with service, httpx2.AsyncClient(transport=transport, base_url="http://localhost") as http:
            yield Served(http, service, scorer, db)
