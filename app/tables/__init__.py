"""A file holds the tables of one subject.

Column names are the wire's; ``group`` is ``group_`` in Python where it is an attribute.
"""

from app.tables.base import Table
from app.tables.jobs import Deletion, Delivery, Job, JobItem
from app.tables.keys import Act, Idempotency, Key, Project
from app.tables.labels import Audit, Draw, DrawHold, DrawItem, Label, Reference
from app.tables.ledger import Conditions, Params, Reward, Sample, Verdict
from app.tables.models import Model, Preset
from app.tables.recipes import Budget, Freeze, Recipe, RecipeVersion
from app.tables.runs import Prompt, Run, RunMark, RunState
from app.tables.watches import Alarm, Look, Watch

__all__ = [
    "Act",
    "Alarm",
    "Audit",
    "Budget",
    "Conditions",
    "Deletion",
    "Delivery",
    "Draw",
    "DrawHold",
    "DrawItem",
    "Freeze",
    "Idempotency",
    "Job",
    "JobItem",
    "Key",
    "Label",
    "Look",
    "Model",
    "Params",
    "Preset",
    "Project",
    "Prompt",
    "Recipe",
    "RecipeVersion",
    "Reference",
    "Reward",
    "Run",
    "RunMark",
    "RunState",
    "Sample",
    "Table",
    "Verdict",
    "Watch",
]
