"""Each kind of audit with what carries it out: a specification and the means in, a report out.

A kind is imported when it is first asked for, in a thread: with the statistics that it needs that takes a second, which
neither the service's start nor the requests beside it should wait for.

What an audit cannot do with what it was given (no labels, one class only, unknown names) it says with
:class:`~trueward.errors.InvalidRequest`: the audit has failed, and its ``failure`` is that sentence.
"""

from __future__ import annotations

import asyncio
from pkgutil import resolve_name

from audits.work import Work
from trueward.audits import AuditReport, AuditSpec

KINDS = {
    "bench": "audits.bench.audit:bench",
    "consensus": "audits.consensus:consensus",
    "exploit": "audits.exploit.audit:exploit",
    "labelled": "audits.labelled.audit:labelled",
    "metamorphic": "audits.metamorphic.audit:metamorphic",
    "reverify": "audits.reverify.audit:reverify",
}


async def carry_out(spec: AuditSpec, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` where the audit cannot be done with what it was given."""
    kind = await asyncio.to_thread(resolve_name, KINDS[spec.kind])
    report: AuditReport = await kind(spec, work)
    return report
