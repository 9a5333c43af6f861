"""The part of open questions: systems' answers with human labels, beside plain containment and SQuAD's exact match."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from benchmarks.contest import Case
from benchmarks.natural.part import Item, Part, Row
from trueward.wire.sample import Sample
from verifiers.equivalence import EquivalenceVerifier
from verifiers.qa import QaVerifier, normalise_text


def items(rows: Sequence[Row]) -> list[Item]:
    """An item a row; the first of its references is the question."""
    return [
        Item(
            f"{row['set']} {row['system']}",
            bool(row["right"]),
            Case(row["response"], (row["prompt"], *row["references"])),
        )
        for row in rows
    ]


@cache
def _equivalence() -> EquivalenceVerifier:
    return EquivalenceVerifier()


@cache
def _qa() -> QaVerifier:
    return QaVerifier()


def equivalence(response: str, references: Sequence[str]) -> bool | None:
    (verdict,) = _equivalence().verify([_sample(response, references)])
    return None if verdict.score is None else verdict.score == 1.0


def qa(response: str, references: Sequence[str]) -> bool | None:
    (verdict,) = _qa().verify([_sample(response, references)])
    return None if verdict.score is None else verdict.score == 1.0


def contained(response: str, references: Sequence[str]) -> bool:
    """Whether a reference stands in the response after SQuAD's normalisation: the four lines that many write."""
    said = f" {normalise_text(response)} "
    return any((gold := normalise_text(reference)) and f" {gold} " in said for reference in references[1:])


def _sample(response: str, references: Sequence[str]) -> Sample:
    return Sample(prompt=references[0], response=response, reference=list(references[1:]))


PART = Part(
    "open_questions",
    "qa_human.jsonl",
    "of people who judged each system's answer (EVOUNA, Apache-2.0); right, or not",
    items,
    {
        "Trueward equivalence": "benchmarks.natural.open_questions:equivalence",
        "containment": "benchmarks.natural.open_questions:contained",
        "Trueward qa, exact": "benchmarks.natural.open_questions:qa",
    },
)
