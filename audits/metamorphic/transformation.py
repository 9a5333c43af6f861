"""What a transformation is: from a task whose reference is known to a response whose rightness is known.

A rewrite keeps the reference's meaning, a mutation breaks it. Which of both it did is proved by exact arithmetic or by
syntax, never by asking a verifier; where it cannot be proved the transformation does not fit.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from pydantic import JsonValue

from trueward.wire.sample import Sample

_TWICE = 2


@dataclass(frozen=True, slots=True)
class Margin:
    """What a subject says that it tolerates of numbers. A mutation has to go clearly beyond that."""

    relative: Fraction = Fraction(1, 10**6)
    absolute: Fraction = Fraction(0)

    def is_exceeded(self, old: Fraction, new: Fraction) -> bool:
        """Whether both numbers differ by more than twice the tolerance."""
        return abs(new - old) > _TWICE * max(self.absolute, self.relative * abs(old))


class Reader(NamedTuple):
    """Who reads the answers: a verifier with the parameters that differ from its defaults; None: nobody knows."""

    verifier: str | None = None
    params: Mapping[str, JsonValue] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Task:
    """A sample with its reference as one text (empty where that is none), and what is known of its reader."""

    sample: Sample
    text: str
    verifier: str | None = None
    params: Mapping[str, JsonValue] = field(default_factory=dict)
    margin: Margin = Margin()

    @property
    def single(self) -> bool:
        """Whether no second reference could make a mutation of the first one right."""
        return self.verifier == "sets" or len(self.sample.references) == 1


Rewrite = Callable[[Task, Random], str | None]
"""The answer in its new form, or a whole response; None where the transformation does not fit the task."""


@dataclass(frozen=True, slots=True)
class Transformation:
    """``verifiers`` are those for which the answer's form makes sense; ``whole``: it gives all of the response."""

    name: str
    breaks: bool
    verifiers: frozenset[str]
    rewrite: Rewrite
    whole: bool = False

    @property
    def kind(self) -> str:
        return "breaks" if self.breaks else "keeps"

    def apply(self, task: Task, seed: int) -> str | None:
        """The same for the same task and seed. A mutation of one of several references does not fit."""
        if self.breaks and not task.single:
            return None
        return self.rewrite(task, Random(f"{seed} {self.name} {task.text}"))


def keeping(verifiers: frozenset[str], *rewrites: Rewrite, whole: bool = False) -> tuple[Transformation, ...]:
    """Transformations that keep the meaning, named as their functions are."""
    return tuple(Transformation(_name(each), False, verifiers, each, whole) for each in rewrites)


def breaking(verifiers: frozenset[str], *rewrites: Rewrite, whole: bool = False) -> tuple[Transformation, ...]:
    """Transformations that break it."""
    return tuple(Transformation(_name(each), True, verifiers, each, whole) for each in rewrites)


def _name(rewrite: Rewrite) -> str:
    name: str = rewrite.__name__
    return name
