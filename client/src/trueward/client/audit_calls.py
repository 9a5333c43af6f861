"""The calls of audits: start one, look at it, read its report, hold it against limits, plan labels."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, get_args
from urllib.parse import quote

from pydantic import BaseModel, JsonValue

from trueward.client.call import Call, json_bytes, new_key
from trueward.client.chunk import clean
from trueward.client.plan import M, model, query_of
from trueward.errors import InvalidRequest
from trueward.wire.audit import Audit, AuditPage, AuditSpec, AuditSummary, GateBound, GateReport
from trueward.wire.label_plan import LabelPlan, LabelQuestion

Spec = AuditSpec | Mapping[str, JsonValue]
ReportForm = Literal["html", "json"]


def start(spec: Spec, name: str, webhook: str | None, secret: str | None) -> Call[Audit]:
    """Under one key for all tries, so that a try never starts a second audit."""
    body = spec.model_dump(mode="json") if isinstance(spec, BaseModel) else dict(spec)
    told = {"webhook": webhook, "webhook_secret": secret}
    given = {field: value for field, value in told.items() if value is not None}
    return _post("/v1/audits", {"name": name, "audit": body, **given}, Audit)


def show(audit: str) -> Call[Audit]:
    return Call("GET", _path(audit), model(Audit))


def cancel(audit: str) -> Call[Audit]:
    return Call("DELETE", _path(audit), model(Audit))


def progress(audit: str) -> Call[AuditSummary]:
    return Call("GET", f"{_path(audit)}/progress", model(AuditSummary))


def listing(kind: str | None, subject: str | None, after: str | None, limit: int) -> Call[AuditPage]:
    asked = {"kind": kind, "subject": subject, "after": after, "limit": limit}
    return Call("GET", f"/v1/audits?{query_of(asked)}", model(AuditPage))


def check(audit: str, max_fpr: float | None, max_fnr: float | None, bound: GateBound) -> Call[GateReport]:
    asked = {"max_fpr": max_fpr, "max_fnr": max_fnr, "bound": bound}
    return Call("GET", f"{_path(audit)}/check?{query_of(asked)}", model(GateReport))


def report(audit: str, form: ReportForm) -> Call[str]:
    """Raises :class:`InvalidRequest` for another form."""
    if form not in get_args(ReportForm):
        raise InvalidRequest(f"a report comes as html or json, not as {form!r}")
    return Call("GET", f"{_path(audit)}/report?{query_of({'format': form})}", lambda body: body.decode())


def plan(question: LabelQuestion) -> Call[LabelPlan]:
    return _post("/v1/audits/plan", question.model_dump(mode="json", exclude_none=True), LabelPlan)


def _post(path: str, body: Mapping[str, object], answer: type[M]) -> Call[M]:
    try:
        content = json_bytes(clean(body))
    except (ValueError, TypeError, RecursionError) as refusal:
        raise InvalidRequest(f"the request cannot be written as JSON: {refusal}") from refusal
    return Call("POST", path, model(answer), lambda remaining_s: [content], idempotency_key=new_key())


def _path(audit: str) -> str:
    return f"/v1/audits/{quote(audit, safe='')}"
