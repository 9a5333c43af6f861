r"""Infinite families of numbers: ``\frac{\pi}{2} + 2\pi k, k \in \mathbb{Z}``, ``x \equiv 3 \pmod 7``, ``x = 7k + 3``.

A family is a union of arithmetic progressions ``offset + period * k``; two are equal where they have the same members:
``k\pi`` is ``2k\pi`` together with ``(2k+1)\pi``. The name of the parameter does not count. Not covered: several
parameters, systems of congruences, parameters that are no integers.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from verifiers.math.algebra.canonical import Canonical
from verifiers.math.algebra.grammar import expression
from verifiers.math.algebra.polynomial import UNIT, Monomial, TooMuch, monomial_of
from verifiers.math.algebra.ring import Quotient, Undefined
from verifiers.math.reading.sequence import sequence

LONGEST = 400
MOST_MEMBERS = 720
"""Progressions over the common period."""

_INTEGERS = r"\\mathbb\s?\{?\s?Z\s?\}?|\\Z(?![A-Za-z])|Z(?![A-Za-z])"
_DECLARED = re.compile(
    r"(?:,|;|\s)\s?\(?(?:\\text\s?\{\s?)?(?:[,\s]{0,2}(?:where|for|with|and|any|all|every|some|integers?))*\s?\}?\s?"
    rf"(?P<name>[a-zA-Z])\s?(?:\\in\s?(?:{_INTEGERS})"
    r"|(?:\\text\s?\{)?\s?(?:is|are|being|any|an|as)(?:\s(?:any|an|arbitrary))?\sintegers?\s?\}?)\)?\Z"
)
_FOR = re.compile(
    r"(?:,|;|\s)\s?\(?(?:\\text\s?\{\s?)?(?:for|where|with)\s(?:(?:any|all|every|some|an)\s)?integers?\s?\}?\s?"
    r"(?P<name>[a-zA-Z])\)?\Z"
)
# \{\pi k : k \in \mathbb{Z}\}
_BUILT = re.compile(
    r"\\\{\s?(?P<member>[^|]{1,200}?)\s?(?:\\mid|\||:)\s?(?P<said>[a-zA-Z]\s?\\in\s?\\mathbb\s?\{?\s?Z\s?\}?)\s?\\\}"
)
_MODULUS = re.compile(
    r"\s?,?\(?\s?(?:\\(?:pmod|bmod|mod)|mod|\\text\s?\{\s?mod\s?\})(?![a-z])\s?\{?\s?(\d{1,12})\s?\}?\)?\Z"
)
_CLASS = re.compile(r"\\equiv|\\pmod|\(\s?(?:\\(?:b?mod)|mod|\\text\s?\{\s?mod)")
_NAMED = re.compile(r"\\?[A-Za-z]{1,8}\s?(?:=|\\equiv|\\in)\s?")
_GUESSED = re.compile(r"(?<![A-Za-z\\])[knm](?![A-Za-z])")


class Progression(NamedTuple):
    """``offset`` and ``period`` in units of ``unit``; ``rest`` is what else the offset has, by monomials."""

    offset: Fraction
    period: Fraction
    unit: Monomial
    rest: tuple[tuple[Monomial, Fraction], ...]


class Family(NamedTuple):
    """``declared``: the text says that its parameter is an integer, or is a congruence."""

    progressions: tuple[Progression, ...]
    parameter: str
    declared: bool


def family(text: str) -> Family | None:
    """The family that a plain text is; its parameter is guessed (k, n or m) where nothing declares it."""
    if len(text) > LONGEST:
        return None
    if (built := _BUILT.fullmatch(text)) is not None:
        text = f"{built['member']}, {built['said']}"
    congruence = _MODULUS.search(text)
    if congruence is not None:
        one = _congruence(text[: congruence.start()], int(congruence[1]))
        return one if one is None or _CLASS.search(text) else _residue(one)
    declared = _DECLARED.search(text) or _FOR.search(text)
    body = text[: declared.start()].strip(" ,;") if declared else text
    if declared:
        name = declared["name"]
    else:
        guessed = set(_GUESSED.findall(body))
        if len(guessed) != 1:
            return None
        name = guessed.pop()
    progressions = [_progression(part, name) for part in _parts(body)]
    found = tuple(one for one in progressions if one is not None)
    return Family(found, name, declared is not None) if found and len(found) == len(progressions) else None


def _residue(one: Family) -> Family:
    """``12 mod 5`` is the number 2."""
    return one._replace(
        progressions=tuple(each._replace(offset=each.offset % each.period) for each in one.progressions)
    )


def _parts(body: str) -> tuple[str, ...]:
    several = sequence(_NAMED.sub("", body, count=1))
    parts = several.parts if several is not None and several.brackets in ("", "{}") else (body,)
    return tuple(_NAMED.sub("", part, count=1) for part in parts)


def _congruence(body: str, modulus: int) -> Family | None:
    found = [_whole(part) for part in _parts(body)]
    if modulus < 1 or None in found:
        return None
    progressions = [Progression(Fraction(one), Fraction(modulus), UNIT, ()) for one in found if one is not None]
    return Family(tuple(progressions), "", True)


def _whole(text: str) -> int | None:
    node = expression(text)
    if node is None:
        return None
    try:
        above, below = Canonical().of(node)
    except (TooMuch, Undefined):
        return None
    if above.keys() - {UNIT} or below.keys() != {UNIT} or above.get(UNIT, 0) % below[UNIT]:
        return None
    return above.get(UNIT, 0) // below[UNIT]


def _progression(text: str, name: str) -> Progression | None:
    node = expression(text)
    if node is None:
        return None
    try:
        found = Canonical().of(node)
    except (TooMuch, Undefined):
        return None
    return _linear(found, name)


def _linear(found: Quotient, name: str) -> Progression | None:
    if found.below.keys() != {UNIT}:
        return None
    period: dict[Monomial, Fraction] = {}
    offset: dict[Monomial, Fraction] = {}
    for monomial, coefficient in found.above.items():
        powers = dict(monomial)
        power = powers.pop(name, 0)
        if power not in (0, 1) or any(f"*{name}^" in atom for atom in powers):
            return None
        part = monomial_of(powers.items())
        (period if power else offset)[part] = Fraction(coefficient, found.below[UNIT])
    if len(period) != 1:
        return None
    [(unit, size)] = period.items()
    along = offset.pop(unit, Fraction(0))
    return Progression(along, abs(size), unit, tuple(sorted(offset.items())))


def same(one: Family, other: Family) -> bool | None:
    """Whether they have the same members; None where that takes too many progressions."""
    ours, theirs = _by_rest(one), _by_rest(other)
    if ours.keys() != theirs.keys():
        return False
    for key, mine in ours.items():
        yours = theirs[key]
        period = _common_period([part.period for part in (*mine, *yours)])
        left, right = _members(mine, period), _members(yours, period)
        if left is None or right is None:
            return None
        if left != right:
            return False
    return True


def holds(one: Family, number: Fraction) -> bool:
    """Whether a number names a congruence's only class: its least member from 0 on, or the one that was written."""
    if len(one.progressions) != 1:
        return False
    [found] = one.progressions
    return not found.unit and not found.rest and number in (found.offset, found.offset % found.period)


def _by_rest(one: Family) -> dict[tuple[object, ...], list[Progression]]:
    found: dict[tuple[object, ...], list[Progression]] = {}
    for part in one.progressions:
        found.setdefault((part.unit, part.rest), []).append(part)
    return found


def _common_period(periods: list[Fraction]) -> Fraction:
    return Fraction(lcm(*(one.numerator for one in periods)), gcd(*(one.denominator for one in periods)))


def _members(parts: list[Progression], period: Fraction) -> set[Fraction] | None:
    if sum(period / part.period for part in parts) > MOST_MEMBERS:
        return None
    return {(part.offset + part.period * turn) % period for part in parts for turn in range(int(period / part.period))}
