"""The parts of a recipe that have a name of their own, and that other packages may bring.

A shaping, a combination and a group rule are each a class. Its field ``method`` (of a rule: ``rule``) is a literal: the
part's name in recipes, and that of its entry point.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

from rewards.schema import Strict
from trueward.plugins import Kind, list_built_in, list_installed


def kind_of(what: str, group: str, base: type[Strict], key: str, built_ins: Mapping[str, str]) -> Kind[type[Strict]]:
    """Subclasses of ``base`` that have their name in the field ``key``; ``built_ins`` says where each is defined."""

    def defect(found: object, name: str) -> str:
        if not (isinstance(found, type) and issubclass(found, base)):
            return f"{found!r:.80} is not a subclass of {base.__name__}"
        field = found.model_fields.get(key)
        if field is None or get_args(field.annotation) != (name,):
            return f"{found.__name__}.{key} is not declared as Literal[{name!r}], the name of its entry point"
        return ""

    return Kind(what, list_built_in(group, built_ins), list_installed(group), defect)
