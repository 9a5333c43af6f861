"""What the author of a plug-in derives from, under names that stay.

Verifiers, advantages and losses need the package ``trueward`` alone; ``docs/extending.md`` has an example of each kind.
"""

from __future__ import annotations

import trueward_server

trueward_server.enter()

from app.protocols.trainers.contract import TrainerProtocol  # noqa: E402 - found since enter()
from audits.exploit.probe import Probe  # noqa: E402
from audits.exploit.task import ExploitTask as AttackedTask  # noqa: E402
from audits.given_samples import choose_samples  # noqa: E402
from audits.metamorphic.transformation import Task as RewrittenTask  # noqa: E402
from audits.metamorphic.transformation import Transformation  # noqa: E402
from audits.ports import Work as AuditWork  # noqa: E402
from judges.base import Unaskable  # noqa: E402
from judges.questions import Answer, Generate, Prompt, Question, Turn  # noqa: E402
from judges.remote.dialect import messages_of, served_name  # noqa: E402
from judges.remote.fields import field, text, whole  # noqa: E402
from judges.remote.server import Server as ModelServer  # noqa: E402
from rewards.combine.base import Combination, GroupCombination, Part, Parts  # noqa: E402
from rewards.conditions import Conditions  # noqa: E402
from rewards.rules.base import Decision, Rule  # noqa: E402
from rewards.shaping.base import GroupShaping, OneShaping  # noqa: E402
from rewards.view import Unshapeable, View  # noqa: E402
from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Unsupported, Workspace  # noqa: E402
from sandbox.limits import Limits  # noqa: E402
from trueward.former_names import former_names  # noqa: E402

__all__ = [
    "Answer",
    "AttackedTask",
    "AuditWork",
    "Combination",
    "Conditions",
    "Decision",
    "Execution",
    "Generate",
    "GroupCombination",
    "GroupShaping",
    "Limits",
    "ModelServer",
    "OneShaping",
    "Part",
    "Parts",
    "Probe",
    "Program",
    "Prompt",
    "Question",
    "RewrittenTask",
    "Rule",
    "Sandbox",
    "SandboxFailure",
    "TrainerProtocol",
    "Transformation",
    "Turn",
    "Unaskable",
    "Unshapeable",
    "Unsupported",
    "View",
    "Workspace",
    "choose_samples",
    "field",
    "messages_of",
    "served_name",
    "text",
    "whole",
]


__getattr__ = former_names(__name__, {"given_samples": "choose_samples"})
