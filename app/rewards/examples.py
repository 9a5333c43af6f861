"""What the OpenAPI document shows for POST /v1/rewards; the suite sends it and compares the answer."""

from __future__ import annotations

from typing import Any

from app.verify.examples import ANSWER as VERIFY_ANSWER
from app.verify.examples import BODY as VERIFY_BODY

BODY: dict[str, Any] = {
    "recipe": "math",
    **{name: value for name, value in VERIFY_BODY.items() if name not in ("verifier", "params")},
}

ANSWER: dict[str, Any] = {
    "rewards": [
        {
            "id": verdict["id"],
            "record": verdict["record"],
            "reward": verdict["score"],
            "outcome": verdict["outcome"],
            "components": {"math": verdict["score"]},
            "corrected": None,
            "weight": None,
            "estimate": None,
            "uncertainty": None,
            "step_rewards": None,
            "step_spans": None,
            "token_rewards": None,
            "token_spans": None,
            "kept": None,
            "reason_code": verdict["reason_code"],
            "reason": verdict["reason"],
            "producers": [verdict["producer"]],
        }
        for verdict in VERIFY_ANSWER["verdicts"]
    ],
    "groups": [
        {
            "group": "g1",
            "size": 2,
            "scored": 2,
            "mean": 0.5,
            "std": 0.7071067811865476,
            "zero_variance": False,
            "success_rate": 0.5,
            "all_fail": False,
            "kept": None,
            "reason": "",
            "true_rate": None,
            "true_std": None,
            "ids": ["a", "b"],
            "centred": [0.5, -0.5],
            "leave_one_out": [1.0, -1.0],
            "draw": None,
        }
    ],
    "recipe": "sha256:645a9a7e85164297325062294953dc64f3c1db02bae692acfbbb00deba020ba5",
}

REWARDS: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"examples": {"mathematics": {"value": BODY}}}}},
    "responses": {"200": {"content": {"application/json": {"example": ANSWER}}}},
}
