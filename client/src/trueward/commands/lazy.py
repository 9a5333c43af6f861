"""A group whose commands are imported when they are run: ``trueward --help`` and ``--version`` import none of them.

What stands in for a command until then has its name and the first sentence of its help.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, ClassVar

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True)
class CommandPlace:
    """Where a command is: a function, or a :class:`typer.Typer` with commands of its own."""

    module: str
    attribute: str
    summary: str
    options: Mapping[str, Any] = field(default_factory=dict)
    """Of :meth:`typer.Typer.command`, for a function."""

    def load(self, name: str) -> Any:  # Any: click's command, whose package differs between versions of typer
        found: typer.Typer | Callable[..., None] = getattr(import_module(self.module), self.attribute)
        if isinstance(found, typer.Typer):
            group = typer.main.get_group(found)
            group.name = name
            return group
        alone = typer.Typer(add_completion=False)
        alone.command(name, **self.options)(found)
        return typer.main.get_command(alone)


class _Later(TyperCommand):
    """Becomes the command when a line names it: the context that it makes is the command's own."""

    def __init__(self, name: str, place: CommandPlace) -> None:
        super().__init__(name, help=place.summary)
        self._place = place

    def make_context(self, info_name: Any, args: Any, parent: Any = None, **extra: Any) -> Any:  # Any: as above
        assert self.name is not None
        return self._place.load(self.name).make_context(info_name, args, parent=parent, **extra)


class LazyGroup(TyperGroup):
    """Has the commands of ``places``, in their order."""

    places: ClassVar[Mapping[str, CommandPlace]] = {}

    def __init__(self, **given: Any) -> None:
        super().__init__(**given)
        self.commands = {name: _Later(name, place) for name, place in self.places.items()}
