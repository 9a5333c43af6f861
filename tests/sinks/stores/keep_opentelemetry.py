"""Follows a run into OpenTelemetry's own in-memory reader and exporter, and prints what arrived there."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from opentelemetry.sdk._logs.export import InMemoryLogRecordExporter
from opentelemetry.sdk.metrics.export import InMemoryMetricReader

from trueward import Client
from trueward.sinks import Place
from trueward.sinks.follower import Follower, Progress
from trueward.sinks.opentelemetry import OpenTelemetrySink

url, run, folder = sys.argv[1:]
reader, exporter = InMemoryMetricReader(), InMemoryLogRecordExporter()  # type: ignore[no-untyped-call]
sink = OpenTelemetrySink(Place(run), reader, exporter)
with Client(url) as client:
    Follower(client, run, [(sink, Progress.of(Path(folder), url, run, "kept"))], 0.0).follow()
collected = reader.get_metrics_data()
assert collected is not None
metrics = json.loads(collected.to_json())["resource_metrics"][0]["scope_metrics"][0]["metrics"]
sink.close()
logs = [json.loads(one.to_json()) for one in exporter.get_finished_logs()]
gauges = {one["name"]: one["data"]["data_points"][0] for one in metrics}
print(json.dumps({"gauges": gauges, "logs": logs}))
