"""What the doctor looks at: the newest records of a run, each reduced to what the faults are told by. Read-only."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from trueward.numerals import share
from trueward.wire.diagnosis import RunFault
from trueward.wire.verdict import Outcome

SHOWN = 3
"""Records that a fault names."""


@dataclass(frozen=True, slots=True)
class Content:
    """What a sample's text says, without the text: ``forms`` are the forms in which it marks an answer."""

    length: int
    digest: str
    forms: frozenset[str]
    finish_reason: str | None
    tokens: int | None


@dataclass(frozen=True, slots=True)
class Seen:
    """A record: of a reward, or of a verdict where the run has no rewards. ``content`` is None where the sample is
    gone, or too long to be read; ``said_by`` are the records of the verdicts that it was made of."""

    record: str
    sample: str
    outcome: Outcome
    reason_code: str
    reason: str
    reward: float | None
    group: Hashable = None
    prompt: str | None = None
    source: str | None = None
    components: Mapping[str, float | None] | None = None
    said_by: Sequence[str] = ()
    content: Content | None = None

    def is_judged(self) -> bool:
        """Whether the response was judged by its content."""
        return self.outcome is not Outcome.INVALID and not self.outcome.missing

    def is_paid(self, term: str) -> bool:
        """Whether the component of a term is above 0."""
        return ((self.components or {}).get(term) or 0.0) > 0


@dataclass(frozen=True)
class Summary:
    """``records`` are the newest first, of ``total``; ``evaluated``: of evaluations, for the run has no others.

    ``reads`` is the rule of extraction of whoever found no answer,
    ``penalties`` the components whose weight is negative, so that 0 is their best, ``fallbacks`` by record each term
    that was paid by a fallback, with the fallback's verifier."""

    run: str
    records: Sequence[Seen]
    total: int
    evaluated: bool = False
    reads: Sequence[str] = ()
    penalties: frozenset[str] = frozenset()
    fallbacks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @cached_property
    def groups(self) -> list[list[Seen]]:
        """Those with several members."""
        found: dict[Hashable, list[Seen]] = {}
        for one in self.records:
            if one.group is not None:
                found.setdefault(one.group, []).append(one)
        return [members for members in found.values() if len(members) > 1]

    def where(self, holds: Callable[[Seen], bool]) -> list[Seen]:
        return [one for one in self.records if holds(one)]

    def share(self, some: Sequence[object]) -> float:
        """Of the records."""
        return len(some) / len(self.records) if self.records else 0.0

    def fault(self, kind: str, some: Sequence[Seen], sentence: str, advice: str) -> RunFault:
        """One that concerns ``some`` of the records; the sentence goes on behind their share."""
        told = f"{share(self.share(some))} {sentence}"
        return RunFault(
            kind=kind,
            sentence=told,
            advice=advice,
            count=len(some),
            of=len(self.records),
            cost=self.share(some),
            records=names(some),
        )


def names(some: Sequence[Seen]) -> list[str]:
    """The records that are shown."""
    return [one.record for one in some[:SHOWN]]
