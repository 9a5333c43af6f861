"""Clients that generators make of the OpenAPI document really call a service."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.openapi import document
from tests.services import Keyed

pytestmark = pytest.mark.generator
ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
TOOLS = ROOT / ".venv-generators"
OUTCOMES = {
    "outcomes": ["correct", "incorrect"],
    "rewards": [1.0, 0.0],
    "refused": "unknown_verifier",
    "job": {"total": 2, "done": 2, "correct": 1, "incorrect": 1},
    "audit": {"name": "generated", "state": "completed", "listed": True},
}


def carry_out(folder: Path, *command: str | Path, **variables: str) -> str:
    """Runs a command with the tools of the generators; what it printed."""
    path = f"{TOOLS / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = {**os.environ, "PATH": path, "PYTHONPATH": "", **variables}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the document."""
    folder = tmp_path_factory.mktemp("generated")
    (folder / "openapi.json").write_text(json.dumps(document()), encoding="utf-8")
    return folder


def told(printed: str) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(printed.splitlines()[-1])
    return answer


def test_a_python_client_of_openapi_python_client_calls_the_service(keyed: Keyed, written: Path) -> None:
    generator = TOOLS / "bin/openapi-python-client"
    said = carry_out(
        written, generator, "generate", "--path", "openapi.json", "--meta", "none", "--output-path", "trueward_api"
    )
    assert "Endpoint will not be generated" not in said
    assert "Unable to process schema" not in said
    operations = sum(len(methods) for methods in document()["paths"].values())
    assert len([one for one in written.glob("trueward_api/api/*/*.py") if one.stem != "__init__"]) == operations
    key = keyed.key("score", "view", "label")["key"]
    python = TOOLS / "bin/python"
    assert told(carry_out(written, python, HERE / "calls.py", keyed.url, key, PYTHONPATH=str(written))) == OUTCOMES


def test_a_typescript_client_of_openapi_fetch_calls_the_service(keyed: Keyed, written: Path) -> None:
    """``tsc`` checks every request and every member of an answer that is read."""
    modules = TOOLS / "typescript/node_modules"
    for name in ("calls.ts", "tsconfig.json"):
        shutil.copy(HERE / "typescript" / name, written)
    (written / "node_modules").symlink_to(modules)
    generator = modules / ".bin/openapi-typescript"
    carry_out(written, generator, "openapi.json", "--default-non-nullable=false", "--output", "api.ts")
    carry_out(written, modules / ".bin/tsc", "--project", "tsconfig.json")
    key = keyed.key("score", "view", "label")["key"]
    assert told(carry_out(written, "node", "calls.js", keyed.url, key)) == OUTCOMES
