"""Names that stand for more than one thing."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable

from benchmarks.shape.sources import Source


def shared_classes(sources: Iterable[Source]) -> list[str]:
    """Each public name that two or more classes at the top of a module have, with the modules."""
    modules: defaultdict[str, list[str]] = defaultdict(list)
    for source in sources:
        for node in source.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                modules[node.name].append(source.module)
    return [f"{name}: {', '.join(several)}" for name, several in sorted(modules.items()) if len(several) > 1]
