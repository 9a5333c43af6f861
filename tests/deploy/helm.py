"""Helm for the tests: reads one JSON request from standard input and prints the answer. Runs in ``.venv-charts``.

``{"chart", "values", "name", "namespace"}`` -> ``{"lint": report, "documents": {template: text}}``, or ``{"refused":
message}`` where Helm does not take the values.
"""

from __future__ import annotations

import json
import sys

import helm_python as helm


def main() -> None:
    asked = json.load(sys.stdin)
    report = helm.lint(asked["chart"], asked["values"], strict=True, kube_version="v1.31.0")
    try:
        with helm.Chart.load(asked["chart"]) as chart:
            chart.validate_schema(asked["values"])
            documents = chart.render(asked["values"], name=asked["name"], namespace=asked["namespace"])
    except helm.HelmError as failure:
        print(json.dumps({"lint": report, "refused": str(failure)}))
        return
    print(json.dumps({"lint": report, "documents": documents}))


main()
