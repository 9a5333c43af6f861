"""MLflow: a run of the experiment ``trueward``; the target is the tracking URI, else ``MLFLOW_TRACKING_URI``'s."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping, Sequence

from trueward.sinks.names import file_name, shorten
from trueward.sinks.sink import Place, Row, import_optional
from trueward.wire.watch import Alarm

_EXPERIMENT = "trueward"
_TAG = "trueward.run_id"
_AT_ONCE = 500


class MlflowSink:
    def __init__(self, place: Place) -> None:
        mlflow = import_optional("mlflow", "mlflow")
        self._metric = mlflow.entities.Metric
        self._client = mlflow.MlflowClient(tracking_uri=place.target or None)
        known = self._client.get_experiment_by_name(_EXPERIMENT)
        experiment = known.experiment_id if known else self._client.create_experiment(_EXPERIMENT)
        tag = file_name(place.run)
        found = self._client.search_runs([experiment], f"tags.`{_TAG}` = '{tag}'", max_results=1)
        run = found[0] if found else self._client.create_run(experiment, tags={_TAG: tag}, run_name=shorten(place.run))
        self._run: str = run.info.run_id
        for name, value in place.config.items():
            self._client.set_tag(self._run, f"trueward.{name}", shorten(json.dumps(value)))

    def record(self, step: int, numbers: Mapping[str, float]) -> None:
        at = int(time.time() * 1000)
        metrics = [self._metric(name, value, at, step) for name, value in numbers.items()]
        for start in range(0, len(metrics), _AT_ONCE):
            self._client.log_batch(self._run, metrics=metrics[start : start + _AT_ONCE])

    def table(self, step: int, rows: Sequence[Row]) -> None:
        said = json.dumps([row._asdict() for row in rows], indent=1)
        self._client.log_text(self._run, said, f"samples/step-{step:09d}.json")

    def alarm(self, alarm: Alarm) -> None:
        self._client.set_tag(self._run, f"trueward.alarm.{alarm.id}", shorten(alarm.finding.detail))

    def close(self) -> None:
        self._client.set_terminated(self._run)
