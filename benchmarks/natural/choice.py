"""The part of multiple choice: model solutions that people judged right must be accepted.

Solutions that they judged wrong may end in the right letter all the same, so what is accepted among them is no error;
the wrong items are the right solutions, against another letter.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from functools import cache

from benchmarks.contest import Case
from benchmarks.natural.part import Item, Part, Row
from trueward.wire.sample import Sample
from verifiers.choice import ChoiceVerifier

_OPTION = re.compile(r"^\s*([A-J])\s*[:.)]\s*(.*?)\s*$", re.MULTILINE)
_LETTER = re.compile(r"\b([A-J])\b")


def items(rows: Sequence[Row]) -> list[Item]:
    found: list[Item] = []
    for row in rows:
        if row["human_solution_correct"] != "correct":
            continue
        options = dict(_OPTION.findall(row["options"]))
        right = str(row["reference"])
        wrong = next(letter for letter in "ABCDEFGHIJ" if letter not in right)
        for reference, is_right in ((right, True), (wrong, False)):
            found.append(Item(row["subject"], is_right, Case(row["response"], (json.dumps(options), reference))))
    return found


@cache
def _verifier() -> ChoiceVerifier:
    return ChoiceVerifier()


def trueward(response: str, references: Sequence[str]) -> bool | None:
    options, reference = references
    sample = Sample(response=response, reference=reference, metadata={"choices": json.loads(options)})
    (verdict,) = _verifier().verify([sample])
    return None if verdict.score is None else verdict.score == 1.0


def last_letter(response: str, references: Sequence[str]) -> bool:
    """Whether the last letter that stands alone is the reference's: the one line that many write."""
    letters = _LETTER.findall(response.replace("_", " "))
    return bool(letters) and letters[-1] == references[1]


PART = Part(
    "choice",
    "choice_solutions.jsonl",
    "of people who judged the whole solution (MR-Ben, MIT)",
    items,
    {"Trueward": "benchmarks.natural.choice:trueward", "last letter": "benchmarks.natural.choice:last_letter"},
)
