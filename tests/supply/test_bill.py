"""The bill of materials: each direct dependency with its licence, the server's alone, and nothing of this machine."""

from __future__ import annotations

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import NormalizedName, canonicalize_name

from scripts.locks import EVERY
from scripts.sbom import EXTRAS, bill, needed
from tests.supply.pins import pinned

pytestmark = pytest.mark.bill

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return bill()


def direct() -> set[NormalizedName]:
    lines: list[str] = []
    for pyproject in (ROOT / "pyproject.toml", ROOT / "client/pyproject.toml"):
        lines += tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]["dependencies"]
    return {canonicalize_name(re.split(r"[\[<>=!~; ]", line)[0]) for line in lines}


def test_each_direct_dependency_is_in_it_with_its_version_and_licence(document: dict[str, Any]) -> None:
    parts = {canonicalize_name(part["name"]): part for part in document["components"]}
    assert direct() <= parts.keys()
    assert {name for name in direct() if not parts[name].get("licenses") or not parts[name]["version"]} == set()


def test_it_holds_what_the_server_needs_and_no_tool_of_its_developers(document: dict[str, Any]) -> None:
    parts = {canonicalize_name(part["name"]) for part in document["components"]}
    assert parts == needed() - {"trueward-server"}
    assert parts.isdisjoint({"mypy", "ruff", "hypothesis", "schemathesis", "torch", "pip-audit"})


def test_it_has_the_extras_of_the_image() -> None:
    dockerfile = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    assert "ARG LOCK=server" in dockerfile
    assert [set(lock.server or ()) for lock in EVERY if lock.name == "server"] == [EXTRAS]


def test_every_edge_ends_at_a_part(document: dict[str, Any]) -> None:
    known = {part["bom-ref"] for part in document["components"]} | {document["metadata"]["component"]["bom-ref"]}
    for edge in document["dependencies"]:
        assert {edge["ref"], *edge.get("dependsOn", [])} <= known


def test_it_tells_no_path_of_the_machine_that_made_it(document: dict[str, Any]) -> None:
    assert str(ROOT) not in json.dumps(document)
    assert "file:" not in json.dumps(document)


def test_the_tests_check_the_formats_that_the_server_checks() -> None:
    taken_up = {
        re.split(r"[<=>~; ]", line)[0]
        for line in distribution("jsonschema").requires or ()
        if "extra == 'format-nongpl'" in line
    }
    assert {canonicalize_name(name) for name in taken_up} - needed() != set()
    for name in taken_up:
        if canonicalize_name(name) not in needed():
            with pytest.raises(PackageNotFoundError):
                distribution(name)


def test_what_it_names_is_pinned(document: dict[str, Any]) -> None:
    pins = pinned((ROOT / "locks/server.txt").read_text(encoding="utf-8"))
    for part in document["components"]:
        name = canonicalize_name(part["name"])
        assert name == "trueward" or pins[name] == part["version"]
