"""Every kind of thing that plug-ins may bring to the server."""

from __future__ import annotations

from typing import Any

from app.lanes.sandboxes import SANDBOXES
from app.protocols.trainers.contract import PROTOCOLS
from audits.exploit.catalogue import ATTACKS
from audits.kinds import AUDITS
from audits.metamorphic.catalogue import FAMILIES
from judges.presets.library import PACKAGES
from judges.remote.protocols import MODEL_SERVERS
from rewards.combine import COMBINATIONS
from rewards.rules import RULES
from rewards.shaping import SHAPINGS
from trueward.plugins import Kind

KINDS: tuple[Kind[Any], ...] = (
    SHAPINGS,
    COMBINATIONS,
    RULES,
    AUDITS,
    ATTACKS,
    FAMILIES,
    PACKAGES,
    MODEL_SERVERS,
    PROTOCOLS,
    SANDBOXES,
)
"""Beside the verifiers, whose registry is :mod:`verifiers.registry`."""


def failures() -> dict[str, str]:
    """What is wrong with which plug-in, by kind and ``name (distribution)``."""
    return {f"{kind.what} {name}": why for kind in KINDS for name, why in kind.failures().items()}
