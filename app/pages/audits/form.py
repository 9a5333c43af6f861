"""The form that starts an audit, as the specification that the API takes."""

from __future__ import annotations

from typing import Any

from pydantic import JsonValue, ValidationError

from app.kit.body import parse
from app.kit.problems import list_problems
from app.pages.audits.views import AuditForm
from app.verdicts.filters import step_ends
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditRequest


def audit_request(form: AuditForm) -> AuditRequest:
    """Raises :class:`InvalidRequest` with the fields that are wrong."""
    subject = subject_of(form.judge, form.version, form.params, form.threshold)
    population: dict[str, Any] = {name: value for name, value in (("run", form.run), ("split", form.split)) if value}
    population |= _steps(form.steps)
    spec: dict[str, Any] = {"kind": form.kind}
    if form.kind == "consensus":
        others = [{"verifier": name} for name in (form.second, form.third) if name]
        spec |= {"subjects": [subject, *others], "population": population}
    elif form.kind == "labelled":
        spec |= {"subject": subject, "population": population}
    else:
        given: dict[str, Any] = {"population": population}
        if form.limit:
            given["limit"] = whole(form.limit, "limit")
        spec |= {"subject": subject, "given": given}
    return request_of(spec, form.name)


def request_of(spec: dict[str, Any], name: str) -> AuditRequest:
    """Raises :class:`InvalidRequest`."""
    try:
        return AuditRequest.model_validate({"name": name, "audit": spec})
    except ValidationError as refusal:
        fields = list_problems(refusal)
        raise InvalidRequest("; ".join(f"{one.field}: {one.detail}" for one in fields), errors=fields) from None


def subject_of(judge: str, version: str, params: str, threshold: str) -> dict[str, JsonValue]:
    """``verifier:math`` or ``recipe:dapo`` with what belongs to it. A recipe's version is the beginning of its hash.

    Raises :class:`InvalidRequest`.
    """
    kind, _, name = judge.partition(":")
    if kind not in ("verifier", "recipe") or not name:
        raise _wrong("judge", "must be verifier:<name> or recipe:<name>")
    subject: dict[str, JsonValue] = {kind: name}
    if version and kind == "recipe":
        subject[kind] = f"{name}@{version}"
    elif version:
        subject["version"] = version
    if params.strip():
        try:
            subject["params"] = parse(params.encode(errors="replace"))
        except InvalidRequest as refusal:
            raise _wrong("params", refusal.detail) from None
    if threshold.strip():
        try:
            subject["threshold"] = float(threshold)
        except ValueError:
            raise _wrong("threshold", "must be a number") from None
    return subject


def _steps(text: str) -> dict[str, int | None]:
    """The ends of a range, or of one step."""
    if not text.strip():
        return {}
    first, last = step_ends(text) or (whole(text, "steps"),) * 2
    return {"first_step": first, "last_step": last}


def whole(text: str, field: str) -> int:
    """Raises :class:`InvalidRequest`."""
    try:
        return int(text)
    except ValueError:
        raise _wrong(field, "must be a whole number") from None


def _wrong(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "form", detail, message=f"{field} {detail}")
