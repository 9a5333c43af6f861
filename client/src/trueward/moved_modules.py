"""Modules that moved: their former names still work in 0.2, with a warning, and go in 0.3."""

from __future__ import annotations

import sys
import warnings
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from types import ModuleType

MOVED: dict[str, tuple[str, ...]] = {
    "trueward.aims": ("trueward.wire.aim",),
    "trueward.answers": (
        "trueward.wire.recipe",
        "trueward.wire.record",
        "trueward.wire.replay",
        "trueward.wire.selection",
    ),
    "trueward.audits": ("trueward.wire.audit", "trueward.wire.label_plan"),
    "trueward.changes": ("trueward.wire.change",),
    "trueward.conformance": ("trueward.authoring.conformance",),
    "trueward.deletions": ("trueward.wire.deletion",),
    "trueward.diagnosis": ("trueward.wire.diagnosis",),
    "trueward.draws": ("trueward.wire.draw",),
    "trueward.hostile": ("trueward.authoring.hostile",),
    "trueward.isolation": ("trueward.authoring.isolation",),
    "trueward.keys": ("trueward.wire.key",),
    "trueward.labels": ("trueward.wire.label",),
    "trueward.models": ("trueward.wire.model",),
    "trueward.presets": ("trueward.wire.preset",),
    "trueward.probes": ("trueward.wire.probe",),
    "trueward.projects": ("trueward.wire.project",),
    "trueward.prompts": ("trueward.wire.prompt",),
    "trueward.records": ("trueward.wire.record",),
    "trueward.references": ("trueward.wire.reference",),
    "trueward.request_fields": ("trueward.wire.request_fields",),
    "trueward.steps": ("trueward.wire.step",),
    "trueward.types": (
        "trueward.wire.base",
        "trueward.wire.sample",
        "trueward.wire.verdict",
        "trueward.wire.reward",
        "trueward.wire.run",
        "trueward.wire.scoring",
        "trueward.wire.verifier",
    ),
    "trueward.verifier": ("trueward.authoring.verifier",),
    "trueward.watch": ("trueward.wire.watch",),
}
"""Each former module, and where its names are now."""

TRAINER = "trueward.rlvr"
"""The former name of the package that the distribution ``trueward-trainer`` installs, with all of its modules."""


class FormerModules(MetaPathFinder, Loader):
    """Finds the former modules. It is asked last, for modules that do not exist."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if f"{fullname}.".startswith(f"{TRAINER}."):
            return ModuleSpec(fullname, self, is_package=True)
        return ModuleSpec(fullname, self) if fullname in MOVED else None

    def exec_module(self, module: ModuleType) -> None:
        homes = _homes(module.__name__)
        warnings.warn(
            f"{module.__name__} is {' and '.join(homes)} now; the former name goes with trueward 0.3",
            DeprecationWarning,
            stacklevel=2,
        )
        module.__dict__["__getattr__"] = _lookup(module.__name__)


def _homes(former: str) -> tuple[str, ...]:
    return MOVED.get(former) or (former.replace(TRAINER, "trueward_trainer", 1),)


def _lookup(former: str) -> Callable[[str], object]:
    def look_up(name: str) -> object:
        for home in map(import_module, _homes(former)):
            if hasattr(home, name):
                return getattr(home, name)
        raise AttributeError(f"module {former!r} has no attribute {name!r}")

    return look_up


def install() -> None:
    """From now on the former names can be imported; once a process."""
    if not any(isinstance(finder, FormerModules) for finder in sys.meta_path):
        sys.meta_path.append(FormerModules())
