"""Samples that are too long to be looked at in the event loop: a worker reads them, and can be killed.

Whatever a verifier does with a text before it may take a worker costs up to some tenths of a microsecond a character,
where a policy tries for it. What is longer than :data:`LONGEST` travels as it came. Not here: what needs the sandbox or
a model; its triage is done in a thread, for its task has to come back.
"""

from __future__ import annotations

from dataclasses import dataclass

from trueward.blame import PLAIN_CONTROLS
from trueward.wire.sample import Sample

LONGEST = 16_000
"""Bytes of a sample's content; three to five milliseconds of the worst that we found."""


@dataclass(frozen=True, slots=True)
class LongSample:
    """The task of a worker that has the triage to do as well; ``content`` is the sample's JSON without its identity."""

    content: str

    def sample(self) -> Sample:
        return Sample.model_validate_json(self.content)


def with_control(sample: Sample) -> Sample:
    """The sample with a response that costs nothing: what it takes is its reference's doing."""
    return sample.model_copy(update={"response": PLAIN_CONTROLS[0], "reasoning": None})
