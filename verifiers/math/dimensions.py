r"""Measures side by side: ``10 ft x 18 ft``, ``10 \times 18 \text{ feet}``, ``18 \text{ ft by } 10 \text{ ft}``.

Each part has a length; one without a unit has that of the last. In which order they stand does not count. What is no
such text on both sides is not compared here: ``10 \times 18`` alone is a product.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from verifiers.math.algebra.decision import Decision
from verifiers.math.reading.form import Form, form
from verifiers.math.reading.unit import factor

MOST = 3
LONGEST = 160
_BY = re.compile(
    r"\s?(?:\\times(?![A-Za-z])|(?<=[\d} ])[xX](?=[\s\d])|\\text\s?\{\s?(?:by|[xX])\s?\}|(?<=[\s}])by(?=\s))\s?"
)
# 10 \\text{ft by} 18 \\text{ft}
_WITHIN = re.compile(r"\\text\s?\{([^{}]{1,20}?) (by|x)\s?\}")


def same_dimensions(answer: Form, reference: Form, equal: Callable[[Form, Form], Decision | None]) -> Decision | None:
    """Equal, or None where they are not, or one is not such a text."""
    theirs = _measures(reference.text)
    ours = None if theirs is None else _measures(answer.text)
    if ours is None or theirs is None or len(ours) != len(theirs):
        return None
    for one in theirs:
        match = next((place for place, other in enumerate(ours) if _is_equal(equal(other, one))), None)
        if match is None:
            return None
        del ours[match]
    return Decision(True, "equal_parts")


def _is_equal(found: Decision | None) -> bool:
    return found is not None and found.equal


def _measures(text: str) -> list[Form] | None:
    # one of these stands between any two, and is looked for faster
    if len(text) > LONGEST or not ("x" in text or "\\times" in text or "by" in text or "X" in text):
        return None
    parts = _BY.split(_WITHIN.sub(r"\\text{\1} \\text{\2}", text))
    if not 1 < len(parts) <= MOST or not all(parts):
        return None
    *others, last = [form(part) for part in parts]
    # a length, whatever the unit
    if not last.unit or factor(last.unit, "m") is None:
        return None
    found = [one if one.unit else form(f"{one.text} \\text{{ {last.unit}}}") for one in others]
    return [*found, last] if all(factor(one.unit, "m") is not None for one in found if one.unit) else None
