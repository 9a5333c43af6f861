"""The files that the docs show are rows of their formats, and say what is true."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

from audits.bench.first_error import FirstErrorRow
from audits.bench.preference import PreferenceRow
from audits.bench.rows import list_unread_fields, read
from trueward.wire.sample import Sample
from verifiers import registry

EXAMPLES = Path(__file__).parents[3] / "examples" / "audits"


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (EXAMPLES / name).read_text(encoding="utf-8").splitlines()]


def test_the_chosen_responses_are_right_and_the_rejected_wrong() -> None:
    listed = rows("preference_pairs.jsonl")
    assert list_unread_fields(PreferenceRow, listed) == []
    math = registry.create("math", {})
    for row in read(PreferenceRow, listed):
        samples = [Sample(response=text, reference=row.reference) for text in (*row.chosen, *row.rejected)]
        assert [verdict.score for verdict in math.verify(samples)] == [1.0] + [0.0] * len(row.rejected), row.id


def test_half_of_the_solutions_are_flawless() -> None:
    listed = rows("first_error.jsonl")
    assert list_unread_fields(FirstErrorRow, listed) == []
    labels = Counter(row.label == -1 for row in read(FirstErrorRow, listed))
    assert labels == {True: 10, False: 10}
