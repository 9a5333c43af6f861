"""Rows of a ledger that nobody judged: benchmarks of audits write them in bulk."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from typing import Any

from app.kit.tokens import new_id
from app.tables.ledger import prompt_hash

Row = dict[str, Any]
GROUP = 8
"""Responses to a prompt."""


def sample_row(place: int, response: str, at: datetime) -> Row:
    body = json.dumps({"prompt": f"Question {place // GROUP}", "response": response, "reference": str(place)})
    return {
        "fingerprint": hashlib.blake2b(body.encode(), digest_size=20).hexdigest(),
        "content": body,
        "created_at": at,
    }


def verdict_row(
    sample: Row, place: int, at: datetime, *, verifier: str, accepted: bool | None, form: str, group: str | None
) -> Row:
    content = json.loads(sample["content"])
    outcome = "timeout" if accepted is None else "correct" if accepted else "incorrect"
    return {
        "record": new_id(),
        "sample": sample["fingerprint"],
        "sample_id": str(place),
        "group": group,
        "pair": None,
        "run": "benchmark",
        "step": place // 1024,
        "policy": "v1",
        "split": "train",
        "data_source": f"source {place // GROUP % 5}",
        "owner": None,
        "outcome": outcome,
        "reason_code": "made_up",
        "reason": "made up for the benchmark",
        "created_at": at,
        "verifier": verifier,
        "version": "1",
        "params": "sha256:0",
        "score": None if accepted is None else float(accepted),
        "evidence": {"extracted": str(place), "rule": "boxed", "form": form},
        "confidence": None,
        "feedback": None,
        "elapsed_s": 0.0001,
        "cached": False,
        "length": len(content["response"]),
        "prompt": prompt_hash(json.dumps(content["prompt"]).encode()),
    }


def label_row(sample: Row, right: bool, at: datetime) -> Row:
    return {
        "id": new_id(),
        "sample": sample["fingerprint"],
        "record": None,
        "right": right,
        "score": None,
        "annotator": "",
        "source": "construction",
        "note": "",
        "probability": None,
        "reference": None,
        "draw": None,
        "position": None,
        "after_reveal": False,
        "owner": None,
        "created_at": at,
    }
