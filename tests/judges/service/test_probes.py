"""Live probes through a service of their own: in the metrics and their report, in no reward and no ledger."""

from __future__ import annotations

import sqlite3
import time
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from tests.judges.naive import reply
from tests.judges.openai_server import JudgeServer, prompt_of
from tests.live import serving
from trueward import Client
from trueward.wire.sample import Sample

COUNT = 12


def test_training_is_accompanied_and_nothing_of_it_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    samples = [
        Sample(prompt=f"What is {n} + 1000?", response=f"It is {n + 1000}.", reference=str(n + 1000), group="g")
        for n in range(COUNT)
    ]
    with (
        serving(tmp_path, workers="1", sandbox="off", probe_share="1.0") as live,
        JudgeServer(lambda body: reply(prompt_of(body))) as server,
        Client(live.url) as client,
        httpx2.Client(base_url=live.url, trust_env=False) as http,
    ):
        client.add_model(server.entry("judge"))
        recipe = {"terms": ["judge"], "budget": {"calls": 100}}
        client.reward(samples, recipe=recipe, run="e", split="eval")  # type: ignore[arg-type]  # a test's recipe
        assert http.get("/v1/judges/probes").json()["judges"] == []
        answer = client.reward(samples, recipe=recipe, run="t", split="train")  # type: ignore[arg-type]
        assert [reward.reward for reward in answer.rewards] == [1.0] * COUNT

        give_up = time.monotonic() + 30
        while not (judges := http.get("/v1/judges/probes").json()["judges"]) and time.monotonic() < give_up:
            time.sleep(0.05)
        while sum(one["tried"] for one in judges[0]["families"]) < COUNT and time.monotonic() < give_up:
            time.sleep(0.05)
            judges = http.get("/v1/judges/probes").json()["judges"]
        assert sum(one["tried"] for one in judges[0]["families"]) == COUNT
        assert judges[0]["rate"] > 0.3  # it is naive
        assert "trueward_judge_probes_total" in http.get("/metrics").text
        with closing(sqlite3.connect(tmp_path / "trueward.db")) as ledger:
            assert ledger.execute("SELECT count(*) FROM verdicts WHERE run = 't'").fetchone() == (COUNT,)
        spent = client.run("t").spent
        assert spent is not None
        assert spent.calls >= COUNT  # of the probes: what was asked of the samples is shared with the evaluation
