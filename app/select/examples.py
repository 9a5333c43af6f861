"""What the OpenAPI document shows for POST /v1/select."""

from __future__ import annotations

from typing import Any

BODY: dict[str, Any] = {
    "method": "majority",
    "verifier": "math",
    "candidates": [
        {"id": "a", "prompt": "1/2?", "response": r"\boxed{0.5}"},
        {"id": "b", "prompt": "1/2?", "response": r"\boxed{2}"},
        {"id": "c", "prompt": "1/2?", "response": r"so \boxed{\frac12}"},
    ],
}

SELECT: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"examples": {"majority": {"value": BODY}}}}},
}
