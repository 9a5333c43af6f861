"""Audits as the service answers them, to a client: started, running for two looks, completed or failed."""

from __future__ import annotations

import json
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.audits.made import WHEN, audit, report
from tests.client.fake_service import FakeService, cut_short
from trueward.errors import Conflict, NotFound
from trueward.gate import gate
from trueward.wire.audit import Audit, AuditReport, AuditRequest, AuditSummary
from trueward.wire.label_plan import LabelPlan, LabelQuestion


class FakeAudits(FakeService):
    """``failure``: what the audits end with, instead of ``report``."""

    def __init__(self) -> None:
        super().__init__()
        self.audits: dict[str, Audit] = {}
        self.looks = 0
        self.report: AuditReport = report()
        self.failure: str | None = None
        self.questions: list[LabelQuestion] = []

    def app(self) -> Starlette:
        made = super().app()
        made.router.routes[:0] = [
            Route("/v1/audits", self.start, methods=["POST"]),
            Route("/v1/audits", self.listing),
            Route("/v1/audits/plan", self.plan, methods=["POST"]),
            Route("/v1/audits/{audit}", self.cancel, methods=["DELETE"]),
            Route("/v1/audits/{audit}", self.show),
            Route("/v1/audits/{audit}/progress", self.progress),
            Route("/v1/audits/{audit}/check", self.check),
            Route("/v1/audits/{audit}/report", self.page),
        ]
        return made

    async def start(self, request: Request) -> Response:
        raw = await request.body()
        self.note(request, json.loads(raw), raw)
        fault = self.faults.pop(0) if self.faults else None
        if fault is not None and fault.status is not None:
            return self.refuse(fault)

        def make() -> dict[str, Any]:
            asked = AuditRequest.model_validate_json(raw)
            name = f"audit{len(self.audits) + 1}"
            self.audits[name] = Audit(id=name, name=asked.name, spec=asked.audit, state="waiting", created_at=WHEN)
            return self.audits[name].model_dump(mode="json")

        answer = self.once(request, raw, make)
        return cut_short(answer) if fault is not None else JSONResponse(answer, status_code=202)

    async def progress(self, request: Request) -> Response:
        self.looks += 1
        found = self.seen(request)
        summary = AuditSummary(
            kind=found.spec.kind, subject="math", failure=found.failure, **found.model_dump(include=_SHARED)
        )
        return JSONResponse({**summary.model_dump(mode="json"), "added_later": 1})

    async def show(self, request: Request) -> Response:
        return JSONResponse({**self.seen(request).model_dump(mode="json"), "added_later": 1})

    def seen(self, request: Request) -> Audit:
        """The audit after so many looks."""
        found = self.find(request)
        change: dict[str, Any] = {"state": "running", "done": 3, "total": 9}
        if self.looks > 2:
            ended = {"state": "completed", "report": self.report} if self.failure is None else {"state": "failed"}
            change = {"done": 9, "total": 9, "failure": self.failure, **ended}
        return found.model_copy(update=change)

    async def cancel(self, request: Request) -> Response:
        ended = self.find(request).model_copy(update={"state": "failed", "failure": "cancelled"})
        return JSONResponse(ended.model_dump(mode="json"))

    async def listing(self, request: Request) -> Response:
        self.note(request, dict(request.query_params), b"")
        shown = audit()
        summary = AuditSummary(kind="labelled", subject="math@1", failure=None, **shown.model_dump(include=_SHARED))
        return JSONResponse({"audits": [summary.model_dump(mode="json")], "next": "01JA"})

    async def check(self, request: Request) -> Response:
        self.find(request)
        asked = request.query_params
        fpr, fnr = (float(asked[name]) if name in asked else None for name in ("max_fpr", "max_fnr"))
        found = gate(self.report, fpr, fnr, "rate" if asked["bound"] == "rate" else "upper")
        return JSONResponse(found.model_dump(mode="json"))

    async def page(self, request: Request) -> Response:
        found = self.find(request)
        if self.failure is not None:
            raise Conflict(f"audit {found.id} is failed: {self.failure}")
        if request.query_params["format"] == "json":
            done = found.model_copy(update={"state": "completed", "report": self.report})
            return Response(done.model_dump_json(), media_type="application/json")
        return Response("<!DOCTYPE html>\u00e9", media_type="text/html")

    async def plan(self, request: Request) -> Response:
        self.questions.append(LabelQuestion.model_validate_json(await request.body()))
        return JSONResponse(LabelPlan(wrong=509, responses=1018, notes=["half"]).model_dump(mode="json"))

    def find(self, request: Request) -> Audit:
        found = self.audits.get(request.path_params["audit"])
        if found is None:
            raise NotFound("there is no such audit")
        return found


_SHARED = {"id", "name", "state", "done", "total", "created_at", "finished_at"}
