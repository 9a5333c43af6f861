"""The service runs with what its package requires: what only an extra or a developer installs is not there."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, packages_distributions, requires
from pathlib import Path

import httpx2
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.live import serving

_HIDE = """
from importlib.machinery import PathFinder

find = PathFinder.find_spec
PathFinder.find_spec = lambda name, *rest: None if name in ABSENT else find(name, *rest)
"""


def required(distribution: str) -> set[str]:
    """The distribution and all that it requires, without extras of its own."""
    found: set[str] = set()
    waiting = [(distribution, frozenset[str]())]
    seen = set(waiting)
    while waiting:
        name, extras = waiting.pop()
        found.add(name)
        for each in needs(name, extras) - seen:
            seen.add(each)
            waiting.append(each)
    return found


def needs(name: str, extras: frozenset[str]) -> set[tuple[str, frozenset[str]]]:
    try:
        lines = requires(name) or []
    except PackageNotFoundError:
        return set()
    wanted = (Requirement(line) for line in lines)
    return {
        (canonicalize_name(one.name), frozenset(one.extras))
        for one in wanted
        if one.marker is None or any(one.marker.evaluate({"extra": extra}) for extra in extras or {""})
    }


def absent() -> Iterator[str]:
    """Top-level packages that are installed here and not required."""
    there = required("trueward-server")
    for package, distributions in packages_distributions().items():
        if there.isdisjoint(map(canonicalize_name, distributions)):
            yield package


def test_the_service_scores_with_its_required_packages_alone(tmp_path: Path) -> None:
    names = set(absent()) - set(sys.stdlib_module_names)
    assert {"redis", "torch", "transformers", "mypy"} <= names
    (tmp_path / "sitecustomize.py").write_text(f"ABSENT = {names!r}\n{_HIDE}")
    with serving(tmp_path, prefix=["env", f"PYTHONPATH={tmp_path}"]) as service:
        body = {"verifier": "math", "samples": [{"response": "\\boxed{1/2}", "reference": "0.5"}]}
        answer = httpx2.post(f"{service.url}/v1/verify", json=body, timeout=60)
        assert [verdict["outcome"] for verdict in answer.json()["verdicts"]] == ["correct"]
        assert httpx2.get(f"{service.url}/ui/runs", timeout=60).status_code == 200
        assert not re.search("ModuleNotFoundError", service.log.read_text())
