"""Hedging: giving many candidates in the final sentence is no answer. A policy that a verifier's parameters name.

The verifier says what counts as equal and whether a reference has several parts; this module decides.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum

from verifiers.extract.answer import Answer, NoAnswer

CANDIDATES = 3
"""From how many mutually inequivalent boxes on a response hedges."""


class Hedge(StrEnum):
    """What becomes of several boxes (or listed formulas) in the final sentence or line.

    ``parts``: side by side they are one answer in parts; three or more different ones are hedged, unless they are
    parts and the reference has several. ``strict``: three or more are hedged, whatever the reference. ``last``:
    the last box alone is the answer.
    """

    PARTS = "parts"
    STRICT = "strict"
    LAST = "last"


def settle(
    answer: Answer, hedge: Hedge, *, several: bool, equal: Callable[[str, str], bool | None]
) -> Answer | NoAnswer:
    """The answer to compare, or ``hedged``.

    ``several`` says that some reference has more than one part. ``equal`` compares two candidates; None (it cannot
    tell) counts as equal, so that nobody is called a hedger without proof. At most ``2 * MOST`` comparisons.
    Parts that are all equal are one answer said again, unless the reference has several parts and they are single.
    """
    if not answer.candidates:
        return answer
    if hedge is Hedge.LAST:
        return _last(answer)
    different = _different(answer.candidates, equal)
    if different >= CANDIDATES and not (several and answer.parts and hedge is Hedge.PARTS):
        return NoAnswer("hedged", f"the final sentence gives {different} or more different answers", answer.span)
    # (1, 2) and (2, 1) said one after the other are one list, but 1 and 1 may be x and y
    again = different == 1 and (not several or "," in answer.candidates[-1])
    return _last(answer) if again else answer


def _last(answer: Answer) -> Answer:
    if not answer.parts:
        return answer
    last = answer.parts[-1]
    span = (answer.span[1] - len(last), answer.span[1]) if answer.span else None
    return replace(answer, text=last, span=span, parts=(), labels=())


def _different(candidates: tuple[str, ...], equal: Callable[[str, str], bool | None]) -> int:
    """How many mutually inequivalent candidates there are, counted up to :data:`CANDIDATES`."""
    kinds: list[str] = []
    for candidate in dict.fromkeys(candidates):
        if all(equal(candidate, kind) is False for kind in kinds):
            kinds.append(candidate)
            if len(kinds) == CANDIDATES:
                break
    return len(kinds)
