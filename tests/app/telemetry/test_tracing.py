"""Traces of a service in this process, into memory: what hangs below what, what it says, and what it never says."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import httpx2
import pytest
from aiohttp import web
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from starlette.types import Receive, Scope, Send

from app.main import create_app
from app.settings import Settings
from app.telemetry import tracing
from app.telemetry.tracing import MOST_SPANS, Tracing
from judges.questions import Classify
from tests.judges.remote.asking import far
from tests.judges.remote.fake import Fake
from trueward.errors import NotInstalled
from trueward.tracing import trace_headers

PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
UNSAMPLED = PARENT[:-1] + "0"
SECRET = "sevenhundredandtwentynine"


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> InMemorySpanExporter:
    """What is traced while the test runs; spans arrive when their tracing is left."""
    exporter = InMemorySpanExporter()
    monkeypatch.setattr(tracing, "otlp_exporter", lambda: exporter)
    # it keeps what it has when it is shut down, and would take no more
    monkeypatch.setattr(exporter, "shutdown", lambda: None)
    return exporter


@asynccontextmanager
async def service(data_dir: Path, traces: float = 1.0) -> AsyncIterator[httpx2.AsyncClient]:
    app = create_app(Settings(data_dir=data_dir, workers=1, traces=traces))
    async with app.router.lifespan_context(app) as state:

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state or {})}, receive, send)

        transport = httpx2.ASGITransport(app=answer, raise_app_exceptions=False)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60.0) as http:
            yield http


@contextmanager
def request(share: float = 1.0, headers: Sequence[tuple[bytes, bytes]] = ()) -> Iterator[tracing.Span | None]:
    """A traced request, ended and sent with the block."""
    made = Tracing(share)
    begun = made.request(headers)
    try:
        yield tracing.current()
    finally:
        if begun is not None:
            begun.end("POST", "/v1/verify", 200, {})
        made._provider.shutdown()


def below(spans: Sequence[ReadableSpan], parent: ReadableSpan) -> dict[str, ReadableSpan]:
    return {
        span.name: span for span in spans if span.parent is not None and span.parent.span_id == parent.context.span_id
    }


async def test_a_request_is_traced_from_its_caller_to_the_ledger(tmp_path: Path, sent: InMemorySpanExporter) -> None:
    samples = [
        {"prompt": "What?", "response": rf"\boxed{{{SECRET} + x}}", "reference": "x"},
        {"prompt": "What?", "response": r"\boxed{1/2}", "reference": "0.5"},
        {"prompt": "What?", "response": r"\boxed{\sin^2 x + \cos^2 x}", "reference": "1"},
    ]
    async with service(tmp_path) as http:
        headers = {"traceparent": PARENT, "X-Request-Id": "mine"}
        said = await http.post(
            "/v1/rewards?key=" + SECRET, json={"recipe": "math", "samples": samples}, headers=headers
        )
        assert said.status_code == 200
    spans = sent.get_finished_spans()
    [root] = [span for span in spans if span.name == "POST /v1/rewards"]
    assert root.parent is not None
    assert f"{root.context.trace_id:032x}-{root.parent.span_id:016x}" == PARENT[3:-3]
    assert dict(root.attributes or {}) == {
        "http.request.method": "POST",
        "http.route": "/v1/rewards",
        "http.response.status_code": 200,
        "trueward.request_id": "mine",
    }
    children = below(spans, root)
    assert set(children) == {"admit", "lane cpu", "ledger"}
    told = dict(children["lane cpu"].attributes or {})
    assert told["trueward.samples"] == 3
    assert sum(count for name, count in told.items() if name.startswith("trueward.outcome.")) == 3  # type: ignore[misc]
    assert told["trueward.outcome.correct"] == 2
    assert float(told["trueward.work_s"]) > 0  # type: ignore[arg-type]
    assert set(below(spans, children["ledger"])) == {"ledger commit"}
    everything = json.dumps([span.to_json() for span in spans])
    assert SECRET not in everything
    assert "sin" not in everything


@pytest.mark.parametrize(("share", "headers"), [(1.0, {"traceparent": UNSAMPLED}), (1e-9, {"traceparent": PARENT})])
async def test_what_is_not_sampled_leaves_nothing(
    share: float, headers: dict[str, str], tmp_path: Path, sent: InMemorySpanExporter
) -> None:
    """Neither what the caller does not sample, nor all that he does."""
    async with service(tmp_path, share) as http:
        sample = {"response": "1", "reference": "1"}
        said = await http.post("/v1/verify", json={"verifier": "exact", "samples": [sample]}, headers=headers)
        assert said.status_code == 200
    assert sent.get_finished_spans() == ()


async def test_a_request_that_fails_is_marked_without_its_words(
    tmp_path: Path, sent: InMemorySpanExporter, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError(SECRET)

    monkeypatch.setattr("app.path.path.admit_paced", fail)
    async with service(tmp_path) as http:
        body = {"verifier": "exact", "samples": []}
        said = await http.post("/v1/verify", json=body, headers={"X-Request-Id": "mine"})
    assert said.status_code == 500
    assert said.headers["x-request-id"] == said.json()["request_id"] == "mine"
    named = {span.name: span.status for span in sent.get_finished_spans()}
    assert named["admit"].description == "RuntimeError"
    assert not named["POST /v1/verify"].is_ok
    assert SECRET not in json.dumps([span.to_json() for span in sent.get_finished_spans()])


def test_a_request_has_no_end_of_spans(sent: InMemorySpanExporter) -> None:
    with request():
        for _ in range(MOST_SPANS + 10):
            with tracing.span("one"):
                pass
    *others, root = sent.get_finished_spans()
    assert len(others) == MOST_SPANS
    assert (root.attributes or {})["trueward.spans_left_out"] == 10


def test_what_several_wait_for_is_linked_with_all_of_them(sent: InMemorySpanExporter) -> None:
    made = Tracing(1.0)
    waiting = []
    for _ in range(3):
        begun = made.request(())
        waiting.append(tracing.current())
        if begun is not None:
            begun._entered.__exit__(None, None, None)
    spans = [span for span in waiting if span is not None]
    with tracing.share_span("commit", spans, {"trueward.entries": 3}):
        pass
    for span in spans:
        span.end()
    made._provider.shutdown()
    commit, first, *others = sent.get_finished_spans()
    assert commit.parent is not None
    assert commit.parent.span_id == first.context.span_id
    assert [link.context.span_id for link in commit.links] == [other.context.span_id for other in others]
    assert all(other.links[0].context.span_id == commit.context.span_id for other in others)


async def test_another_model_server_is_told_of_the_trace(sent: InMemorySpanExporter) -> None:
    told: list[str | None] = []

    class Listening(Fake):
        async def handle(self, request: web.Request) -> web.StreamResponse:
            told.append(request.headers.get("traceparent"))
            return await super().handle(request)

    fake = Listening().on("/classify", lambda _: {"data": [{"probs": [1.0]}]})
    with request() as span:
        assert span is not None
        async with far("vllm", fake) as model:
            with tracing.span("model call", kind="client"):
                await model.ask(Classify("four"))
    [call] = [found for found in sent.get_finished_spans() if found.name == "model call"]
    assert told
    name = f"00-{span.trace_id}-{call.context.span_id:016x}-"
    assert any(header is not None and header.startswith(name) for header in told)


def test_nothing_is_told_outside_of_a_trace() -> None:
    assert trace_headers() == {}
    assert tracing.current() is None


def test_without_the_extra_the_install_line_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ModuleNotFoundError("No module", name="opentelemetry.exporter")

    monkeypatch.setattr(tracing, "otlp_exporter", missing)
    with pytest.raises(NotInstalled, match=r"pip install -e '\.\[otel\]'"):
        Tracing(1.0)
