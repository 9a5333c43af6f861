"""Traces of requests in OpenTelemetry's terms. Where none are wanted nothing of it is loaded, and asking costs a look.

A request that is traced has its span in the context of its task (:func:`current`); what begins there hangs below it
(:func:`span`), in other tasks too, as contexts are inherited. Attributes hold counts, names and ids: never text of a
sample, a key, or the query of a URL, and of an exception its type alone. Where spans go is said by the standard
``OTEL_`` variables. Not here: traces of jobs, which no request waits for.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from typing import TYPE_CHECKING, Literal, Self

from app.version import VERSION
from trueward.errors import NotInstalled

if TYPE_CHECKING:
    from opentelemetry import trace
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace.export import SpanExporter

INSTALL = "pip install -e '.[otel]'"
MOST_SPANS = 256
"""Of one request: a batch may ask a model thousands of questions. What is left out is counted on the request's span."""

Attribute = str | bool | int | float | Sequence[str]
Kind = Literal["internal", "server", "client"]
_current: ContextVar[Span | None] = ContextVar("span", default=None)
_NOTHING: AbstractContextManager[None] = nullcontext()


class _Allowance:
    """How many spans a request may still have, and how many it did without."""

    __slots__ = ("left", "left_out")

    def __init__(self) -> None:
        self.left = MOST_SPANS
        self.left_out = 0


class Span:
    """A span that is recorded. :meth:`end` it once."""

    __slots__ = ("_allowance", "_span", "_tracer")

    def __init__(self, tracer: trace.Tracer, span: trace.Span, allowance: _Allowance) -> None:
        self._tracer = tracer
        self._span = span
        self._allowance = allowance

    @property
    def trace_id(self) -> str:
        """32 hexadecimal digits."""
        return f"{self._span.get_span_context().trace_id:032x}"

    def set(self, attributes: Mapping[str, Attribute]) -> None:
        self._span.set_attributes(attributes)

    def rename(self, name: str) -> None:
        self._span.update_name(name)

    def link(self, other: Span) -> None:
        self._span.add_link(other._span.get_span_context())

    def mark_failed(self, why: str) -> None:
        from opentelemetry.trace import Status, StatusCode

        self._span.set_attribute("error.type", why)
        self._span.set_status(Status(StatusCode.ERROR, why))

    def end(self, at_ns: int | None = None) -> None:
        """``at_ns``: since the epoch, where it was over before."""
        self._span.end(at_ns)

    def begin(self, name: str, links: Sequence[Span] = (), kind: Kind = "internal") -> Span | None:
        """One below this; None where the request has had its :data:`MOST_SPANS`."""
        from opentelemetry import trace

        if not self._allowance.left:
            self._allowance.left_out += 1
            return None
        self._allowance.left -= 1
        begun = self._tracer.start_span(
            name,
            trace.set_span_in_context(self._span),
            trace.SpanKind[kind.upper()],
            links=[trace.Link(other._span.get_span_context()) for other in links],
        )
        return Span(self._tracer, begun, self._allowance)

    @contextmanager
    def enter(self) -> Iterator[Self]:
        """What begins in the block hangs below this, and outgoing calls name it."""
        from opentelemetry import context, trace

        ours = _current.set(self)
        theirs = context.attach(trace.set_span_in_context(self._span))
        try:
            yield self
        finally:
            context.detach(theirs)
            _current.reset(ours)

    @contextmanager
    def open_below(self, name: str, attributes: Mapping[str, Attribute], kind: Kind) -> Iterator[Span | None]:
        """One below this for as long as the block; it fails where the block raises."""
        begun = self.begin(name, kind=kind)
        if begun is None:
            yield None
            return
        begun.set(attributes)
        try:
            with begun.enter():
                yield begun
        except BaseException as failure:  # raised again
            begun.mark_failed(type(failure).__name__)
            raise
        finally:
            begun.end()


current = _current.get
"""What is under way here, where it is traced: a span, or None."""


def span(
    name: str, attributes: Mapping[str, Attribute] | None = None, kind: Kind = "internal"
) -> AbstractContextManager[Span | None]:
    """A span below the current one for as long as the block; nothing where nothing is traced."""
    parent = _current.get()
    return _NOTHING if parent is None else parent.open_below(name, attributes or {}, kind)


@contextmanager
def share_span(name: str, of: Sequence[Span], attributes: Mapping[str, Attribute]) -> Iterator[None]:
    """Work that several wait for: a span below the first of them, linked with the others both ways."""
    begun = of[0].begin(name, of[1:]) if of else None
    if begun is None:
        yield
        return
    begun.set(attributes)
    for other in of[1:]:
        other.link(begun)
    try:
        yield
    finally:
        begun.end()


class Tracing:
    """Begins the spans of requests, for a ``share`` of the traces, and sends them on. An async context manager.

    A trace that the caller has sampled is traced by the same share of its id, and one that it has not, never: no caller
    can make the service trace more than the setting says. Raises :class:`NotInstalled` without the extra ``otel``.
    """

    def __init__(self, share: float) -> None:
        try:
            from opentelemetry.sdk.trace import TracerProvider
            from opentelemetry.sdk.trace.export import BatchSpanProcessor
            from opentelemetry.sdk.trace.sampling import ParentBased, TraceIdRatioBased

            exporter = otlp_exporter()
        except ImportError as missing:
            raise NotInstalled(
                f"TRUEWARD_TRACES needs {missing.name}, which is not installed here: {INSTALL}"
            ) from None
        by_id = TraceIdRatioBased(share)
        sampler = ParentBased(root=by_id, remote_parent_sampled=by_id)
        self._provider = TracerProvider(sampler=sampler, resource=_resource(), shutdown_on_exit=False)
        self._provider.add_span_processor(BatchSpanProcessor(exporter))
        self._tracer = self._provider.get_tracer("trueward", VERSION)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *failure: object) -> None:
        # it waits for the last spans to be sent
        await asyncio.to_thread(self._provider.shutdown)

    def request(self, headers: Sequence[tuple[bytes, bytes]]) -> Request | None:
        """The span of a request with these headers, entered; None where it is not sampled."""
        from opentelemetry import trace
        from opentelemetry.context import Context
        from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

        carried = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers if name in _CARRIED}
        parent = TraceContextTextMapPropagator().extract(carried, Context())
        begun = self._tracer.start_span("request", parent, trace.SpanKind.SERVER)
        if not begun.is_recording():
            return None
        allowance = _Allowance()
        return Request(Span(self._tracer, begun, allowance), allowance)


_CARRIED = frozenset({b"traceparent", b"tracestate"})


class Request:
    """The span of a request, from :meth:`Tracing.request` to :meth:`end`, in the same task."""

    def __init__(self, span: Span, allowance: _Allowance) -> None:
        self._span = span
        self._allowance = allowance
        self._entered = span.enter()
        self._entered.__enter__()

    def end(self, method: str, route: str, status: int, attributes: Mapping[str, Attribute]) -> None:
        self._entered.__exit__(None, None, None)
        told: dict[str, Attribute] = {"http.request.method": method, "http.route": route}
        told |= {"http.response.status_code": status, **attributes}
        if self._allowance.left_out:
            told["trueward.spans_left_out"] = self._allowance.left_out
        self._span.set(told)
        self._span.rename(f"{method} {route}")
        if status >= 500:
            self._span.mark_failed(str(status))
        self._span.end()


def otlp_exporter() -> SpanExporter:
    """OTLP over HTTP; endpoint, headers, timeout and compression are those of the ``OTEL_EXPORTER_OTLP_`` variables."""
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

    return OTLPSpanExporter()


def _resource() -> Resource:
    """Who speaks: as ``OTEL_SERVICE_NAME`` and ``OTEL_RESOURCE_ATTRIBUTES`` say, else ``trueward``."""
    from opentelemetry.sdk.resources import Resource

    made = Resource.create({"service.version": VERSION})
    if str(made.attributes["service.name"]).startswith("unknown_service"):
        return made.merge(Resource({"service.name": "trueward"}))
    return made
