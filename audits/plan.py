"""How many responses to label before a gate can pass, or an interval is narrow enough."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.label_plan import LabelPlan, LabelQuestion

_WORST = 0.5
_ASSUMED_SHARE = 0.5
_EXPECTED_OF_LIMIT = 0.5


@dataclass(frozen=True, slots=True)
class _Rate:
    """One of the two rates as it was asked for; ``of`` are the responses that it is a share of."""

    name: str
    of: str
    limit: float | None
    expected: float | None


def plan(question: LabelQuestion) -> LabelPlan:
    """Raises :class:`InvalidRequest` where nothing is asked, or where no number of labels would do."""
    fpr = _Rate("fpr", "wrong", question.max_fpr, question.expected_fpr)
    fnr = _Rate("fnr", "right", question.max_fnr, question.expected_fnr)
    if question.width is None and fpr.limit is None and fnr.limit is None:
        raise InvalidRequest.at_field("max_fpr", "missing", "nothing is asked: name max_fpr, max_fnr or width")
    notes: list[str] = []
    wrong, right = (_labels(rate, question, notes) for rate in _split_rates(fpr, fnr))
    return LabelPlan(wrong=wrong, right=right, responses=_responses(wrong, right, question, notes), notes=notes)


def _split_rates(fpr: _Rate, fnr: _Rate) -> tuple[_Rate | None, _Rate | None]:
    """Both, where neither was named: then the width is asked of each."""
    named = [rate.limit is not None or rate.expected is not None for rate in (fpr, fnr)]
    return (fpr if named[0] or not any(named) else None, fnr if named[1] or not any(named) else None)


def _labels(rate: _Rate | None, question: LabelQuestion, notes: list[str]) -> int | None:
    """Labels of one kind, at least; None where the rate was not asked for."""
    if rate is None:
        return None
    from audits.statistics.planner import labels_for_bound, labels_for_width

    needed = []
    if (limit := rate.limit) is not None:
        expected = _expected(rate, _EXPECTED_OF_LIMIT * limit, "half of its limit", notes)
        needed.append(
            _refusing(f"max_{rate.name}", lambda: labels_for_bound(expected, limit, question.power, question.level))
        )
    if (width := question.width) is not None:
        about = _expected(rate, _WORST, "the widest case", notes) if rate.limit is None else expected
        needed.append(_refusing("width", lambda: labels_for_width(about, width, question.level)))
    return max(needed, default=None)


def _expected(rate: _Rate, default: float, why: str, notes: list[str]) -> float:
    if rate.expected is not None:
        return rate.expected
    notes.append(f"assumes that the true rate is {default:g}, {why}: name expected_{rate.name} where you know better")
    return default


def _responses(wrong: int | None, right: int | None, question: LabelQuestion, notes: list[str]) -> int:
    share = question.share_wrong
    if share is None:
        share = _ASSUMED_SHARE
        notes.append("assumes that half of the responses are wrong: name share_wrong where you know better")
    from audits.statistics.planner import responses

    effect = 1 + (question.group_size - 1) * question.correlation
    if effect > 1:
        notes.append(f"responses to one prompt share their errors: {effect:g} of them say as much as one on its own")
    wanted = [(wrong, share), (right, 1 - share)]
    return max(
        responses(labels, part, question.group_size, question.correlation)
        for labels, part in wanted
        if labels is not None
    )


def _refusing(field: str, count: Callable[[], int]) -> int:
    try:
        return count()
    except ValueError as refusal:
        problem = FieldProblem(field=field, code="out_of_reach", detail=str(refusal))
        raise InvalidRequest(f"{field}: {refusal}", errors=[problem]) from refusal
