"""The bundled trainer with a live llama.cpp server that samples."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from trueward import Client
from trueward_trainer.config import load
from trueward_trainer.example import write_example
from trueward_trainer.training import train

pytestmark = pytest.mark.real


def test_a_step_learns_from_what_the_server_sampled(
    client: Client, llama_cpp: str, smollm: Path, tmp_path: Path
) -> None:
    """The server rounds its weights to four bits, and the update does not: the gap is there, and small."""
    server: dict[str, JsonValue] = {"url": llama_cpp, "model": "smollm", "kind": "vllm", "weights": "none"}
    changes: dict[str, JsonValue] = {"steps": 1, "rollout.group": 4, "rollout.server": server, "evaluation": None}
    train(load(write_example(tmp_path / "sums", str(smollm), client.url), changes))
    [step] = map(json.loads, (tmp_path / "sums" / "out" / "metrics.jsonl").read_text().split("\n")[:-1])
    assert step["missing"] == 0
    assert step["unknown_tokens"] == 0
    assert 0.001 < step["sampler_gap"] < 0.5
    assert step["grad_norm"] > 0
