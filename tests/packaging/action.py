"""Runs a composite action of GitHub's as a runner does: each step's script in its shell, its expressions filled in.

Knows the expressions that our action uses: inputs, outputs of earlier steps, the action's folder, the runner's. A
script that holds an expression is refused: what an input says would be run as code.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

EXPRESSION = re.compile(r"\$\{\{\s*(.+?)\s*\}\}")


@dataclass
class Run:
    """What one run of the action left."""

    code: int = 0
    printed: str = ""
    summary: str = ""
    outputs: dict[str, str] = field(default_factory=dict)


def run(
    action: Path, inputs: Mapping[str, str], folder: Path, environment: Mapping[str, str], installed: Path | None = None
) -> Run:
    """Ends at the first step that fails; outputs are then what the action has so far.

    ``installed`` is the runner's folder after another run; the first step, which installs, is then left out.
    """
    stated: dict[str, Any] = yaml.safe_load(action.read_text(encoding="utf-8"))
    assert inputs.keys() <= stated["inputs"].keys()
    said = {f"inputs.{name}": inputs.get(name, one["default"]) for name, one in stated["inputs"].items()}
    said |= {"github.action_path": str(action.parent), "runner.temp": str(folder / "runner")}
    (folder / "runner").mkdir()
    steps = stated["runs"]["steps"]
    if installed is not None:
        shutil.copytree(installed, folder / "runner", symlinks=True, dirs_exist_ok=True)
        steps = steps[1:]
    done = Run()
    for step in steps:
        assert not EXPRESSION.search(step["run"])
        done.code, printed, told = _step(step, said, folder, environment)
        done.printed += printed
        said |= {f"steps.{step.get('id')}.outputs.{name}": value for name, value in told.items()}
        if done.code:
            break
    summary = folder / "summary"
    done.summary = summary.read_text(encoding="utf-8") if summary.exists() else ""
    done.outputs = {name: _evaluated(one["value"], said) for name, one in stated["outputs"].items()}
    return done


def _evaluated(text: str, said: Mapping[str, str]) -> str:
    """An output of a step that did not run is empty, as it is with GitHub; any other name has to be known."""

    def value(found: re.Match[str]) -> str:
        return said.get(found[1], "") if found[1].startswith("steps.") else said[found[1]]

    return EXPRESSION.sub(value, text)


def _step(
    step: Mapping[str, Any], said: Mapping[str, str], folder: Path, environment: Mapping[str, str]
) -> tuple[int, str, dict[str, str]]:
    """Its exit code, what it printed, and its outputs."""
    script, output = folder / "step.sh", folder / "output"
    script.write_text(step["run"], encoding="utf-8")
    output.write_text("", encoding="utf-8")
    variables = {name: _evaluated(str(value), said) for name, value in step.get("env", {}).items()}
    files = {"GITHUB_OUTPUT": str(output), "GITHUB_STEP_SUMMARY": str(folder / "summary")}
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
        cwd=folder,
        env={**environment, **files, **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines = output.read_text(encoding="utf-8").splitlines()
    return ran.returncode, ran.stdout, dict(line.split("=", 1) for line in lines)
