"""Which records are in which cell of the confusion matrix, for people who want to look at them."""

from __future__ import annotations

import numpy as np
from pydantic import JsonValue

from audits.labelled.measured import Items
from audits.labelled.records import Records
from audits.statistics.confusion import Confusion

LISTED = 2_000
"""Records of a cell that a report keeps."""


def cell_records(records: Records, items: Items) -> dict[str, JsonValue]:
    """By the names of :class:`Confusion`'s counts the newest 2,000 records of each, newest first."""
    verdicts = {"accepted": items.accepted == 1, "rejected": items.accepted == 0, "missing": ~items.judged}
    truths = {"right": items.right, "wrong": ~items.right}
    found: dict[str, JsonValue] = {}
    for name in Confusion._fields:
        truth, _, verdict = name.partition("_")
        places = items.rows[np.flatnonzero(truths[truth] & verdicts[verdict])][-LISTED:][::-1]
        found[name] = [records.record[place] for place in places.tolist()]
    return found
