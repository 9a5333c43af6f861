"""What the OpenAPI document shows for POST /v1/verify; the suite sends it and compares the answer."""

from __future__ import annotations

from typing import Any

BODY: dict[str, Any] = {
    "verifier": "math",
    "params": {},
    "deadline_s": 30,
    "run": "r1",
    "step": 12,
    "policy": "v12",
    "split": "train",
    "samples": [
        {
            "id": "a",
            "prompt": "What is 1/2 + 1/3?",
            "response": "The sum is 3/6 + 2/6, so \\boxed{5/6}",
            "reference": "\\frac56",
            "group": "g1",
        },
        {
            "id": "b",
            "prompt": "What is 1/2 + 1/3?",
            "response": "I add both: \\boxed{2/5}",
            "reference": "\\frac56",
            "group": "g1",
        },
    ],
}

_MATH = {
    "name": "math",
    "version": "1",
    "params": "sha256:834b6218f6a06d3909cfc343747402f8879db717b75da478009e373ffc8fdb11",
}

ANSWER: dict[str, Any] = {
    "verdicts": [
        {
            "outcome": "correct",
            "score": 1.0,
            "reason_code": "equal_rational",
            "reason": "5/6 = 5/6",
            "evidence": {"extracted": "5/6", "rule": "boxed", "answer": "5/6", "reference": "5/6"},
            "confidence": None,
            "feedback": None,
            "id": "a",
            "record": "01M7Z0RTAH76DN82NKFK7T3S00",
            "producer": _MATH,
            "elapsed_s": 0.00028,
            "cached": False,
        },
        {
            "outcome": "incorrect",
            "score": 0.0,
            "reason_code": "unequal_rational",
            "reason": "2/5 is not 5/6",
            "evidence": {"extracted": "2/5", "rule": "boxed", "answer": "2/5", "reference": "5/6"},
            "confidence": None,
            "feedback": None,
            "id": "b",
            "record": "01M7Z0RTAJVBQBCTVCY49JKY80",
            "producer": _MATH,
            "elapsed_s": 0.00009,
            "cached": False,
        },
    ]
}

VERIFY: dict[str, Any] = {
    "requestBody": {"content": {"application/json": {"examples": {"mathematics": {"value": BODY}}}}},
    "responses": {"200": {"content": {"application/json": {"example": ANSWER}}}},
}
