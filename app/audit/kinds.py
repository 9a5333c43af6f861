"""Each kind of audit with what carries it out: a specification and the means in, a report out.

What an audit cannot do with what it was given (no labels, one class only, unknown names) it says with
:class:`~trueward.errors.InvalidRequest`: the audit has failed, and its ``failure`` is that sentence.
"""

from __future__ import annotations

from app.audit.bench.audit import bench
from app.audit.consensus import consensus
from app.audit.exploit.audit import exploit
from app.audit.labelled.audit import labelled
from app.audit.metamorphic.audit import metamorphic
from app.audit.reverify.audit import reverify
from app.audit.work import Work
from trueward.audits import (
    AuditReport,
    AuditSpec,
    BenchAudit,
    ConsensusAudit,
    ExploitAudit,
    LabelledAudit,
    MetamorphicAudit,
)


async def carry_out(spec: AuditSpec, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` where the audit cannot be done with what it was given."""
    match spec:
        case LabelledAudit():
            return await labelled(spec, work)
        case ConsensusAudit():
            return await consensus(spec, work)
        case MetamorphicAudit():
            return await metamorphic(spec, work)
        case ExploitAudit():
            return await exploit(spec, work)
        case BenchAudit():
            return await bench(spec, work)
    return await reverify(spec, work)
