"""The gate of a pipeline: an audit's error rates against limits, by the bound of their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, Estimate, GateBound, GateCheck, GateReport, Method

_CAREFUL: tuple[Method, ...] = ("cluster_bootstrap", "clopper_pearson")
Rate = Literal["false_positive", "false_negative"]


def gate(report: AuditReport, max_fpr: float | None, max_fnr: float | None, bound: GateBound = "upper") -> GateReport:
    """Compares each rate that has a limit, by the estimate that speaks of the run with most care: weighted where items
    were drawn with unequal probability, else clustered, else Clopper and Pearson's.

    Where independent items and clusters disagree the upper of both ends counts. What the audit cannot say does not
    pass. Raises :class:`InvalidRequest` without a limit: nothing would be checked, and that would pass.
    """
    if max_fpr is None and max_fnr is None:
        raise InvalidRequest("the gate has no limit: name max_fpr or max_fnr")
    asked: list[tuple[Rate, float | None, Sequence[Estimate]]] = [
        ("false_positive", max_fpr, report.false_positives),
        ("false_negative", max_fnr, report.false_negatives),
    ]
    checks = [_check(rate, limit, estimates, bound) for rate, limit, estimates in asked if limit is not None]
    return GateReport(passed=all(check.passed for check in checks), bound=bound, checks=checks)


def _check(rate: Rate, limit: float, estimates: Sequence[Estimate], bound: GateBound) -> GateCheck:
    found = deciding(estimates, bound)
    if found is None:
        reason = f"the audit has no {rate.replace('_', '-')} rate: it knows no response of that kind"
        return GateCheck(rate=rate, limit=limit, value=None, passed=False, method=None, reason=reason)
    value = _value(found, bound)
    assert value is not None
    passed = value <= limit
    what = "upper end" if bound == "upper" else "rate"
    shown = f"{value:.4g}" if float(f"{value:.4g}") != limit else repr(value)
    reason = f"{what} {shown} is {'at most' if passed else 'above'} {limit:g} ({_behind(found)})"
    return GateCheck(rate=rate, limit=limit, value=value, passed=passed, method=found.method, reason=reason)


def _behind(found: Estimate) -> str:
    """What the rate is made of; a weighted one is of estimates, which nobody counted."""
    if found.method != "horvitz_thompson":
        return f"{found.errors:g} of {found.items:g}"
    counted = f"weighted, about {found.errors:.4g} of {found.items:.4g} in the run"
    return f"{counted}: {found.note}" if found.note else counted


def deciding(estimates: Sequence[Estimate], bound: GateBound) -> Estimate | None:
    """The most careful estimate; None where none of them says anything."""
    known = {each.method: each for each in estimates if _value(each, bound) is not None}
    if "horvitz_thompson" in known:
        return known["horvitz_thompson"]
    careful = [known[method] for method in _CAREFUL if method in known] or list(known.values())
    return max(careful, key=lambda each: _value(each, bound) or 0.0, default=None)


def _value(estimate: Estimate, bound: GateBound) -> float | None:
    if bound == "rate":
        return estimate.rate
    return estimate.interval[1] if estimate.interval is not None else None
