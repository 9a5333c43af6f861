"""The body of a recipe, for the OpenAPI document."""

from __future__ import annotations

from typing import Any

YAML = """\
description: "Mathematics, and a little for the form."
terms:
  math: 1
  format: {weight: 0.1, gate: math}
"""
JSON: dict[str, Any] = {"terms": [{"verifier": "math"}, {"verifier": "format", "weight": 0.1, "gate": "math"}]}

RECIPE_BODY: dict[str, Any] = {
    "required": True,
    "content": {
        "application/json": {"schema": {"type": "object"}, "examples": {"short": {"value": JSON}}},
        "application/yaml": {"schema": {"type": "string"}, "examples": {"short": {"value": YAML}}},
    },
}
