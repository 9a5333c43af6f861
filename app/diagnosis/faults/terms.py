"""A component that paid nobody: a term that never speaks teaches nothing.

Looked at where something was judged: where nothing was, that is what is wrong.
"""

from __future__ import annotations

from collections.abc import Iterator

from app.diagnosis.summary import Seen, Summary, names
from trueward.diagnosis import RunFault
from trueward.numerals import number

_FEWEST = 64
_TERMS = 2
"""Components from which one of them is worth a word: the only one is the reward itself."""


def unpaid_components(summary: Summary) -> Iterator[RunFault]:
    every = dict.fromkeys(name for one in summary.records for name in one.components or {})
    if len(every) < _TERMS:
        return
    judged = summary.where(Seen.judged)
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
