"""OpenTelemetry: a gauge a number, an event a sample, a warning an alarm; by OTLP, as the standard variables say.

A sample is an event ``gen_ai.evaluation.result`` of the conventions for generative AI, where a score, a label and an
explanation have a field. The texts of prompts and responses are left out, as these conventions leave them by default.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from trueward.sinks.names import shorten
from trueward.sinks.sink import Place, Row, import_optional
from trueward.wire.watch import Alarm

_NAME = "opentelemetry"


class OpenTelemetrySink:
    def __init__(self, place: Place, reader: Any = None, exporter: Any = None) -> None:
        """``reader`` of metrics and ``exporter`` of logs, where they go elsewhere than by OTLP."""
        logs, resources = (
            import_optional("opentelemetry.sdk._logs", _NAME),
            import_optional("opentelemetry.sdk.resources", _NAME),
        )
        if reader is None or exporter is None:
            reader, exporter = _otlp()
        self._run = shorten(place.run)
        resource = resources.Resource.create({"service.name": "trueward"})
        self._metrics = import_optional("opentelemetry.sdk.metrics", _NAME).MeterProvider([reader], resource=resource)
        self._logs = logs.LoggerProvider(resource)
        batches = import_optional("opentelemetry.sdk._logs.export", _NAME).BatchLogRecordProcessor
        self._logs.add_log_record_processor(batches(exporter))
        self._meter, self._logger = self._metrics.get_meter("trueward"), self._logs.get_logger("trueward")
        self._event = import_optional("opentelemetry._logs", _NAME)
        self._gauges: dict[str, Any] = {}

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        for name, value in {"step": float(step), **numbers}.items():
            if name not in self._gauges:
                self._gauges[name] = self._meter.create_gauge(f"trueward.run.{name.replace('/', '.')}")
            self._gauges[name].set(value, {"trueward.run": self._run})
        self._metrics.force_flush()  # a gauge holds one value: each step's is sent before the next one's

    def table(self, step: int, rows: Sequence[Row]) -> None:
        for row in rows:
            said = {
                "gen_ai.evaluation.name": "reward",
                "gen_ai.evaluation.score.label": row.outcome,
                "gen_ai.evaluation.explanation": f"{row.reason_code}: {row.reason}",
                "gen_ai.response.id": row.record,
            }
            scored = {} if row.reward is None else {"gen_ai.evaluation.score.value": row.reward}
            self._emit("gen_ai.evaluation.result", {**said, **scored, "trueward.step": step})

    def alarm(self, alarm: Alarm) -> None:
        self._emit("trueward.alarm", {"trueward.signal": alarm.finding.signal}, shorten(alarm.finding.detail))

    def close(self) -> None:
        self._metrics.shutdown()
        self._logs.shutdown()

    def _emit(self, name: str, attributes: Mapping[str, object], warning: str | None = None) -> None:
        level = self._event.SeverityNumber.INFO if warning is None else self._event.SeverityNumber.WARN
        values = {**attributes, "trueward.run": self._run}
        made = self._event.LogRecord(event_name=name, attributes=values, body=warning, severity_number=level)
        self._logger.emit(made)


def _otlp() -> tuple[Any, Any]:
    readers = import_optional("opentelemetry.sdk.metrics.export", _NAME)
    metrics = import_optional("opentelemetry.exporter.otlp.proto.http.metric_exporter", _NAME).OTLPMetricExporter
    logs = import_optional("opentelemetry.exporter.otlp.proto.http._log_exporter", _NAME).OTLPLogExporter
    return readers.PeriodicExportingMetricReader(metrics()), logs()
