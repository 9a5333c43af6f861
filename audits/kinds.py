"""Each kind of audit with what carries it out: a specification and the means in, a report out.

A kind is a function ``async (spec, work) -> AuditReport``. It is imported when it is first asked for, in a thread: with
the statistics that it needs that takes a second, which neither the service's start nor the requests beside it should
wait for. Packages bring theirs as entry points of the group ``trueward.audits``, which
:class:`~trueward.wire.audit.PluginAudit` names.

What an audit cannot do with what it was given (no labels, one class only, unknown names) it says with
:class:`~trueward.errors.InvalidRequest`: the audit has failed, and its ``failure`` is that sentence.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from audits.ports import Work
from trueward.errors import InvalidRequest
from trueward.plugins import Kind, list_built_in, list_installed, no_function
from trueward.wire.audit import AuditReport, AuditSpec, PluginAudit

GROUP = "trueward.audits"


def _unknown(sentence: str) -> InvalidRequest:
    return InvalidRequest.at_field("audit.plugin", "unknown_audit", sentence)


AUDITS: Kind[Callable[[Any, Work], Awaitable[AuditReport]]] = Kind(
    "audit",
    list_built_in(
        GROUP,
        {
            "bench": "audits.bench.audit:bench",
            "consensus": "audits.consensus:consensus",
            "exploit": "audits.exploit.audit:exploit",
            "labelled": "audits.labelled.audit:labelled",
            "metamorphic": "audits.metamorphic.audit:metamorphic",
            "reverify": "audits.reverify.audit:reverify",
        },
    ),
    list_installed(GROUP),
    no_function,
    raises=_unknown,
)
"""By name."""


def refuse_unknown(spec: AuditSpec) -> None:
    """Raises :class:`InvalidRequest` for a plug-in that is not there. Nothing is imported."""
    if isinstance(spec, PluginAudit) and spec.plugin not in AUDITS.plugins():
        brought = ", ".join(AUDITS.plugins()) or "none"
        raise _unknown(f"no plug-in brings an audit {spec.plugin!r}; there is: {brought}")


async def carry_out(spec: AuditSpec, work: Work) -> AuditReport:
    """Raises :class:`InvalidRequest` where the audit cannot be done with what it was given."""
    refuse_unknown(spec)
    kind = await asyncio.to_thread(AUDITS.get, spec.plugin if isinstance(spec, PluginAudit) else spec.kind)
    return await kind(spec, work)
