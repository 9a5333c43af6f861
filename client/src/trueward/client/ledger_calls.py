"""The calls of what is on record: verdicts, rewards, runs, prompts, jobs, deliveries; and what the service offers."""

from __future__ import annotations

from typing import Literal
from urllib.parse import urlencode

from pydantic import JsonValue, TypeAdapter

from trueward.client.call import Call, segment
from trueward.client.paging import Pages, Period, pages
from trueward.client.plan import Recipe, model, send_json
from trueward.client.state import JobPage, JobState, LanguageList, RunList
from trueward.rubrics.correlation import CriteriaReport
from trueward.wire.audit import AuditPage, AuditSummary
from trueward.wire.change import RunChanges
from trueward.wire.probe import ProbeReport
from trueward.wire.prompt import PromptList, PromptPage, PromptView
from trueward.wire.record import RewardDetail, RewardPage, RewardRecord, VerdictDetail, VerdictPage, VerdictRecord
from trueward.wire.run import Run
from trueward.wire.verdict import Outcome
from trueward.wire.verifier import VerifierInfo
from trueward.wire.webhook import Delivery, DeliveryPage, DeliveryState

_DETAIL: TypeAdapter[VerdictDetail | RewardDetail] = TypeAdapter(VerdictDetail | RewardDetail)


class Filters(Period, total=False):
    """Which records; what is not named is not asked. ``sample_id`` is the id that the caller gave the sample."""

    run: str | None
    outcome: Outcome | None
    group: str | None
    sample_id: str | None
    reason_code: str | None
    order: Literal["newest", "oldest"]


class VerdictFilters(Filters, total=False):
    verifier: str | None


class RewardFilters(Filters, total=False):
    """``recipe`` is a name, or a content hash."""

    step: int | None
    recipe: str | None


class AuditFilters(Period, total=False):
    """``subject``: such as ``math`` or ``recipe dapo``."""

    kind: str | None
    subject: str | None


def verifier(name: str) -> Call[VerifierInfo]:
    return Call("GET", f"/v1/verifiers/{segment(name)}", model(VerifierInfo))


def languages() -> Call[LanguageList]:
    return Call("GET", "/v1/languages", model(LanguageList))


def record(name: str) -> Call[VerdictDetail | RewardDetail]:
    return Call("GET", f"/v1/verdicts/{segment(name)}", lambda body: _DETAIL.validate_json(body, extra="ignore"))


def verdicts(asked: VerdictFilters) -> Pages[VerdictRecord]:
    return pages("/v1/verdicts", VerdictPage, lambda page: (page.verdicts, page.next), asked)


def rewards(asked: RewardFilters) -> Pages[RewardRecord]:
    return pages("/v1/rewards", RewardPage, lambda page: (page.rewards, page.next), asked)


def runs(asked: Period) -> Pages[Run]:
    return pages("/v1/runs", RunList, lambda page: (page.runs, page.next), asked)


def jobs(asked: Period) -> Pages[JobState]:
    return pages("/v1/jobs", JobPage, lambda page: (page.jobs, page.next), asked)


def audits(asked: AuditFilters) -> Pages[AuditSummary]:
    return pages("/v1/audits", AuditPage, lambda page: (page.audits, page.next), asked)


def prompts(run: str, which: PromptList) -> Pages[PromptView]:
    return pages("/v1/prompts", PromptPage, lambda page: (page.prompts, page.next), {"run": run, "list": which})


def pin(run: str, recipe: Recipe | None, strict: bool | None, reason: str) -> Call[Run]:
    body: dict[str, JsonValue] = {"reason": reason, "strict": strict}
    asked = body if recipe is None else {**body, "recipe": recipe if isinstance(recipe, str) else dict(recipe)}
    return send_json("PUT", f"/v1/runs/{segment(run)}", asked, model(Run))


def probes() -> Call[ProbeReport]:
    return Call("GET", "/v1/judges/probes", model(ProbeReport))


def metrics() -> Call[str]:
    return Call("GET", "/metrics", lambda body: body.decode())


def changes(run_id: str, since: int) -> Call[RunChanges]:
    return Call("GET", f"/v1/runs/{segment(run_id)}/changes?since={since}", model(RunChanges))


class DeliveryFilters(Period, total=False):
    """``subject`` is the id of a job, audit or alarm."""

    subject: str | None
    state: DeliveryState | None


def deliveries(asked: DeliveryFilters) -> Pages[Delivery]:
    return pages("/v1/deliveries", DeliveryPage, lambda page: (page.deliveries, page.next), asked)


def delivery(name: str) -> Call[Delivery]:
    return Call("GET", f"/v1/deliveries/{segment(name)}", model(Delivery))


def correlation(
    run: str | None = None,
    verifier: str = "rubric",
    rubric: str | None = None,
    after: str | None = None,
    limit: int = 100,
    verdicts: int = 100_000,
) -> Call[CriteriaReport]:
    """How the criteria of a rubric go together."""
    asked = {"run": run, "verifier": verifier, "rubric": rubric, "after": after, "limit": limit, "verdicts": verdicts}
    query = urlencode({name: value for name, value in asked.items() if value is not None})
    return Call("GET", f"/v1/rubrics/correlation?{query}", model(CriteriaReport))
