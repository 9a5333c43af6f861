"""Options that go together, said once: a command takes a dataclass of them as one parameter.

``@grouped`` shows typer the fields in the parameter's place, each an option with the field's type and default. All
parameters of such a command are keyword-only, so that a group may follow an option that has a default.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import is_dataclass
from functools import wraps


def expand_groups(command: Callable[..., None]) -> Callable[..., None]:
    """The command as typer calls it."""
    signature = inspect.signature(command, eval_str=True)
    kinds = {name: one.annotation for name, one in signature.parameters.items()}
    groups = {name: kind for name, kind in kinds.items() if isinstance(kind, type) and is_dataclass(kind)}
    fields = {name: inspect.signature(group, eval_str=True).parameters for name, group in groups.items()}

    @wraps(command)
    def called(**given: object) -> None:
        made = {name: group(**{field: given.pop(field) for field in fields[name]}) for name, group in groups.items()}
        command(**given, **made)

    shown: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        shown += fields[name].values() if name in groups else [parameter]
    shown = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in shown]
    called.__signature__ = signature.replace(parameters=shown)  # type: ignore[attr-defined]  # what inspect looks at
    called.__annotations__ = {one.name: one.annotation for one in shown}
    return called
