"""Which slots the prompts of a preset may have: what its mechanism fills, and what it says that it needs.

A slot that nothing fills would be found out by the first response that is judged, so it is looked for when the preset
is read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Final, Literal

import jinja2
from jinja2 import meta, nodes

Mechanism = Literal["pointwise", "criteria", "stepwise", "checklist", "comparative", "tooled"]

FILLED: Final[Mapping[Mechanism, frozenset[str]]] = {
    "pointwise": frozenset(),
    "criteria": frozenset({"reference", "criteria", "criterion", "levels", "scale"}),
    "stepwise": frozenset({"steps", "count", "step"}),
    "checklist": frozenset({"conversation", "items", "count"}),
    "comparative": frozenset({"first", "second", "candidates", "count"}),
    "tooled": frozenset({"tools"}),
}
"""What each mechanism fills beside the slots of all."""
ALWAYS: Final = frozenset({"rules", "question", "response"})
NEEDED: Final = frozenset({"reference", "principle", "documents"})
"""Filled where the preset says that it needs them."""
METADATA: Final = "metadata"


def find_unfilled(mechanism: Mechanism, needs: Collection[str], metadata: Collection[str], source: str) -> list[str]:
    """The slots of a prompt's text that nothing fills, sorted; ``metadata`` are the names that the preset says."""
    tree = jinja2.Environment().parse(source)  # noqa: S701 - it is only read
    names = meta.find_undeclared_variables(tree)
    slots = ALWAYS | FILLED[mechanism] | (NEEDED & set(needs)) | ({METADATA} if metadata else set())
    of_metadata = {f"{METADATA}.{name}" for name in _members(tree) if metadata and name not in metadata}
    return sorted((names - slots) | of_metadata)


def usual(mechanism: Mechanism, needs: Sequence[str], metadata: Collection[str]) -> list[str]:
    """All slots that there are, sorted, for messages."""
    own = [f"{METADATA}.{name}" for name in metadata]
    return sorted({*ALWAYS, *FILLED[mechanism], *(NEEDED & set(needs)), *own})


def _members(tree: nodes.Template) -> Iterator[str]:
    """What is asked of ``metadata`` by name."""
    for got in tree.find_all(nodes.Getattr):
        if _is_metadata(got.node):
            yield got.attr
    for item in tree.find_all(nodes.Getitem):
        if _is_metadata(item.node):
            yield str(item.arg.value) if isinstance(item.arg, nodes.Const) else "?"


def _is_metadata(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == METADATA
