r"""The formulas of a question: what stands between its words and dollar signs, as far as it is read.

Read once a prompt, which the answers of a group share. Linear; of a long prompt its first :data:`LONGEST` characters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.node import Node
from verifiers.math.algebra.shape import TooDeep, operands, operations, shape
from verifiers.math.algebra.token import LONGEST as LONGEST_FORMULA
from verifiers.math.algebra.token import wordy
from verifiers.math.reading.choose import rewrite_binomials
from verifiers.math.reading.surface import plain
from verifiers.math.solutions.relation import Relation, pieces, relation

LONGEST = 20_000
"""Characters of a prompt that are looked at."""

MOST_RELATIONS = 8

_WORD = re.compile(r"(?<![\\\w])[^\W\d_]{2,}(?!\w)|(?<!\w)[aA](?= \d)")
_SHORT = frozenset((
    "an", "as", "at", "be", "by", "do", "if", "in", "is", "it", "me", "no", "of", "on", "or", "so", "to", "up",
    "us", "we",
))  # fmt: skip
_BETWEEN = re.compile(r"\$+|\\[()\[\]]|\n|[?;]|[.:](?=\s|$)")
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\(?\w\))\s+")
_TIMES = re.compile(r"(?<=\d)\s?[xX]\s?(?=\d)")


class Question(NamedTuple):
    """Everything that is to be worked out, by its merged shape with its number of operands; equations, inequalities."""

    shapes: Mapping[str, int]
    relations: tuple[Relation, ...]


@lru_cache(maxsize=256)
def question(prompt: str) -> Question:
    shapes: dict[str, int] = {}
    relations: list[Relation] = []
    for span in _spans(prompt[:LONGEST]):
        if len(relations) < MOST_RELATIONS and (one := relation(span)) is not None:
            relations.append(one)
        for side in pieces(span)[::2]:
            node = expression(side)
            for found, count in _shapes(node) if node is not None else ():
                shapes[found] = min(count, shapes.get(found, count))
    return Question(shapes, tuple(relations))


def _shapes(node: Node) -> list[tuple[str, int]]:
    try:
        return [(shape(part, merged=True), operands(part)) for part in operations(node)]
    except TooDeep:
        return []


def _spans(prompt: str) -> list[str]:
    text = _WORD.sub(lambda word: "\n" if _says(word[0]) else word[0], prompt)
    lines = [line for line in _BETWEEN.split(text) if len(line) <= LONGEST_FORMULA]
    # a dash before a formula is its sign or a bullet, a comma separates formulas or arguments: both are tried
    lines += [line[start.end() :] for line in lines if (start := _NUMBERED.match(line))]
    lines += [part for line in lines if ", " in line for part in line.split(", ")]
    return [rewrite_binomials(plain(_TIMES.sub("*", line))) for line in lines if any(mark.isalnum() for mark in line)]


def _says(word: str) -> bool:
    return word in "aA" or word.lower() in _SHORT or wordy(word)
