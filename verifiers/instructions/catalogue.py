"""The constraints that there are, by id: whatever the modules under ``sets`` define.

A set is a package there, a family of constraints a module of it. To add one is to add files.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterator
from importlib import import_module

from verifiers.instructions import sets
from verifiers.instructions.constraint import Constraint


def _kinds() -> Iterator[type[Constraint]]:
    for module in pkgutil.walk_packages(sets.__path__, f"{sets.__name__}."):
        for kind in vars(import_module(module.name)).values():
            mine = isinstance(kind, type) and issubclass(kind, Constraint) and kind.__module__ == module.name
            # a class without an id is what several have in common
            if mine and hasattr(kind, "id"):
                yield kind


def find_constraints(*, revised: bool) -> dict[str, type[Constraint]]:
    """What the modules define: as first published, or where that changed. Raises ValueError for an id twice."""
    kinds: dict[str, type[Constraint]] = {}
    for kind in _kinds():
        if kind.revised is not revised:
            continue
        if kind.id in kinds:
            raise ValueError(f"two constraints have the id {kind.id}: {kinds[kind.id].__module__}, {kind.__module__}")
        kinds[kind.id] = kind
    return dict(sorted(kinds.items()))


CONSTRAINTS = find_constraints(revised=False)
"""As first published."""
REVISED = CONSTRAINTS | find_constraints(revised=True)
"""The same ids, each as its authors judge it today."""
