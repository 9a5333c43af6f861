"""What is wrong with an upload as a whole: unknown items, and an annotator who says two things of one item.

Different annotators may disagree. Labels with an ``id`` were stored before, each with its own time, so one annotator's
first and second thoughts may both be among them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from app.labels.schemas import PlacedLabel
from trueward.errors import FieldProblem, InvalidRequest

SHOWN = 20
"""How many problems are listed."""
TOLD = 3
"""How many of them the sentence tells, for who does not read the list."""


def refuse(problems: Sequence[FieldProblem]) -> None:
    """Raises :class:`InvalidRequest` with the first problems, by line, where there are any."""
    if not problems:
        return
    first = sorted(problems, key=lambda problem: problem.line or 0)[:SHOWN]
    told = "; ".join(f"{problem.field}: {problem.detail}" for problem in first[:TOLD])
    more = f" and {len(problems) - TOLD} more, see errors" if len(problems) > TOLD else ""
    wrong = f"{len(problems)} labels are wrong" if len(problems) > 1 else "a label is wrong"
    raise InvalidRequest(f"{wrong}: {told}{more}. Nothing was stored.", errors=first)


def sample_of(placed: PlacedLabel, records: Mapping[str, str]) -> str:
    """The sample that a known label is of."""
    label = placed.label
    return label.sample if label.sample is not None else records[label.record or ""]


def find_unknown(labels: Sequence[PlacedLabel], records: Mapping[str, str], samples: set[str]) -> list[FieldProblem]:
    """Labels of what the ledger does not have; ``records`` says whose record is which sample's."""
    return [problem for placed in labels if (problem := _unknown(placed, records, samples)) is not None]


def _unknown(placed: PlacedLabel, records: Mapping[str, str], samples: set[str]) -> FieldProblem | None:
    record, sample = placed.label.record, placed.label.sample
    if record is not None and record not in records:
        return placed.problem("unknown_record", f"the ledger has no record {record[:100]!r}")
    if sample is not None and sample not in samples:
        return placed.problem("unknown_sample", f"the ledger has no sample {sample[:100]!r}")
    if record is not None and sample is not None and records[record] != sample:
        return placed.problem("other_sample", f"record {record!r} is not of sample {sample[:100]!r}")
    return None


def find_repeats(labels: Sequence[PlacedLabel], records: Mapping[str, str]) -> list[FieldProblem]:
    """Ids that occur twice, and annotators who contradict themselves. Without a name they are known by the source.

    The same said twice is no mistake: many responses of a run are alike to the letter, and they are one item.
    """
    seen: dict[tuple[str, str], PlacedLabel] = {}
    found = []
    for placed in labels:
        label = placed.label
        sample = sample_of(placed, records)
        who = f"@{label.annotator}" if label.annotator else label.source
        first = seen.setdefault(("id", label.id) if label.id else (sample, who), placed)
        if first is placed:
            continue
        same = (label.right, label.score, label.reference)
        if label.id is not None:
            found.append(placed.problem("duplicate_id", f"the id of {first.where} again"))
        elif same != (first.label.right, first.label.score, first.label.reference):
            found.append(placed.problem("contradiction", f"{who!r} says something else of this item in {first.where}"))
    return found
