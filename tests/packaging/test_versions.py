"""One version: whatever states one says that of this release, and the changelog has a section for it."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml

from scripts.release import PREFIX
from scripts.release import version as stated
from tests.openapi import document
from trueward import __version__

ROOT = Path(__file__).parents[2]


def read(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


STATED: dict[str, Callable[[], str]] = {
    "the client": lambda: tomllib.loads(read("client/pyproject.toml"))["project"]["version"],
    "the trainer": lambda: tomllib.loads(read("trainer/pyproject.toml"))["project"]["version"],
    "CITATION.cff": lambda: yaml.safe_load(read("CITATION.cff"))["version"],
    "the chart": lambda: yaml.safe_load(read("deploy/helm/trueward/Chart.yaml"))["version"],
    "the chart's application": lambda: yaml.safe_load(read("deploy/helm/trueward/Chart.yaml"))["appVersion"],
    "the manifests": lambda: re.findall(r"image: trueward:(\S+)", read("deploy/kubernetes/base/deployment.yaml"))[0],
    "kustomize": lambda: yaml.safe_load(read("deploy/kubernetes/base/kustomization.yaml"))["images"][0]["newTag"],
    "the sandbox": lambda: yaml.safe_load(read("deploy/kubernetes/sandbox/kustomization.yaml"))["images"][0]["newTag"],
    "OpenAPI": lambda: document()["info"]["version"],
    "trueward.__version__": lambda: __version__,
    "the installed server": lambda: version("trueward-server"),
    "the changelog": lambda: re.findall(r"^## (\d\S+) \(\d{4}-\d\d-\d\d\)", read("CHANGELOG.md"), re.MULTILINE)[0],
    "the action's example": lambda: re.findall(rf"actions/gate@{PREFIX}(\S+)", read("docs/audits.md"))[0],
    "the image's example": lambda: re.findall(r"# trueward:(\S+) and", read("docs/deploy.md"))[0],
}


@pytest.mark.parametrize("where", STATED)
def test_it_is_this_release_s(where: str) -> None:
    assert STATED[where]() == stated()


def test_a_tag_of_another_version_stops_a_release() -> None:
    script = ROOT / "scripts/release.py"
    assert subprocess.run([sys.executable, script, f"{PREFIX}{stated()}"]).returncode == 0
    refused = subprocess.run([sys.executable, script, f"{PREFIX}9.9.9"], capture_output=True, text=True)
    assert refused.returncode == 1
    assert stated() in refused.stderr
