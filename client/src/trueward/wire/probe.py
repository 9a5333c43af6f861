"""Probes of judges in live traffic on the wire: how often a judge accepts what is known to be no answer."""

from __future__ import annotations

from trueward.wire.base import Wire


class ProbedFamily(Wire):
    """Probes of one family (docs/audits.md). ``accepted + rejected + invalid + unscored + missing = tried``:
    ``unscored`` have a score and no pass line, ``missing`` have none."""

    family: str
    tried: int
    accepted: int
    rejected: int
    invalid: int
    unscored: int
    missing: int


class ProbedJudge(Wire):
    """A judge with these parameters since the service's start. ``rate`` is the share accepted of those with a verdict,
    ``interval`` Wilson's at 95%; null where there is none."""

    verifier: str
    version: str
    params: str
    rate: float | None
    interval: tuple[float, float] | None
    families: list[ProbedFamily]


class AcceptedProbe(Wire):
    """A probe that was accepted: ``record`` is the reward's that it accompanied, which it was drawn by."""

    verifier: str
    version: str
    params: str
    run: str | None
    record: str
    probe: str
    reason: str


class ProbeReport(Wire):
    """``share`` of the judged samples are accompanied by a probe. ``accepted`` are the latest such, newest last."""

    share: float
    judges: list[ProbedJudge]
    accepted: list[AcceptedProbe]
