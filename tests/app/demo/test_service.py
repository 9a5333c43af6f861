"""The demo's own service, and what the demo says of it."""

from __future__ import annotations

import io
import signal
from pathlib import Path

import pytest
from rich.console import Console

from app.demo.__main__ import _show_disagreements
from app.demo.batch import DemoCase, ScoredCase
from app.demo.service import serving
from trueward import Client, Sample, Verdict
from trueward.errors import ConnectionFailed


def test_it_is_ready_when_the_demo_begins(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    with serving(tmp_path) as url, Client(url, attempts=1) as client:
        assert client.health().ready
        assert client.verify([Sample(response="a", reference="a")], verifier="exact")[0].score == 1.0
    assert "retry" not in "".join(capfd.readouterr())


def test_it_ends_with_a_demo_that_is_told_to_end(tmp_path: Path) -> None:
    def told_to_end() -> None:
        with serving(tmp_path) as url:
            ended.append(url)
            signal.raise_signal(signal.SIGTERM)

    ended: list[str] = []
    with pytest.raises(SystemExit):
        told_to_end()
    with Client(ended[0], attempts=1) as client, pytest.raises(ConnectionFailed):
        client.health()


def said_of(*, right: bool) -> str:
    case = DemoCase("exact", {}, Sample(id="x", response="a", reference="a"), right)
    console = Console(file=io.StringIO(), width=120)
    _show_disagreements(console, {"exact": [ScoredCase(case, Verdict.correct("same", "same text"), 0.1)]})
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_a_list_of_disagreements_is_announced_where_there_is_one() -> None:
    assert said_of(right=True).strip() == "0 of 1 verdicts differ from the batch's own labels."
    announced, first = said_of(right=False).strip().splitlines()
    assert announced == "1 of 1 verdicts differ from the batch's own labels:"
    assert "exact x: labelled wrong, correct (same)" in first
