"""What a request leaves behind on a live service: its id, its line in the log, its counts, its spans at a collector."""

from __future__ import annotations

import gzip
import json
import queue
import re
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx2
import pytest
from opentelemetry import trace
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.sdk.trace import TracerProvider
from prometheus_client.parser import text_string_to_metric_families

from tests.live import Service, serving
from tests.services import Keyed
from trueward.client import Client
from trueward.errors import UnknownVerifier

SAMPLE = {"prompt": "q", "response": r"the answer of nobody else \boxed{x+x}", "reference": "2x"}
BODY = {"recipe": "math", "samples": [SAMPLE]}


class Collector:
    """Takes OTLP over HTTP; ``spans`` are (trace id, name) as they arrive."""

    def __init__(self) -> None:
        self.spans: queue.Queue[tuple[str, str]] = queue.Queue()
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["content-length"]))
                collector.take(gzip.decompress(body) if self.headers["content-encoding"] == "gzip" else body)
                self.send_response(200)
                self.end_headers()

            def log_message(self, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def take(self, body: bytes) -> None:
        request = ExportTraceServiceRequest()
        request.ParseFromString(body)
        for resource in request.resource_spans:
            for scope in resource.scope_spans:
                for span in scope.spans:
                    self.spans.put((span.trace_id.hex(), span.name))

    def wait_for(self, trace_id: str, name: str) -> None:
        while self.spans.get(timeout=60.0) != (trace_id, name):
            pass


@dataclass(frozen=True, slots=True)
class Live:
    service: Service
    collector: Collector
    keys: dict[str, str]

    def log(self) -> list[dict[str, Any]]:
        """Every line that was written, each an object."""
        return [
            json.loads(line) for line in self.service.log.read_text().splitlines(keepends=True) if line.endswith("\n")
        ]

    def lines_of(self, request_id: str, requests: int = 1) -> list[dict[str, Any]]:
        """The lines of so many requests, of which the last is written when the client has its answer already."""
        until = time.monotonic() + 30.0
        while time.monotonic() < until:
            lines = [line for line in self.log() if line.get("request_id") == request_id]
            if sum(line["event"] == "request" for line in lines) >= requests:
                return lines
            time.sleep(0.05)
        raise TimeoutError(f"no {requests} requests {request_id!r} in the log")

    def metrics(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        text = httpx2.get(f"{self.service.url}/metrics?key={self.keys['view']}", timeout=30.0).text
        families = text_string_to_metric_families(text)
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in families
            for sample in family.samples
        }

    def count(self, name: str, **labels: str) -> float:
        return self.metrics().get((name, frozenset(labels.items())), 0.0)


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    folder = tmp_path_factory.mktemp("observed")
    collector = Collector()
    threading.Thread(target=collector.server.serve_forever, daemon=True).start()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url)
        patch.setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
        with serving(folder, auth="keys", log_format="json", log_level="debug", traces="1") as service:
            keyed = Keyed.first(service)
            keys = {scope: keyed.key(scope)["key"] for scope in ("view", "score")}
            yield Live(service, collector, keys)
    collector.server.shutdown()
    collector.server.server_close()


@pytest.fixture
def http(live: Live) -> Iterator[httpx2.Client]:
    headers = {"Authorization": f"Bearer {live.keys['score']}"}
    with httpx2.Client(base_url=live.service.url, headers=headers, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.mark.parametrize(
    ("given", "kept"),
    [("step-7/a:1", "step-7/a:1"), ('a"; drop[2J', "adrop2J"), ("x" * 500, "x" * 128), ("b\xe9\x85c", "bc")],
)
def test_a_request_keeps_its_clients_id(given: str, kept: str, http: httpx2.Client) -> None:
    answer = http.post("/v1/rewards", json=BODY, headers={b"X-Request-Id": given.encode("latin-1")})
    assert answer.headers["x-request-id"] == kept


@pytest.mark.parametrize("headers", [{}, {"X-Request-Id": "; ;"}])
def test_a_request_without_an_id_gets_one(headers: dict[str, str], http: httpx2.Client) -> None:
    names = {http.post("/v1/rewards", json=BODY, headers=headers).headers["x-request-id"] for _ in range(2)}
    assert len(names) == 2
    assert all(re.fullmatch(r"[0-9A-Z]{26}", name) for name in names)


def test_a_problem_names_its_request(http: httpx2.Client) -> None:
    for path, status in (("/v1/verify", 422), ("/nowhere", 404)):
        answer = http.post(path, json={"verifier": "none", "samples": []}, headers={"X-Request-Id": "p1"})
        assert (answer.status_code, answer.json()["request_id"]) == (status, "p1")


def test_the_client_says_which_request_was_refused(live: Live) -> None:
    with Client(live.service.url, api_key=live.keys["score"]) as client, pytest.raises(UnknownVerifier) as refusal:
        client.verify([SAMPLE], verifier="none")
    [line] = [line for line in live.lines_of(refusal.value.request_id or "") if line["event"] == "request"]
    assert (line["target"], line["status"]) == ("/v1/verify", 422)
    assert (line["code"], line["detail"]) == ("unknown_verifier", refusal.value.detail)


def test_a_line_says_who_asked_and_nothing_secret(live: Live, http: httpx2.Client) -> None:
    http.post("/v1/rewards", json=BODY, headers={"X-Request-Id": "who"})
    http.post(f"/v1/rewards?key={live.keys['score']}&note=a%0Ab%1B%5B31m", json=BODY, headers={"X-Request-Id": "who"})
    first, second = live.lines_of("who", requests=2)
    assert (first["method"], first["status"]) == ("POST", 200)
    assert first["key"] == second["key"]
    assert re.fullmatch(r"[0-9a-f]{32}", first["trace_id"])
    assert "key=***" in second["target"]
    whole = live.service.log.read_text()
    assert not any(key in whole for key in live.keys.values())
    assert "the answer of nobody else" not in whole


def test_every_line_is_an_object_those_of_uvicorn_too(live: Live) -> None:
    lines = live.log()
    assert all({"timestamp", "level", "event"} <= line.keys() for line in lines)
    assert "uvicorn.error" in {line.get("logger") for line in lines}


def test_a_request_is_counted_by_what_it_spoke(live: Live, http: httpx2.Client) -> None:
    before = live.count("trueward_samples_total", protocol="openrlhf")
    payload = {"query": ["q 1", "q 2"], "prompts": ["q", "q"], "labels": ["1", "1"]}
    http.headers.pop("authorization")
    answer = http.post(f"/k/{live.keys['score']}/t/exact/openrlhf", json=payload)
    assert answer.status_code == 200, answer.text
    assert live.count("trueward_samples_total", protocol="openrlhf") == before + 2
    assert live.count("trueward_http_requests_total", route="/t/{recipe}/openrlhf", status="200") >= 1
    assert live.count("trueward_rewards_total", recipe="exact", outcome="correct") >= 1


def test_refusals_and_replays_are_counted(live: Live, http: httpx2.Client) -> None:
    for _ in range(2):
        http.post("/v1/rewards", json=BODY, headers={"Idempotency-Key": "again"})
    http.post("/v1/verify", json={"verifier": "none", "samples": []})
    assert live.count("trueward_idempotency_replayed_total") == 1
    assert live.count("trueward_problems_total", status="422", code="unknown_verifier") >= 1
    assert live.count("trueward_refused_samples_total", code="overloaded") == 0


def test_what_runs_and_what_it_takes_is_shown(live: Live) -> None:
    names = {name for name, _ in live.metrics()}
    assert {"trueward_build_info", "process_resident_memory_bytes", "process_open_fds"} <= names
    assert live.count("trueward_ledger_rows_total") > 0


def test_the_clients_span_and_the_services_are_one_trace(live: Live) -> None:
    tracer = TracerProvider().get_tracer("trainer")
    with Client(live.service.url, api_key=live.keys["score"], chunk_samples=1) as client:
        with tracer.start_as_current_span("step") as span:
            # two chunks: they are sent by threads
            client.reward([{**SAMPLE, "group": "a"}, {**SAMPLE, "group": "b"}], recipe="math")
        trace_id = trace.format_trace_id(span.get_span_context().trace_id)
    for _ in range(2):
        live.collector.wait_for(trace_id, "POST /v1/rewards")
