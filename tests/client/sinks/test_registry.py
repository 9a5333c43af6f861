"""Sinks by name, built-in or a plug-in's, and what is said where one cannot be opened."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx2
import pytest

from tests.brought import install
from trueward.cli import main
from trueward.errors import NotFound, NotInstalled
from trueward.sinks import SINKS, open_sink

ROOT = Path(__file__).parents[3]
MODULES = {
    "wandb": "wandb",
    "mlflow": "mlflow",
    "tensorboard": "tensorboardX",
    "opentelemetry": "opentelemetry.sdk._logs",
}


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the third-party package in it, installed by pip from its own project file."""
    return install(tmp_path_factory.mktemp("plugin"))


@pytest.mark.parametrize(("name", "module"), MODULES.items())
def test_a_package_that_lacks_is_named_with_its_install_line(
    name: str, module: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(NotInstalled, match=rf"pip install 'trueward\[{name}\]'"):
        open_sink(f"{name}:x", "r", tmp_path)


def test_every_built_in_sink_is_an_extra_of_the_client() -> None:
    project = tomllib.loads((ROOT / "client/pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert set(MODULES) <= set(project["optional-dependencies"])
    assert set(MODULES) <= set(SINKS.names())


def test_an_unknown_sink_names_those_that_there_are(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="there are mlflow, opentelemetry, tensorboard, wandb"):
        open_sink("nope:x", "r", tmp_path)


def test_importing_the_sinks_imports_none_of_their_packages() -> None:
    said = "import sys, trueward.sinks; print({'wandb', 'mlflow', 'tensorboardX', 'opentelemetry'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_a_third_partys_sink_follows_a_run(live: str, installed: Path, tmp_path: Path) -> None:
    run = "plug-in/../sink"
    for step in range(3):
        body = {"recipe": "exact", "run": run, "step": step, "samples": [{"response": "2", "reference": "2"}]}
        httpx2.post(f"{live}/v1/rewards", json=body, trust_env=False, timeout=60.0).raise_for_status()
    lines = tmp_path / "lines.jsonl"
    command = [sys.executable, "-m", "trueward.cli", "runs", "follow", run, "--url", live, "--once", "--settle-s", "0"]
    env = {**os.environ, "PYTHONPATH": f"{installed}{os.pathsep}{os.environ.get('PYTHONPATH', ROOT)}"}
    for said in ("3 steps written", "0 steps written"):
        where = ["--state", str(tmp_path / "state"), "--sink", f"lines:{lines}"]
        done = subprocess.run([*command, *where], env=env, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout.strip()) == (0, said), done.stderr
    written = [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
    assert [line["step"] for line in written if "reward" in line] == [0, 1, 2]
    assert {path.parent for path in tmp_path.rglob("*.json")} == {tmp_path / "state"}


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["r"], 2),
        (["follow-none", "--sink", "lines:x"], 4),
        (["follow-none", "--sink", "lines:x", "--samples", "9"], 2),
    ],
)
def test_the_command_refuses_what_it_cannot_do(live: str, arguments: list[str], code: int) -> None:
    with pytest.raises(SystemExit) as ended:
        main(["runs", "follow", *arguments, "--url", live])
    assert ended.value.code == code
