"""``trueward train`` before any training: what is missing or wrong is said in a line."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from trueward.cli import main


def ended(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int | str | None, str]:
    with pytest.raises(SystemExit) as exit_:
        main(["train", *arguments])
    return exit_.value.code, capsys.readouterr().err


def test_without_torch_it_prints_the_line_that_installs_it(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("trueward.commands.train.find_spec", lambda name: None)
    code, said = ended(capsys, str(tmp_path / "train.yaml"))
    assert code == 4
    assert "pip install 'trueward[train]'" in said


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs what trains")
def test_a_wrong_field_is_named(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "train.yaml"
    path.write_text("model: m\nprompts: {file: p}\nservice: {recipe: exact}\nout: o\nsteps: 1\n")
    code, said = ended(capsys, str(path), "--set", "update.los=grpo")
    assert code == 4
    assert "update.los" in said


@pytest.mark.skipif(importlib.util.find_spec("torch") is None, reason="needs what trains")
def test_a_change_without_a_value_is_wrong_usage(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    code, said = ended(capsys, str(tmp_path / "train.yaml"), "--set", "steps")
    assert code == 2
    assert "--set" in said
