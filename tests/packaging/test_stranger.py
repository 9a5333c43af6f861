"""What somebody does who has never seen the project: an empty environment, an index of wheels, a verdict."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from app.version import VERSION
from tests import live
from tests.live import serving
from tests.packaging.stranger import TOOLS, Stranger, build_wheels
from trueward import Client

pytestmark = pytest.mark.wheelhouse

VERDICT = ["verify", "--verifier", "math", "--response", "\\boxed{1/2}", "--reference", "0.5", "--json"]


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    build_wheels(folder)
    return folder


@pytest.fixture
def stranger(wheels: Path, tmp_path: Path) -> Stranger:
    return Stranger(tmp_path, wheels)


def outcome(printed: str) -> str:
    """Of the one verdict that `trueward verify --json` printed."""
    found: str = json.loads(printed.splitlines()[0])["outcome"]
    return found


def test_three_lines_lead_from_nothing_to_a_verdict(stranger: Stranger) -> None:
    stranger.run(sys.executable, "-m", "venv", "env")
    stranger.run("env/bin/pip", "install", "--quiet", "trueward-server")
    assert outcome(stranger.run("env/bin/trueward", *VERDICT)) == "correct"
    assert stranger.run("env/bin/pip", "check").strip() == "No broken requirements found."


def test_uvx_runs_the_service_without_an_installation(stranger: Stranger, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PYTHONPATH", "VIRTUAL_ENV"):
        monkeypatch.delenv(name, raising=False)
    for name, value in stranger.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(stranger.home)
    monkeypatch.setattr(live, "COMMAND", "trueward-server")
    with (
        serving(stranger.home, prefix=[TOOLS / "uvx", "--from", "trueward-server"]) as service,
        Client(service.url) as client,
    ):
        [verdict] = client.verify([{"response": "\\boxed{1/2}", "reference": "0.5"}], verifier="math")
    assert verdict.outcome == "correct"


def test_pipx_installs_the_command(stranger: Stranger) -> None:
    stranger.run(TOOLS / "pipx", "install", "--python", sys.executable, "--backend", "uv", "trueward-server")
    assert stranger.run(stranger.home / ".local/bin/trueward-server", "--version").split() == ["trueward", VERSION]


def test_the_client_alone_needs_nothing_of_the_service(stranger: Stranger) -> None:
    stranger.run(TOOLS / "uv", "venv", "env")
    stranger.run(TOOLS / "uv", "pip", "install", "--python", "env", "trueward")
    installed = stranger.run(TOOLS / "uv", "pip", "freeze", "--python", "env").split()
    names = {line.partition("==")[0] for line in installed}
    assert names.isdisjoint({"trueward-server", "fastapi", "sqlalchemy", "numpy", "torch", "sympy"})
    assert stranger.run("env/bin/trueward", "--version").split() == ["trueward", VERSION]
