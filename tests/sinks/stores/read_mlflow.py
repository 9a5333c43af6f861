"""Prints what MLflow's own client reads of the one run of our experiment: metrics by name, tags, samples."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import mlflow

client = mlflow.MlflowClient(tracking_uri=sys.argv[1])
experiment = client.get_experiment_by_name("trueward")
(run,) = client.search_runs([experiment.experiment_id])
metrics = {
    name: [[one.step, one.value] for one in client.get_metric_history(run.info.run_id, name)]
    for name in run.data.metrics
}
files = [one.path for one in client.list_artifacts(run.info.run_id, "samples")]
rows = json.loads(Path(client.download_artifacts(run.info.run_id, files[0])).read_text(encoding="utf-8"))
said = {"metrics": metrics, "tags": run.data.tags, "files": files, "rows": rows, "status": run.info.status}
print(json.dumps(said))
