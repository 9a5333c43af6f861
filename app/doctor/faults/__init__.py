"""One kind of fault a function: from the summary of a run to what is wrong. Pure; ``FAULTS`` has all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from app.doctor.faults.groups import flat_groups, one_reward, same_responses, shared_response
from app.doctor.faults.invalid import invalid_causes, no_answer, other_invalid
from app.doctor.faults.length import cut_responses
from app.doctor.faults.missing import missing_causes, missing_references, unreadable_references
from app.doctor.faults.terms import paid_by_fallback, unpaid_components
from app.doctor.summary import Summary
from trueward.wire.diagnosis import RunFault

FAULTS: tuple[Callable[[Summary], Iterator[RunFault]], ...] = (
    no_answer,
    invalid_causes,
    other_invalid,
    cut_responses,
    missing_references,
    unreadable_references,
    missing_causes,
    unpaid_components,
    paid_by_fallback,
    flat_groups,
    one_reward,
    same_responses,
    shared_response,
)


def faults_of(summary: Summary) -> list[RunFault]:
    """The most costly first; of equal ones the cause before what follows from it."""
    found = [fault for look in FAULTS for fault in look(summary)]
    return sorted(found, key=lambda fault: -fault.cost)
