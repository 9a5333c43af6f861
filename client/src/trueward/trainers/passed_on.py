"""What a trainer knows of a response beside its text, as fields of a sample: baselines, ends, log-probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import cast

from pydantic import JsonValue

from trueward.trainers.connection import Fields

BASELINES = ("baselines", "baseline_scores")
"""Other responses to the prompt, and their scores: columns or fields of the data set, under these names."""

ENDS: Mapping[object, str] = {"stop": "stop", "length": "length", "max_tokens": "length", "model_length": "length"}
"""How a generation ended, as trainers and servers say it; of other words nothing is made."""


def baselines_of(row: Mapping[str, object]) -> Fields:
    """Those that a row of the data set has."""
    return {name: cast(JsonValue, row[name]) for name in BASELINES if row.get(name) is not None}


def logprobs_of(token_ids: Sequence[int], logprobs: Sequence[float]) -> Fields:
    """``logprobs`` of the response's tokens; nothing where these are not one finite number a token."""
    if not token_ids or len(token_ids) != len(logprobs) or not all(map(math.isfinite, logprobs)):
        return {}
    return {"logprobs": {"token_ids": [*token_ids], "logprobs": [*logprobs]}}
