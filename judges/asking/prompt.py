"""A prompt file made turns: Jinja text under lines ``=== system`` and ``=== user``.

A slot holds material that is fenced already, or text of our own. What a policy wrote is a value: it is never
searched for slots.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

import jinja2
from jinja2 import meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from judges.asking.fence import RULES
from judges.questions import Turn

_HEAD = re.compile(r"^=== (system|user|assistant)\s*$", re.MULTILINE)
_ENVIRONMENT = ImmutableSandboxedEnvironment(
    trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined, keep_trailing_newline=False
)


class PromptFile:
    """``source`` is the file's text, ``slots`` are the names that it asks for. Raises ValueError where it is none of
    that form."""

    def __init__(self, source: str) -> None:
        parts = _HEAD.split(source)
        if parts[0].strip() or len(parts) < 3:
            raise ValueError("a prompt begins with a line `=== system` or `=== user`")
        try:
            self._turns = [
                (role, _ENVIRONMENT.from_string(text.strip()))
                for role, text in zip(parts[1::2], parts[2::2], strict=True)
            ]
        except jinja2.TemplateSyntaxError as wrong:
            raise ValueError(f"not a Jinja template: {wrong}") from wrong
        self.source = source
        self.slots = frozenset(meta.find_undeclared_variables(_ENVIRONMENT.parse(source)))

    def turns(self, slots: Mapping[str, object]) -> tuple[Turn, ...]:
        """``{{ rules }}`` says what fences mean. Raises KeyError for a slot that is not given."""
        try:
            return tuple(Turn(role, text.render(rules=RULES, **slots).strip()) for role, text in self._turns)
        except jinja2.UndefinedError as missing:
            raise KeyError(str(missing)) from missing
