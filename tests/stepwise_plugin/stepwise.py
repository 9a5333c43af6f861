"""A plug-in of two versions that judges steps. Only tests load it.

A response, and each step, is a number: right where it is even, and since version 2 where it is a multiple of 4. Its
evidence has a score for each of ``metadata.steps``. ``STEPWISE_VERSION`` says which version it is.
"""

from __future__ import annotations

import os
from typing import ClassVar

from trueward import Example, Sample, SampleVerifier, Verdict

_VERSION = os.environ.get("STEPWISE_VERSION", "1")
_DIVISOR = {"1": 2, "2": 4}[_VERSION]


def _divides(text: str) -> bool:
    return int(text.split()[-1]) % _DIVISOR == 0


class Stepwise(SampleVerifier):
    name: ClassVar[str] = "stepwise"
    version: ClassVar[str] = _VERSION
    summary: ClassVar[str] = "Even numbers, or multiples of 4, step by step"
    needs: ClassVar[tuple[str, ...]] = ("response",)
    examples: ClassVar[tuple[Example, ...]] = (Example(sample=Sample(response="8"), outcome="correct"),)

    def verify_one(self, sample: Sample) -> Verdict:
        steps = (sample.metadata or {}).get("steps")
        listed = steps if isinstance(steps, list) else []
        evidence = {"steps": [0.9 if _divides(str(step)) else 0.1 for step in listed]} if listed else {}
        if _divides(sample.response_text):
            return Verdict.correct("divides", evidence=evidence)
        return Verdict.incorrect("leaves_a_rest", evidence=evidence)
