"""``ties``: several answers are equally right, so their scores should be close, and above all wrong ones.

RewardBench 2's Ties (arXiv 2506.01937). Each question has two rows with the same ``id``: one with many right answers
(``form: tied``), one with a single right one (``form: reference``). Ids as in its files (``tied:7``, ``ref:7``) say the
form themselves.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Literal

from pydantic import StrictInt, StrictStr, model_validator

from audits.bench.case import BenchCase, CaseMeasures, Format, Scores
from audits.bench.preference import PreferenceRow
from audits.bench.rows import RawRows, problem, read, refuse
from audits.statistics.ties import TiedQuestion, ties_score
from trueward.errors import FieldProblem

Form = Literal["tied", "reference"]
_PREFIXES: dict[str, Form] = {"tied": "tied", "ref": "reference"}


class TiesRow(PreferenceRow):
    """``{id, form, prompt, chosen, rejected, domain?, ...}``."""

    id: StrictStr | StrictInt
    form: Form

    @model_validator(mode="before")
    @classmethod
    def _id_may_say_the_form(cls, value: object) -> object:
        if not isinstance(value, dict) or not isinstance(value.get("id"), str):
            return value
        prefix, colon, rest = value["id"].partition(":")
        if colon and prefix in _PREFIXES and "form" not in value:
            return {**value, "id": rest, "form": _PREFIXES[prefix]}
        return value


def _cases(rows: RawRows) -> list[BenchCase]:
    """One case a question."""
    placed: defaultdict[str, list[tuple[int, TiesRow]]] = defaultdict(list)
    for place, row in enumerate(read(TiesRow, rows)):
        placed[str(row.id)].append((place, row))
    refuse(list(_unpaired(list(placed.values()))))
    cases = []
    for forms in placed.values():
        (place, tied), (_, single) = sorted(forms, key=lambda one: one[1].form == "reference")
        parts = [row.samples(texts) for row in (tied, single) for texts in (row.chosen, row.rejected)]
        cases.append(BenchCase.of(place, tied, *parts))
    return cases


def _unpaired(questions: Sequence[Sequence[tuple[int, TiesRow]]]) -> Iterator[FieldProblem]:
    for forms in questions:
        if sorted(row.form for _, row in forms) != ["reference", "tied"]:
            had = ", ".join(f"row {place + 1}: {row.form}" for place, row in forms[:5])
            detail = f"question {str(forms[0][1].id)[:100]!r} needs one row of form tied and one of form reference"
            yield problem(forms[0][0], "form", "unpaired", f"{detail}; it has {had}")


def _measure(scores: Scores) -> CaseMeasures:
    tied_right, tied_wrong, single_right, single_wrong = scores
    tied, single = min(tied_right) - max(tied_wrong), min(single_right) - max(single_wrong)
    score = ties_score([TiedQuestion(tied_right, tied_wrong, single_right, single_wrong)])
    return CaseMeasures({"score": score, "tied": float(tied > 0), "reference": float(single > 0)}, min(tied, single))


TIES = Format(
    TiesRow,
    _cases,
    _measure,
    {
        "score": "the weighted score, at most 1.01",
        "tied": "questions whose right answers all score above all wrong ones",
        "reference": "the same with a single right answer",
    },
)
