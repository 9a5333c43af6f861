"""The files that people and hosts look for at the top of a project agree with the project."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]


def read(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("pyproject", ["pyproject.toml", "client/pyproject.toml", "trainer/pyproject.toml"])
def test_the_citation_names_the_version_and_licence_of_the_packages(pyproject: str) -> None:
    project = tomllib.loads((ROOT / pyproject).read_text(encoding="utf-8"))["project"]
    citation = read("CITATION.cff")
    assert (citation["version"], citation["license"]) == (project["version"], project["license"])
    assert {"cff-version", "message", "title", "authors"} <= citation.keys()


def test_hooks_before_a_commit_fetch_nothing_and_run_what_make_check_runs() -> None:
    checks = (ROOT / "Makefile").read_text(encoding="utf-8").partition("\ncheck:")[2].partition("\n\n")[0]
    repositories = read(".pre-commit-config.yaml")["repos"]
    assert [one["repo"] for one in repositories] == ["local"]
    hooks = repositories[0]["hooks"]
    assert hooks
    for hook in hooks:
        assert hook["language"] == "system"
        tool = hook["entry"].split()[0]
        assert tool.startswith(".venv/bin/")
        assert tool.replace(".venv/bin/", "$(BIN)/") in checks
