"""Rubrics: criteria with weights, their file format, what is wrong with one, and imports of others' formats."""

from trueward.rubrics.foreign import FOREIGN, from_healthbench, from_open_instruct
from trueward.rubrics.lint import Finding, lint
from trueward.rubrics.rubric import WEIGHTS, Category, Criterion, Rubric, Scores, WeightMode, said_wrong

__all__ = [
    "FOREIGN",
    "WEIGHTS",
    "Category",
    "Criterion",
    "Finding",
    "Rubric",
    "Scores",
    "WeightMode",
    "from_healthbench",
    "from_open_instruct",
    "lint",
    "said_wrong",
]
