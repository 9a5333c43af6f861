"""Confidences that responses state are taken off them, where the recipe has a verifier that reads them.

So a reward model does not see what is priced beside it. The statement moves to the sample's metadata: what is recorded
is what verifiers saw, and judging it again finds the same.
"""

from __future__ import annotations

from collections.abc import Sequence

from app.scoring.plan import Plan
from trueward.types import Sample
from verifiers.stated_confidence import StatedConfidenceVerifier


def told_apart(plan: Plan, samples: Sequence[Sample]) -> Sequence[Sample]:
    """The samples, in order; the same ones where the recipe reads no statement."""
    readers = {one: found for one, found in plan.verifiers.items() if isinstance(found, StatedConfidenceVerifier)}
    if not readers:
        return samples
    found = []
    for sample in samples:
        course = plan.recipe.course_of(sample)
        asked = course.judgements.values() if course is not None else ()
        reader = next((readers[one] for one in asked if one in readers), None)
        found.append(reader.told_apart(sample) if reader is not None else sample)
    return found
