"""What the author of a plug-in derives from, under names that stay.

Verifiers, advantages and losses need the package ``trueward`` alone; ``docs/extending.md`` has an example of each kind.
"""

from __future__ import annotations

import trueward_server

trueward_server.enter()

from app.adapters.contract import TrainerProtocol  # noqa: E402 - found since enter()
from audits.exploit.probe import Probe  # noqa: E402
from audits.exploit.task import Task as AttackedTask  # noqa: E402
from audits.metamorphic.transformation import Task as RewrittenTask  # noqa: E402
from audits.metamorphic.transformation import Transformation  # noqa: E402
from rewards.combine.base import Combination, GroupCombination, Part, Parts  # noqa: E402
from rewards.conditions import Conditions  # noqa: E402
from rewards.rules.base import Decision, Rule  # noqa: E402
from rewards.shaping.base import GroupShaping, OneShaping  # noqa: E402
from rewards.view import Unshapeable, View  # noqa: E402
from sandbox.base import Execution, Limits, Program, Sandbox, SandboxFailure, Unsupported, Workspace  # noqa: E402

__all__ = [
    "AttackedTask",
    "Combination",
    "Conditions",
    "Decision",
    "Execution",
    "GroupCombination",
    "GroupShaping",
    "Limits",
    "OneShaping",
    "Part",
    "Parts",
    "Probe",
    "Program",
    "RewrittenTask",
    "Rule",
    "Sandbox",
    "SandboxFailure",
    "TrainerProtocol",
    "Transformation",
    "Unshapeable",
    "Unsupported",
    "View",
    "Workspace",
]
