"""The orders in which a list of responses is shown: drawn from the responses themselves, each beside its reverse.

They depend on the set of responses and the seed, not on who of them is judged: equal questions are equal.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from random import Random


def orders(texts: Sequence[str], count: int, seed: int | None) -> list[list[int]]:
    """``count`` orders of the texts' positions; every second one is the one before, reversed."""
    drawn: list[list[int]] = []
    for number in range(count):
        drawn.append(drawn[-1][::-1] if number % 2 else _drawn(texts, seed, number))
    return drawn


def _drawn(texts: Sequence[str], seed: int | None, number: int) -> list[int]:
    order = sorted(range(len(texts)), key=lambda place: texts[place])
    of_texts = hashlib.blake2b("\0".join(texts[place] for place in order).encode(errors="replace"), digest_size=16)
    Random(f"{seed} {number} {of_texts.hexdigest()}").shuffle(order)
    return order
