"""``verdicts``: responses that are known to be right or wrong, as in VerifyBench (arXiv 2505.15801): how often is the
verifier wrong, by domain and by type of answer?
"""

from __future__ import annotations

import asyncio
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from pydantic import JsonValue, StrictBool, StrictInt, StrictStr

from audits.bench.accuracy import Measures, accuracy, section_weighted
from audits.bench.comparison import CUT, WORST, split_rows, split_table
from audits.bench.rows import UNNAMED, BenchRow, Section, list_unread_fields, read
from audits.bench.subject_scores import judge_groups
from audits.estimates import of_groups
from audits.ports import Work
from audits.statistics.confusion import Confusion, confusion
from audits.subject_verdict import Judged, format_reasons
from trueward.errors import InvalidRequest
from trueward.estimators.pass_at_k import pass_at_k
from trueward.wire.audit import AuditReport, BenchAudit, Cell, Figure, FigureLine, Table
from trueward.wire.sample import Message, Sample

_ERRORS = 2_000
"""How many errors a report lists."""


class VerdictRow(BenchRow):
    """``{response, right, prompt?, group?, reference?, domain?, answer_type?, split?, id?, ...}``."""

    response: StrictStr
    right: StrictBool
    prompt: StrictStr | list[Message] | None = None
    group: StrictStr | StrictInt | None = None
    answer_type: Section = UNNAMED

    def to_sample(self, place: int) -> Sample:
        return self.sample(self.prompt, self.response).model_copy(update={"group": f"row {place + 1}"})

    def kin(self, place: int, prompt: str) -> str:
        """What rows that err together share: their group, else their prompt; a row that names neither is on its own."""
        if self.group is not None:
            return f"group {self.group}"
        return f"row {place + 1}" if self.prompt is None else f"prompt {prompt}"


class _Case(NamedTuple):
    place: int
    row: VerdictRow
    said: Judged
    prompt: str
    kin: str

    @property
    def correct(self) -> bool:
        return self.said.accepted == self.row.right


async def verdicts_report(spec: BenchAudit, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` for rows of another form, and where no row has a verdict."""
    rows = await asyncio.to_thread(read, VerdictRow, spec.rows)
    samples = [row.to_sample(place) for place, row in enumerate(rows)]
    judged = await judge_groups(work, spec.subject, [[sample] for sample in samples])
    cases = [
        _Case(place, row, said, sample.prompt_text, row.kin(place, sample.prompt_text))
        for place, (row, [said], sample) in enumerate(zip(rows, judged, samples, strict=True))
    ]
    if all(case.said.accepted is None for case in cases):
        raise InvalidRequest(f"{spec.subject.name} gave no verdict on any of the {len(cases)} rows: {_why(cases)}")
    return await asyncio.to_thread(_report, spec, cases)


def _why(cases: Sequence[_Case]) -> str:
    if any(case.said.score is not None for case in cases):
        return "its scores have no pass line; state the subject's threshold"
    return format_reasons(_missing(cases))


def _missing(cases: Sequence[_Case]) -> Counter[str]:
    return Counter(case.said.reason_code for case in cases if case.said.accepted is None)


def _report(spec: BenchAudit, cases: Sequence[_Case]) -> AuditReport:
    known = [case for case in cases if case.said.accepted is not None]
    missing = _missing(cases)
    correct = np.array([float(case.correct) for case in known])
    kin, domains = [case.kin for case in known], [case.row.domain for case in known]
    splits = split_rows(Measures({"accuracy": correct}, domains, kin, [c.row.split for c in known]), spec, "accuracy")
    whole = accuracy(correct, kin, spec.level, spec.seed)
    sections = section_weighted(correct, domains, kin, spec.level, spec.seed)
    by_domain, by_type = _counts(cases, lambda case: case.row.domain), _counts(cases, lambda case: case.row.answer_type)
    overall = _confusion(cases)
    passed = _pass_rates(known)
    errors = sorted((case for case in known if not case.correct), key=_badness)
    findings: dict[str, JsonValue] = {
        "format": spec.format,
        "rows": len(cases),
        "scored": len(known),
        "missing": {"rows": missing.total(), "by_reason": dict(missing)},
        "by_example": {"accuracy": whole.to_json(), **_plain(overall)},
        "by_section": {"accuracy": sections.to_json()},
        "domains": {name: _plain(counts) for name, counts in by_domain.items()},
        "answer_types": {name: _plain(counts) for name, counts in by_type.items()},
        "splits": splits,
        "pass_at_k": [{"k": k, "true": true, "as_judged": said, "prompts": size} for k, true, said, size in passed],
        "worst": [_describe_case(case) for case in errors[:WORST]],
    }
    everything = {"all, by example": overall}
    wrong, right = [c for c in known if not c.row.right], [c for c in known if c.row.right]
    return AuditReport(
        findings=findings,
        false_positives=of_groups([not c.correct for c in wrong], [c.kin for c in wrong], spec.level, spec.seed),
        false_negatives=of_groups([not c.correct for c in right], [c.kin for c in right], spec.level, spec.seed),
        origins={"benchmark": len(cases)},
        tables=[
            _table("By domain", "domain", by_domain | everything, spec),
            *([_table("By type of answer", "answer type", by_type, spec)] if by_type.keys() != {UNNAMED} else []),
            *split_table(splits),
            *_pass_table(passed),
            *_error_table(errors),
        ],
        figures=[_matrix(overall)],
        notes=_notes(spec, missing, overall),
    )


def _confusion(cases: Sequence[_Case]) -> Confusion:
    return confusion([case.row.right for case in cases], [case.said.accepted for case in cases])


def _counts(cases: Sequence[_Case], key: Callable[[_Case], str]) -> dict[str, Confusion]:
    parts: defaultdict[str, list[_Case]] = defaultdict(list)
    for case in cases:
        parts[key(case)].append(case)
    return {name: _confusion(parts[name]) for name in sorted(parts)}


def _plain(counts: Confusion) -> dict[str, JsonValue]:
    return {
        **counts._asdict(),
        "false_positive_rate": counts.false_positive_rate,
        "false_negative_rate": counts.false_negative_rate,
        "precision": counts.precision,
        "recall": counts.recall,
        "f1": counts.f1,
        "accuracy_rate": counts.accuracy,
    }


def _table(title: str, what: str, parts: dict[str, Confusion], spec: BenchAudit) -> Table:
    rows: list[list[Cell]] = []
    for name, counts in parts.items():
        positives, negatives = counts.false_positives(spec.level), counts.false_negatives(spec.level)
        bounds = [positives.wilson.high if counts.wrong else None, negatives.wilson.high if counts.right else None]
        rates = [counts.accuracy, positives.rate, bounds[0], negatives.rate, bounds[1], counts.precision, counts.recall]
        rows.append([name, counts.judged, counts.items - counts.judged, *rates])
    shares = ["accuracy", "FPR", "FPR at most", "FNR", "FNR at most", "precision", "recall"]
    note = "At most: the upper end of Wilson's interval, of independent items."
    return Table(title=title, columns=[what, "scored", "missing", *shares], rows=rows, shares=shares, note=note)


def _matrix(counts: Confusion) -> Figure:
    cells = {"right": counts[:3], "wrong": counts[3:]}
    lines = [FigureLine(name=name, x=[0.0, 1.0, 2.0], y=list(map(float, row))) for name, row in cells.items()]
    labels = ["accepted", "rejected", "no verdict"]
    return Figure(kind="matrix", title="Verdicts against labels", x="verdict", y="truth", lines=lines, labels=labels)


def _pass_rates(cases: Sequence[_Case]) -> list[tuple[int, float, float, int]]:
    """k, pass@k by the labels and by the verdicts, and how many prompts have k responses; for k = 1, 2, 4, ...

    Nothing where no prompt has two responses.
    """
    groups: defaultdict[str, list[_Case]] = defaultdict(list)
    for case in cases:
        groups[case.kin].append(case)
    most = max((len(group) for group in groups.values()), default=0)
    found = []
    for k in (2**power for power in range(most.bit_length()) if most > 1):
        large = [group for group in groups.values() if len(group) >= k]
        rates = [
            float(np.mean([pass_at_k(len(group), sum(passed), k) for group, passed in zip(large, each, strict=True)]))
            for each in (
                [[case.row.right for case in group] for group in large],
                [[case.said.accepted is True for case in group] for group in large],
            )
        ]
        found.append((k, rates[0], rates[1], len(large)))
    return found


def _pass_table(passed: Sequence[tuple[int, float, float, int]]) -> list[Table]:
    rows: list[list[Cell]] = [[k, size, true, said] for k, true, said, size in passed]
    shares = ["pass@k by label", "pass@k as judged"]
    note = "Unbiased, over the prompts with k responses: what the verifier makes of the policy."
    return (
        [Table(title="pass@k", columns=["k", "prompts", *shares], rows=rows, shares=shares, note=note)] if rows else []
    )


def _error_table(errors: Sequence[_Case]) -> list[Table]:
    rows: list[list[Cell]] = [
        [
            case.place + 1,
            _id(case),
            "right" if case.row.right else "wrong",
            f"{case.said.reason_code}: {case.said.reason[:CUT]}",
            json.dumps(case.row.reference, ensure_ascii=False)[:CUT],
            case.row.response[-CUT:],
        ]
        for case in errors[:_ERRORS]
    ]
    columns = ["row", "id", "label", "why", "reference", "response"]
    note = f"{len(errors):,} errors, accepted wrong responses first; of a response its end"
    return [Table(title="Rows that were judged wrongly", columns=columns, rows=rows, note=note)] if rows else []


def _id(case: _Case) -> str:
    return str(case.place + 1 if case.row.id is None else case.row.id)[:CUT]


def _badness(case: _Case) -> tuple[bool, int]:
    """False acceptances first: they are what a policy learns to make."""
    return (case.row.right, case.place)


def _describe_case(case: _Case) -> JsonValue:
    return {
        "row": case.place + 1,
        "id": _id(case),
        "domain": case.row.domain,
        "prompt": case.prompt[:CUT],
        "response": case.row.response[:CUT],
        "right": case.row.right,
        "reason_code": case.said.reason_code,
        "reason": case.said.reason[:CUT],
        "record": case.said.record,
    }


def _notes(spec: BenchAudit, missing: Counter[str], counts: Confusion) -> list[str]:
    notes = []
    if missing:
        notes.append(
            f"{missing.total()} rows have no verdict, and are in no rate, neither as accepted nor as rejected: "
            + format_reasons(missing)
        )
    if not counts.wrong:
        notes.append("no wrong response was judged: the false-positive rate is not known")
    if not counts.right:
        notes.append("no right response was judged: the false-negative rate is not known")
    if counts.judged and counts.right_accepted + counts.wrong_accepted in (0, counts.judged):
        notes.append("the subject gave the same verdict on every row: it tells nothing apart")
    if names := list_unread_fields(VerdictRow, spec.rows):
        notes.append(f"fields that this format does not read: {', '.join(names)}")
    return notes
