"""The toy task of effects 1 and 2: the second smallest and the second largest of five digits, in two digits.

In its two-form version an answer may have a plus before it, and the warm-up teaches both forms alike. Half of what it
teaches are two digits at random: the policy then knows the forms long before it knows the answers.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from benchmarks.science.toy import Toy

TAUGHT = 0.5


def _problem(draw: random.Random) -> tuple[str, str]:
    digits = draw.choices("0123456789", k=5)
    _, low, _, high, _ = sorted(digits)
    return "".join(digits) + "=", low + high


def _plain(draw: random.Random, prompt: str, reference: str) -> str:
    return reference if draw.random() < TAUGHT else f"{draw.randrange(100):02d}"


def _either(draw: random.Random, prompt: str, reference: str) -> str:
    return draw.choice(("", "+")) + _plain(draw, prompt, reference)


def _one(reference: str) -> Sequence[str]:
    return (reference,)


def _both(reference: str) -> Sequence[str]:
    return (reference, "+" + reference)


PLAIN = Toy("extremes", _problem, _plain, _one, 2)
TWO_FORMS = Toy("extremes-two-forms", _problem, _either, _both, 3)
