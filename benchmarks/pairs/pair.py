"""A question's reference with one answer to it, and whether that answer is right: known by construction.

A :class:`Family` knows one kind of value: how to draw one, how references and models write it, and how it can be
changed into another. A right answer is the same value in another form, a wrong one a changed value in any of the
forms, so that the form never tells. Whether a change changed anything is decided by ``same``, the family's own exact
arithmetic on values; no verifier and no algebra system takes part. A form that a value does not have (1/3 as a
finite decimal) is None, and another draw follows.
"""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from benchmarks.pairs.template import respond

REDRAWN = 0.8
"""Share of the answers that are the reference itself, letter for letter, which are drawn again: they test nothing."""

V = TypeVar("V")
Form = Callable[[V, random.Random], str | None]
Change = Callable[[V, random.Random], V]


@dataclass(frozen=True, slots=True)
class Pair:
    """``references``: any of them is acceptable. ``transformation``: change, reference's form, answer's form."""

    references: tuple[str, ...]
    answer: str
    response: str
    right: bool
    form: str
    transformation: str
    template: str


Source = Callable[[random.Random, bool], Pair]
"""Draws a right or a wrong pair."""


@dataclass(frozen=True, slots=True)
class Family(Generic[V]):
    """One kind of value. ``same`` must be exact, or so strict that values told apart differ beyond doubt."""

    form: str
    draw: Callable[[random.Random], V]
    references: tuple[Form[V], ...]
    answers: tuple[Form[V], ...]
    changes: tuple[Change[V], ...]
    same: Callable[[V, V], bool] = operator.eq

    def __call__(self, dice: random.Random, right: bool) -> Pair:
        while True:
            value, given, change = self.draw(dice), None, None
            if not right:
                change = dice.choice(self.changes)
                given = change(value, dice)
                if self.same(value, given):
                    continue
            written, writing = dice.choice(self.references), dice.choice(self.answers)
            reference = written(value, dice)
            answer = writing(value if given is None else given, dice)
            if reference is None or answer is None or (reference == answer and dice.random() < REDRAWN):
                continue
            template, response = respond(answer, dice)
            names = ([change.__name__] if change else []) + [written.__name__, writing.__name__]
            return Pair((reference,), answer, response, right, self.form, " > ".join(names), template)
