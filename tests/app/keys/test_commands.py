"""``trueward keys`` and ``projects`` say which database they made, and what bounds a key."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from app.keys.commands import keys, projects


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("DATABASE_URL", "SECRET", "DATA_DIR"):
        monkeypatch.delenv(f"TRUEWARD_{name}", raising=False)
    return tmp_path / "data"


@pytest.mark.parametrize("first", ["keys", "projects"])
def test_a_database_that_was_made_is_named_once_and_apart_from_the_key(folder: Path, first: str) -> None:
    """Whoever forgot the service's settings would get a key that the service does not know."""
    place = ["--data-dir", str(folder)]
    calls = {
        "keys": (keys, ["create", "a", "--scope", "admin", *place]),
        "projects": (projects, ["create", "maths", *place]),
    }
    made = CliRunner().invoke(*calls.pop(first))
    assert str(folder / "trueward.db") in made.stderr
    assert "is new" in made.stderr
    [(app, arguments)] = calls.values()
    assert CliRunner().invoke(app, arguments).stderr == ""
    if first == "keys":
        assert made.stdout.startswith("tw_")


def test_a_refusal_names_the_database_that_was_looked_in(folder: Path) -> None:
    arguments = ["create", "a", "--scope", "score", "--project", "chem", "--data-dir", str(folder)]
    refused = CliRunner().invoke(keys, arguments)
    assert refused.exit_code == 2
    said = "".join(refused.stderr.replace("\u2502", "").split())
    assert "".join(str(folder / "trueward.db").split()) in said.partition("chem")[2]


def test_the_list_shows_quotas_and_ends(folder: Path) -> None:
    place = ["--data-dir", str(folder)]
    bounds = ["--samples-per-minute", "600", "--cost-per-minute", "30", "--expires-in-s", "3600"]
    assert CliRunner().invoke(keys, ["create", "bound", "--scope", "score", *bounds, *place]).exit_code == 0
    assert CliRunner().invoke(keys, ["create", "free", "--scope", "score", *place]).exit_code == 0
    bound, free = CliRunner().invoke(keys, ["list", *place]).stdout.splitlines()
    assert "600 samples/min" in bound
    assert "30 s of work/min" in bound
    assert "until 20" in bound
    assert free.endswith("free")
