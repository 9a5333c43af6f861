"""Rubrics: criteria with weights, their file format, what is wrong with one, and imports of others' formats."""

from trueward.former_names import former_names
from trueward.rubrics.foreign import FOREIGN, from_healthbench, from_open_instruct
from trueward.rubrics.lint import Finding, lint
from trueward.rubrics.rubric import WEIGHTS, Category, Criterion, Rubric, Scores, WeightMode, explain_refusal

__all__ = [
    "FOREIGN",
    "WEIGHTS",
    "Category",
    "Criterion",
    "Finding",
    "Rubric",
    "Scores",
    "WeightMode",
    "explain_refusal",
    "from_healthbench",
    "from_open_instruct",
    "lint",
]


__getattr__ = former_names(__name__, {"said_wrong": "explain_refusal"})
