"""Whether a value that a program returned is the expected one. It runs on the host, on plain data alone.

Values written in JSON: a tuple equals a list of equal items, ``true`` is not 1, an integer equals a float of the same
value, names of objects are texts. Values written as literals: the same, but tuple and list differ. In both, sets
equal sets in any order, NaN equals NaN, and with a tolerance numbers may differ by
``max(absolute, relative * |expected|)``, except as members of sets, as keys, and where an integer is expected.

The walk follows the expected value, so neither cycles nor sharing in what a hostile program returned cost more.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import zip_longest

from verifiers.code.literal import Exact

_SETS = (set, frozenset)
_BYTES = (bytes, bytearray)
_REAL = (int, float, Decimal, Fraction)
_MISSING = object()


@dataclass(frozen=True, slots=True)
class Tolerance:
    """How far a number may be from the expected one; both bounds are at least 0."""

    absolute: float
    relative: float

    def close(self, given: float, wanted: float) -> bool:
        """NaN equals NaN alone, an infinity itself alone."""
        if math.isnan(given) or math.isnan(wanted):
            return math.isnan(given) and math.isnan(wanted)
        if math.isinf(given) or math.isinf(wanted):
            return given == wanted
        return abs(given - wanted) <= max(self.absolute, self.relative * abs(wanted))


def equal(given: object, wanted: object, tolerance: Tolerance | None = None, *, exact: bool = False) -> bool:
    """``wanted`` is a tree as :func:`verifiers.code.literal.value` gives it; ``given`` is plain data of any shape."""
    if isinstance(wanted, Exact):
        return equal(given, wanted.value, tolerance, exact=True)
    if isinstance(wanted, (list, tuple)):
        if not isinstance(given, (list, tuple) if not exact else list if isinstance(wanted, list) else tuple):
            return False
        return len(given) == len(wanted) and all(
            equal(ours, theirs, tolerance, exact=exact) for ours, theirs in zip_longest(given, wanted)
        )
    if isinstance(wanted, dict):
        return isinstance(given, dict) and _same_dict(given, wanted, tolerance, exact)
    if isinstance(wanted, _SETS):
        return isinstance(given, _SETS) and _same_set(given, wanted)
    if isinstance(wanted, (str, *_BYTES)):
        kinds = str if isinstance(wanted, str) else _BYTES
        return isinstance(given, kinds) and given == wanted
    return _same_scalar(given, wanted, tolerance)


def _same_dict(
    given: Mapping[object, object], wanted: Mapping[object, object], tolerance: Tolerance | None, exact: bool
) -> bool:
    if len(given) != len(wanted):
        return False
    names = {name: name for name in given}
    return all(
        _same_key(names.get(name, _MISSING), name) and equal(given[name], theirs, tolerance, exact=exact)
        for name, theirs in wanted.items()
    )


def _same_set(given: set[object] | frozenset[object], wanted: set[object] | frozenset[object]) -> bool:
    if len(given) != len(wanted):
        return False
    members = {member: member for member in given}
    return all(_same_key(members.get(member, _MISSING), member) for member in wanted)


def _same_key(given: object, wanted: object) -> bool:
    """Two that are equal by hash may still be ``True`` and 1."""
    return given is not _MISSING and equal(given, wanted, exact=True)


def _same_scalar(given: object, wanted: object, tolerance: Tolerance | None) -> bool:
    if wanted is None or isinstance(wanted, bool) or isinstance(given, bool):
        return given is wanted
    if not isinstance(given, (complex, *_REAL)) or not isinstance(wanted, (int, float, complex)):
        return False
    try:
        if isinstance(wanted, int):
            return given == wanted
        if isinstance(given, complex) or isinstance(wanted, complex):
            return _same_complex(complex(given), complex(wanted), tolerance)
        if given == wanted or (given != given and wanted != wanted):
            return True
        return tolerance is not None and tolerance.close(float(given), float(wanted))
    except (ArithmeticError, ValueError):
        # a signalling NaN, or a number beyond a double, equals nothing
        return False


def _same_complex(given: complex, wanted: complex, tolerance: Tolerance | None) -> bool:
    close = (tolerance or Tolerance(0.0, 0.0)).close
    return close(given.real, wanted.real) and close(given.imag, wanted.imag)
