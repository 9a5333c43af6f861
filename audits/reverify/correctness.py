"""Whether the change was for the better: both verdicts against the labels that there are."""

from __future__ import annotations

import numpy as np
from pydantic import JsonValue

from audits.cells import cells
from audits.labelled.truth import Truth
from audits.reverify.comparison import Compared
from audits.statistics.arrays import Floats
from audits.statistics.confusion import Confusion, confusion
from audits.statistics.mcnemar import flips
from trueward.wire.audit import Cell, Table

_NAMES = ("false_positive_rate", "false_negative_rate", "accuracy")


def correctness(found: Compared, truth: Truth) -> dict[str, JsonValue]:
    """``labelled`` samples, how many of the flips are among them, the confusion then and now, and McNemar's test of
    whether more became right (``gained``) than wrong (``lost``). Empty where nothing is labelled."""
    known = ~np.isnan(truth.right)
    if not known.any():
        return {}
    right, before, after = truth.right[known], found.before[known], found.after[known]
    counted = flips(_correct(right, before), _correct(right, after))
    return {
        "labelled": int(known.sum()),
        "labelled_flips": int((known & found.flipped).sum()),
        "flips": int(found.flipped.sum()),
        "before": _plain(confusion(right, before)),
        "after": _plain(confusion(right, after)),
        "correctness": dict(counted._asdict()),
    }


def correctness_table(findings: dict[str, JsonValue]) -> Table:
    rows: list[list[Cell]] = [[when, *cells(findings[when], *_NAMES)] for when in ("before", "after")]
    note = "Of the labelled samples, which may not be like the others: people label flips first."
    return Table(title="Against labels", columns=["when", *_NAMES], rows=rows, shares=list(_NAMES), note=note)


def _correct(right: Floats, said: Floats) -> Floats:
    """1 where the verdict is that of the label, NaN where there is no verdict."""
    correct: Floats = np.where(np.isnan(said), np.nan, right == said)
    return correct


def _plain(counts: Confusion) -> dict[str, JsonValue]:
    rates: dict[str, JsonValue] = {name: getattr(counts, name) for name in _NAMES}
    return {**counts._asdict(), **rates}
