"""The bodies that the OpenAPI document shows for POST /v1/jobs; the suite sends them."""

from __future__ import annotations

import json
from typing import Any

from pydantic import BaseModel

from app.rewards.examples import BODY as REWARDS_BODY
from app.verify.examples import BODY as VERIFY_BODY
from trueward.wire.webhook import RewardsJob, VerifyJob


def as_lines(body: dict[str, Any]) -> str:
    """A request as NDJSON: the first line without the samples, then one a line."""
    head = {name: value for name, value in body.items() if name != "samples"}
    return "".join(json.dumps(line) + "\n" for line in [head, *body["samples"]])


def _schema(kind: type[BaseModel]) -> dict[str, Any]:
    """With references to the schemas that the document has anyway."""
    schema = kind.model_json_schema(ref_template="#/components/schemas/{model}")
    schema.pop("$defs")
    return schema


JOBS: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "content": {
            "application/json": {
                "schema": {
                    "oneOf": [_schema(VerifyJob), _schema(RewardsJob)],
                },
                "examples": {"verdicts": {"value": VERIFY_BODY}, "rewards": {"value": REWARDS_BODY}},
            },
            "application/x-ndjson": {
                "schema": {"type": "string"},
                "examples": {"verdicts": {"value": as_lines(VERIFY_BODY)}},
            },
        },
    }
}
