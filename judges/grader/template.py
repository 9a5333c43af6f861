"""Templates: text with ``{{ item.a.b[0] }}`` and ``{{ sample.output_text }}``, and nothing else.

A template is searched for slots once, so what is filled in is data: braces in it stay braces. There are no filters, no
calls, no statements. Linear in the template's length.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Annotated, Self, get_args

from pydantic import AfterValidator, Field

from judges.asking.material import text_of
from judges.grader.subject import SAMPLE_VARIABLES, Namespace, Step, Subject

LONGEST = 100_000
_STEP = r"""\.[\w-]+|\[\d{1,9}\]|\["[^"\]]*"\]|\['[^'\]]*'\]"""
_VARIABLE = re.compile(rf"(\w+)((?:{_STEP})+)")
_STEPS = re.compile(_STEP)


@dataclass(frozen=True, slots=True)
class Variable:
    namespace: Namespace
    path: tuple[Step, ...]

    @classmethod
    def read(cls, text: str) -> Self:
        """Raises ValueError with what is wrong, and what there is."""
        found = _VARIABLE.fullmatch(text)
        if found is None:
            raise ValueError(
                f"{{{{ {text[:100]} }}}} is no variable: write item.name or sample.name, with .name or [0]"
            )
        namespace = next((one for one in get_args(Namespace) if one == found[1]), None)
        if namespace is None:
            raise ValueError(f"there is no namespace {found[1][:100]!r}: variables are of item or sample")
        path = tuple(_step(step) for step in _STEPS.findall(found[2]))
        if namespace == "sample" and path[0] not in SAMPLE_VARIABLES:
            known = ", ".join(f"sample.{name}" for name in SAMPLE_VARIABLES)
            raise ValueError(f"there is no sample.{str(path[0])[:100]}; known: {known}")
        if path[:1] == ("output_text",) and namespace == "sample" and len(path) > 1:
            raise ValueError("sample.output_text is a text: it has no parts (sample.output_json has)")
        return cls(namespace, path)


Insert = Callable[[Namespace, str], str]


@dataclass(frozen=True, slots=True)
class Template:
    parts: tuple[str | Variable, ...]

    @classmethod
    def read(cls, source: str) -> Self:
        """Raises ValueError."""
        parts: list[str | Variable] = []
        place = 0
        while (start := source.find("{{", place)) >= 0:
            end = source.find("}}", start)
            if end < 0:
                raise ValueError(f"the braces at character {start} are not closed")
            parts += [source[place:start], Variable.read(source[start + 2 : end].strip())]
            place = end + 2
        return cls((*parts, source[place:]))

    @property
    def of_sample(self) -> bool:
        """Whether anything in it is the policy's."""
        return any(isinstance(part, Variable) and part.namespace == "sample" for part in self.parts)

    def fill(self, subject: Subject, insert: Insert = lambda namespace, text: text) -> str:
        """``insert`` writes a value into the text. Raises what :meth:`Subject.value` raises."""
        return "".join(
            part if isinstance(part, str) else insert(part.namespace, text_of(subject.value(part.namespace, part.path)))
            for part in self.parts
        )


@lru_cache(maxsize=1024)
def template(source: str) -> Template:
    """Raises ValueError."""
    return Template.read(source)


def _checked(source: str) -> str:
    template(source)
    return source


def _step(text: str) -> Step:
    if text.startswith("."):
        return text[1:]
    inner = text[1:-1]
    return inner[1:-1] if inner[0] in "\"'" else int(inner)


TemplateText = Annotated[str, Field(max_length=LONGEST), AfterValidator(_checked)]
"""The text of a template that can be read."""
