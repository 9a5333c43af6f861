"""Records without a score, by cause: references that do not arrive or cannot be read, and failures of ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

from app.doctor.summary import Seen, Summary
from trueward.numerals import share
from trueward.wire.diagnosis import RunFault

_SOME = 0.01
_SHOWN = 200
_UNREADABLE = frozenset({"bad_reference", "bad_rubric", "bad_checklist", "schema_invalid", "pattern_invalid"})
_ABSENT = frozenset({"no_reference", "no_tests", "no_rubric", "no_checklist", "no_labels"})
_TIME = "give requests more time (`deadline_s`), or the service more workers"
_CRASH = "the service's log has the failure: report it; `GET /health/ready` says whether workers run"
_CLUSTER = "see whether the Ray cluster runs (`trueward ray status`)"
DO = {
    "deadline": _TIME,
    "queue_full": _TIME,
    "deadline_passed_waiting": _TIME,
    "ledger_unavailable": "see that the database runs and has room; `trueward doctor` on its machine looks",
    "pool_down": _CRASH,
    "worker_crashed": _CRASH,
    "verifier_crashed": _CRASH,
    "sandbox_failed": "see that the sandbox runs: `trueward doctor` on the service's machine tries it",
    "host_memory": "give the machine more memory, or fewer places for programs",
    "worker_starved": "take other work off the service's machine",
    "lane_unreachable": _CLUSTER,
    "lane_lost": _CLUSTER,
    "lane_version": _CLUSTER,
    "model_unavailable": "start the judge's model server; its entry must name the right URL (`trueward models list`)",
    "judge_malformed": "the judge answers nobody in the form that it is asked for: try it (`trueward preset try`)",
    "no_route": "give the recipe a route for these data sources, or a default one",
    "aborted": "the trainer ended these responses itself; where that is not meant, look at its limits",
}
"""What the operator does, by cause; the runbook has more of it."""
_ELSE = "look the cause up in the runbook, under missing scores"


def missing_references(summary: Summary) -> Iterator[RunFault]:
    some = _missing(summary, _absent)
    if summary.share(some) >= _SOME:
        yield summary.fault(
            "no_reference",
            some,
            f"of the samples come without a reference{_sources(summary, some)}",
            "let the trainer send the column with the gold answers (`trueward doctor --trainer NAME` says where each "
            "takes it from), or give the recipe a route without one for this data",
        )


def unreadable_references(summary: Summary) -> Iterator[RunFault]:
    some = _missing(summary, _unreadable)
    if summary.share(some) >= _SOME:
        yield summary.fault(
            "unreadable_reference",
            some,
            f"have a reference that the verifier cannot read{_sources(summary, some)}: {some[0].reason[:_SHOWN]}",
            "mend the data, or take a verifier that reads it; `trueward verify --check-references FILE` lists them",
        )


def missing_causes(summary: Summary) -> Iterator[RunFault]:
    """One finding for each other cause."""
    others = _missing(summary, lambda code: not (_absent(code) or _unreadable(code)))
    for code, count in Counter(one.reason_code for one in others).most_common():
        if count < _SOME * len(summary.records):
            return
        some = [one for one in others if one.reason_code == code]
        sentence = f"missing by `{code}`: {some[0].reason[:_SHOWN]}"
        yield summary.fault("missing", some, sentence, DO.get(code, _ELSE))


def _absent(code: str) -> bool:
    return code in _ABSENT


def _unreadable(code: str) -> bool:
    return code.startswith("reference_") or code in _UNREADABLE


def _missing(summary: Summary, of: Callable[[str], bool]) -> list[Seen]:
    return summary.where(lambda one: one.outcome.missing and of(one.reason_code))


def _sources(summary: Summary, some: Sequence[Seen]) -> str:
    """The commonest data sources, each with the share of it that is so."""
    every, here = (Counter(one.source for one in part if one.source is not None) for part in (summary.records, some))
    told = [f"{source[:60]!r} ({share(count / every[source])} of its)" for source, count in here.most_common(3)]
    return f", of the data source {', '.join(told)}" if told else ""
