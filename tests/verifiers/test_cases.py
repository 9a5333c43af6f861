"""The contract cases of each verifier: what it accepts, rejects, and refuses to judge, and with which code.

They were written by the verifiers' authors: a contract, never a rate. ``others`` are samples of the same request, for
verifiers that judge whole groups.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import JsonValue

from trueward import Sample
from verifiers import registry

CASES = Path(__file__).parents[1] / "cases"
NAMES = [point.name for point in registry.BUILT_INS]
LEAST = {"math": 400, "instructions": 60, "choice": 30, "exact": 30, "numeric": 30}


def read(name: str) -> Iterator[dict[str, JsonValue]]:
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


ALL = [
    pytest.param(name, case, id=f"{name}-{number}-{str(case['note'])[:50]}")
    for name in NAMES
    for number, case in enumerate(read(name), start=1)
]


@pytest.mark.parametrize(("name", "case"), ALL)
def test_case(name: str, case: dict[str, JsonValue]) -> None:
    params = case["params"]
    others = case.get("others", [])
    assert isinstance(params, dict)
    assert isinstance(others, list)
    batch = [Sample.model_validate(fields) for fields in (case["sample"], *others)]
    verdict, *_ = registry.create(name, params).verify(batch)
    assert verdict.outcome == case["outcome"], verdict
    assert verdict.reason_code == case.get("reason_code", verdict.reason_code), verdict
    assert verdict.score == pytest.approx(case.get("score", verdict.score)), verdict
    verdict.model_dump_json()


@pytest.mark.parametrize("name", NAMES)
def test_every_verifier_has_enough_cases_of_several_kinds(name: str) -> None:
    outcomes = [case["outcome"] for case in read(name)]
    assert len(outcomes) >= LEAST.get(name, 25)
    assert len(set(outcomes)) >= 3
