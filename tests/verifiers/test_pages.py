"""Every reason code that a built-in verifier's cases show is on its page."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.judges.scripted import verify
from trueward import Sample
from verifiers import registry

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize("name", [point.name for point in registry.BUILT_INS])
def test_the_page_names_every_reason_code_that_is_given(name: str) -> None:
    page = (ROOT / "docs" / "verifiers" / f"{name}.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`([a-z_]+)`", page))
    given = set()
    for line in (ROOT / "tests" / "cases" / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if "reason_code" in case and "others" not in case:
            given.add(case["reason_code"])  # test_cases.py holds the verdict to it
            continue
        batch = [Sample.model_validate(fields) for fields in (case["sample"], *case.get("others", []))]
        given |= {verdict.reason_code for verdict in verify(registry.create(name, case["params"]), batch)}
    assert given - documented == set()
