"""The part of mathematics: printed references, one respelling of each family as right and one near miss as wrong."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from random import Random

from benchmarks.contest import Case
from benchmarks.natural.misses import misses
from benchmarks.natural.part import Item, Part, Row
from benchmarks.natural.respellings import respellings
from trueward.wire.sample import Sample
from verifiers.math import MathVerifier

WRAPPERS = (
    "The answer is \\boxed{{{}}}.",
    "Simplifying, we get ${0}$.\n\nTherefore, the final answer is: \\boxed{{{0}}}",
    "So \\[ \\boxed{{{}}} \\]",
    "<answer>{}</answer>",
    "**Final answer:** ${}$",
)
"""How the answer stands in its response; the first two take half of the items."""


def items(rows: Sequence[Row]) -> list[Item]:
    """For each row at most one item of a family; a row's items are the same whatever the others are."""
    found: list[Item] = []
    for row in rows:
        reference = str(row["reference"])
        dice = Random(reference)
        for right, made in ((True, respellings(reference, dice)), (False, misses(reference, dice))):
            for family, answer in made:
                wrapper = dice.choice(WRAPPERS + WRAPPERS[:1] * 3)
                if "$" in answer or "\n" in answer:
                    wrapper = WRAPPERS[0]
                found.append(Item(family, right, Case(wrapper.format(answer), (reference,))))
    return found


@cache
def _verifier() -> MathVerifier:
    return MathVerifier()


def trueward(response: str, references: Sequence[str]) -> bool | None:
    """One item by Trueward's verifier, all stages in this process."""
    (verdict,) = _verifier().verify([Sample(response=response, reference=list(references))])
    return None if verdict.score is None else verdict.score == 1.0


PART = Part(
    "math",
    "math_references.jsonl",
    "near misses differ at every point of an evaluator that shares no code with the verifiers, or by construction; "
    "respellings agree at every point, or change layout alone",
    items,
    {"Trueward": "benchmarks.natural.math:trueward", "math-verify": "benchmarks.peers.math_verify_raw:judge"},
)
