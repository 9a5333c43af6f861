"""One kind of fault a function: from the summary of a run to what is wrong. Pure; ``FAULTS`` has all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.diagnosis.faults.groups import flat_groups, one_reward, same_responses, shared_response
from app.diagnosis.faults.invalid import known_causes, no_answer, other_invalid
from app.diagnosis.faults.length import cut_responses
from app.diagnosis.faults.missing import missing_causes, missing_references, unreadable_references
from app.diagnosis.faults.terms import unpaid_components
from app.diagnosis.summary import Summary
from trueward.diagnosis import RunFault

FAULTS: tuple[Callable[[Summary], Iterator[RunFault]], ...] = (
    no_answer,
    known_causes,
    other_invalid,
    cut_responses,
    missing_references,
    unreadable_references,
    missing_causes,
    unpaid_components,
    flat_groups,
    one_reward,
    same_responses,
    shared_response,
)


def faults_of(summary: Summary) -> list[RunFault]:
    """The most costly first; of equal ones the cause before what follows from it."""
    found = [fault for look in FAULTS for fault in look(summary)]
    return sorted(found, key=lambda fault: -fault.cost)
