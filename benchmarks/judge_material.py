"""What the judges of ``benchmarks.held`` judge: answers and solutions that people labelled, and some of our own.

A folder of others' sets has ``qa_human.jsonl`` (EVOUNA, arXiv 2305.12421: ``prompt``, ``references``, ``response``,
``right``) and ``choice_solutions.jsonl`` (MR-Ben, arXiv 2406.13975).
"""

from __future__ import annotations

import random
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from pydantic import JsonValue

from benchmarks.own_models import read, solutions
from judges.presets.preset import Preset
from trueward import Sample

Source = Literal["EVOUNA", "MR-Ben", "own"]

ANSWERS = frozenset(
    {
        "correctness",
        "xverify",
        "soft_correctness",
        "graded_correctness",
        "against_reference",
        "tool_correctness",
        "quality",
        "principle",
        "principle_score",
    }
)
"""Presets that say how good one answer is. Others of their mechanism decide what no set here has labels for."""

STEPS = frozenset({"critique", "critique_each", "flawed_positive"})
"""Presets that look for an error on the way."""


@dataclass(frozen=True, slots=True)
class Material:
    """``right``: people's word on each sample; None where nobody labelled them."""

    source: Source
    samples: list[Sample]
    right: list[bool] | None


def material(preset: Preset, folder: Path | None, labelled: int, own: int) -> Material:
    """``labelled`` samples, half of them right, where ``folder`` has what this preset decides, or ``own``."""
    if folder is not None and preset.name in STEPS:
        return _solutions(folder, labelled)
    if folder is not None and (
        preset.name in ANSWERS or preset.head.mechanism in ("criteria", "checklist", "comparative")
    ):
        return _answers(folder, labelled)
    return Material("own", [_own(number) for number in range(own)], None)


def _answers(folder: Path, count: int) -> Material:
    """Of questions that have a right and a wrong answer one of both, in turn; the other is its baseline."""
    by_question: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in read(folder / "qa_human.jsonl"):
        by_question[row["prompt"]].append(row)
    draw = random.Random(7)
    pairs = []
    for _, rows in sorted(by_question.items()):
        sides = [[one for one in rows if one["right"] is right] for right in (False, True)]
        if all(sides):
            pairs.append([draw.choice(side) for side in sides])
    draw.shuffle(pairs)
    right = [place % 2 == 1 for place in range(count)]
    samples = [_answer(pair[is_right], pair[not is_right]) for pair, is_right in zip(pairs, right, strict=False)]
    return Material("EVOUNA", samples, right)


def _answer(row: dict[str, Any], other: dict[str, Any]) -> Sample:
    """The reference is what criteria and checklists ask for, in words of our own."""
    known = " or ".join(row["references"])
    return Sample(
        prompt=row["prompt"],
        response=row["response"],
        reference=row["references"],
        baselines=[other["response"]],
        metadata={
            "principle": "The answer to the question is right.",
            "rubric": {"criteria": [{"id": "answer", "text": f"Gives this answer: {known}", "category": "essential"}]},
            "checklist": {"turns": [[{"question": f"Does the assistant give this answer: {known}?"}]]},
        },
    )


def _solutions(folder: Path, count: int) -> Material:
    """Solutions in steps, half of them with an error somewhere."""
    found, _ = solutions(folder, 1_000, 0)
    halves = [[one for one in found if (one.first_error < 0) is right][: count // 2] for right in (False, True)]
    drawn = [one for pair in zip(*halves, strict=True) for one in pair]
    samples = [
        Sample(prompt=one.prompt, response="\n\n".join(one.steps), reference=one.reference, group=str(place))
        for place, one in enumerate(drawn)
    ]
    return Material("MR-Ben", samples, [one.first_error < 0 for one in drawn])


def _own(number: int) -> Sample:
    """With what any mechanism asks for."""
    boxes, pens = number + 3, number + 5
    right = boxes * pens
    said = right if number % 2 else right + number + 1
    metadata: dict[str, JsonValue] = {
        "principle": "Show how the number is found.",
        "documents": [f"Ann's boxes hold {pens} pens each. She has {boxes} of them."],
        "rubric": {
            "criteria": [
                {"id": "product", "text": "Multiplies boxes and pens.", "category": "essential"},
                {"id": "short", "text": "Has three sentences at most.", "category": "optional"},
                {"id": "aside", "text": "Speaks of other things.", "category": "pitfall"},
            ]
        },
        "checklist": {"turns": [[{"question": "Is a product given?"}, {"question": "Are pens named?"}]]},
    }
    return Sample(
        prompt=f"Ann has {boxes} boxes with {pens} pens each. How many pens does she have?",
        response=f"Each box has {pens} pens, and there are {boxes} boxes.\n\nSo it is {boxes} * {pens} = {said} pens.",
        reference=str(right),
        baselines=[f"She has {right + 2} pens.", f"{boxes} + {pens} = {boxes + pens} pens."],
        metadata=metadata,
    )
