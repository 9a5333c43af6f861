"""A file holds a table, with those whose rows are parts of its rows.

Column names are the wire's; ``group`` is ``group_`` in Python where it is an attribute.
"""

from app.tables.act import Act
from app.tables.alarm import Alarm
from app.tables.audit import Audit
from app.tables.base import Table
from app.tables.budget import Budget
from app.tables.conditions import Conditions
from app.tables.deletion import Deletion
from app.tables.delivery import Delivery
from app.tables.draw import Draw, DrawHold, DrawItem
from app.tables.freeze import Freeze
from app.tables.idempotency import Idempotency
from app.tables.job import Job, JobItem
from app.tables.key import Key
from app.tables.label import Label
from app.tables.model import Model
from app.tables.params import Params
from app.tables.preset import Preset
from app.tables.project import Project
from app.tables.prompt import Prompt
from app.tables.recipe import Recipe, RecipeVersion
from app.tables.reference import Reference
from app.tables.reward import Reward
from app.tables.run import Run, RunMark, RunState
from app.tables.sample import Sample
from app.tables.verdict import Verdict
from app.tables.watch import Look, Watch

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
