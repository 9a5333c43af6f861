"""What recipes must know of a verifier: is it a plain yes or no, and are its scores bounded?

The rewards know no verifier, so the application passes what verifiers declare (their ``scale``); one that nobody
speaks for is taken for a yes or no with scores in [0, 1].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Facts(NamedTuple):
    """``binary``: its outcomes are correct, incorrect and invalid alone; ``bounded``: scores lie in [0, 1].

    ``asks``: whether it asks a model; None where that is not known, or depends on its parameters. ``reads``: fields of
    the sample that it always needs.
    """

    binary: bool = True
    bounded: bool = True
    asks: bool | None = None
    reads: tuple[str, ...] = ()


CONTROLS: Mapping[str, Facts] = {
    "random": Facts(asks=False),
    "constant": Facts(binary=False, bounded=False, asks=False),
}
"""Of what stands in the place of a verifier."""


def facts_of(verifier: str, facts: Mapping[str, Facts]) -> Facts:
    return facts.get(verifier, Facts())
