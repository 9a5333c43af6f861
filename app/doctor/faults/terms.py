"""Components that pay nobody, or by another verifier than the one that they are called by."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from app.doctor.summary import Seen, Summary, names
from trueward.numerals import number, share
from trueward.wire.diagnosis import RunFault

_FEWEST = 64
_TERMS = 2
"""Components from which one of them is worth a word: the only one is the reward itself."""


_MOSTLY = 0.5


def unpaid_components(summary: Summary) -> Iterator[RunFault]:
    """A term that never speaks teaches nothing. Where nothing was judged, that is what is wrong."""
    every = dict.fromkeys(name for one in summary.records for name in one.components or {})
    if len(every) < _TERMS:
        return
    judged = summary.where(Seen.is_judged)
    for name in every:
        known = [one for one in judged if one.components and one.components.get(name) is not None]
        paid = [one for one in known if (one.components or {})[name]]
        if len(known) < _FEWEST or paid or name in summary.penalties:
            continue
        yield RunFault(
            kind="unpaid_component",
            sentence=f"component `{name[:60]}` paid nobody in {number(len(known))} records",
            advice="ask for what it pays in the prompt, or take the term out: it changes no advantage",
            count=len(known),
            of=len(summary.records),
            cost=0.0,
            records=names(known),
        )


def paid_by_fallback(summary: Summary) -> Iterator[RunFault]:
    """A fallback is for what the verifier misses at times. Where it pays most of the rewards, it is what the policy
    learns from, and it is mostly the one that is easier to please."""
    for (term, verifier), count in Counter(
        pair for one in summary.records for pair in summary.fallbacks.get(one.record, {}).items()
    ).items():
        paid = [one for one in summary.records if one.is_paid(term)]
        if len(paid) < _FEWEST or count <= _MOSTLY * len(paid):
            continue
        some = [one for one in paid if summary.fallbacks.get(one.record, {}).get(term) == verifier]
        yield RunFault(
            kind="paid_by_fallback",
            sentence=(
                f"{share(count / len(paid))} of the responses that `{term[:60]}` pays are paid by its fallback "
                f"`{verifier[:60]}`: the verifier itself did not accept them"
            ),
            advice=(
                "look at some of them: the policy learns whichever of the two is easier to please. "
                "Where they are wrong, make the fallback stricter or take it out of the recipe"
            ),
            count=count,
            of=len(paid),
            cost=summary.share(some),
            records=names(some),
        )
