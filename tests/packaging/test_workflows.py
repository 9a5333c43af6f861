"""The files of GitHub: valid by the published schemas, and with no more trust than they need. Nothing is run there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
GITHUB = ROOT / ".github"
WORKFLOWS = sorted((GITHUB / "workflows").glob("*.yml"))
ACTIONS = sorted((GITHUB / "actions").glob("*/action.yml"))
CHECK = ROOT / ".venv-charts/bin/check-jsonschema"


def jobs() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    for path in WORKFLOWS:
        found |= yaml.safe_load(path.read_text(encoding="utf-8"))["jobs"]
    return found


def scripts() -> list[str]:
    """Each script of a step, of workflows and of actions."""
    steps = [step for job in jobs().values() for step in job["steps"]]
    for path in ACTIONS:
        steps += yaml.safe_load(path.read_text(encoding="utf-8"))["runs"]["steps"]
    return [step["run"] for step in steps if "run" in step]


@pytest.mark.chart
@pytest.mark.parametrize(
    ("schema", "files"), [("vendor.github-workflows", WORKFLOWS), ("vendor.github-actions", ACTIONS)]
)
def test_each_file_keeps_to_its_schema(schema: str, files: list[Path]) -> None:
    assert CHECK.exists(), "make charts"
    assert files
    checked = subprocess.run([CHECK, "--builtin-schema", schema, *files], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stdout + checked.stderr


def test_no_script_holds_an_expression() -> None:
    """What a tag or an input says would be run as code: it comes by the environment."""
    assert [script for script in scripts() if "${{" in script] == []


def test_every_script_is_one_that_bash_can_read() -> None:
    for script in scripts():
        read = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True)
        assert read.returncode == 0, f"{script}\n{read.stderr}"


def test_every_target_and_file_that_a_script_names_is_there() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([\w./-]+):", makefile, re.MULTILINE))
    text = "\n".join(scripts())
    assert set(re.findall(r"\bmake ([\w./-]+)", text)) <= targets
    named = re.findall(r"\b((?:scripts|locks|deploy)/[\w./-]+)", text)
    assert named
    assert [path for path in named if not (ROOT / path).exists()] == []


def test_only_what_publishes_may_write_and_no_password_is_stored() -> None:
    for path in WORKFLOWS:
        text = path.read_text(encoding="utf-8")
        assert yaml.safe_load(text)["permissions"] == {"contents": "read"}
        assert "secrets." not in text
    may_write = {name for name, job in jobs().items() if "write" in job.get("permissions", {}).values()}
    assert may_write == {"image", "chart", "docs", "publish"}


def test_nothing_is_published_before_everything_was_tested() -> None:
    every = jobs()

    def before(name: str) -> set[str]:
        needs = every[name].get("needs", [])
        direct = {needs} if isinstance(needs, str) else set(needs)
        return direct.union(*(before(one) for one in direct))

    assert before("publish") == every.keys() - {"publish"}
    for name in ("image", "chart", "docs"):
        assert {"build", "test"} <= before(name)


def test_actions_of_others_than_github_are_not_trusted() -> None:
    uses = [step["uses"] for job in jobs().values() for step in job["steps"] if "uses" in step]
    assert uses
    assert {one.partition("/")[0] for one in uses} == {"actions"}
