"""The trace that the caller is in, for what he asks of others: W3C's ``traceparent``, and its ``tracestate``, if any.

OpenTelemetry is no dependency: who has not imported it is in no trace. Nothing else of the caller's context is sent on.
"""

from __future__ import annotations

import sys


def trace_headers() -> dict[str, str]:
    """Headers that name the current span; none outside of a trace."""
    if "opentelemetry.trace" not in sys.modules:
        return {}
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    headers: dict[str, str] = {}
    TraceContextTextMapPropagator().inject(headers)
    return headers
