"""``trueward runs follow`` until Ctrl-C: a service that is down is asked again, and every sink is closed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from typer.testing import CliRunner

from tests.client.sinks.kept import Kept
from trueward.cli import app
from trueward.errors import ConnectionFailed


def test_an_outage_is_outlived_and_the_sinks_are_closed(
    live: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"recipe": "exact", "run": "follow/outage", "step": 0, "samples": [{"response": "2", "reference": "2"}]}
    httpx2.post(f"{live}/v1/rewards", json=body, trust_env=False, timeout=60.0).raise_for_status()
    sink, waits = Kept(), list[float]()
    looks: Iterator[int | BaseException] = iter([ConnectionFailed("refused \x1b[2J"), 3, KeyboardInterrupt()])

    def look(self: object) -> int:
        said = next(looks)
        if isinstance(said, BaseException):
            raise said
        return said

    monkeypatch.setattr("trueward.sinks.registry.open_sink", lambda *place: sink)
    monkeypatch.setattr("trueward.sinks.follower.Follower.follow", look)
    monkeypatch.setattr("trueward.commands.runs.time.sleep", waits.append)
    where = ["--url", live, "--sink", "kept", "--state", str(tmp_path), "--every-s", "7"]
    done = CliRunner().invoke(app, ["runs", "follow", "follow/outage", *where])
    assert done.exit_code == 0
    assert done.stdout.strip() == "3 steps written"
    assert "not this time: refused \ufffd[2J" in done.stderr
    assert waits == [7.0, 7.0]
    assert sink.steps == [-1]
