"""The contract cases of extraction: which text, found by which rule, or why there is no answer.

They were written by the authors of the rules: a contract, never a rate.
"""

from __future__ import annotations

import json
from pathlib import Path

from pydantic import JsonValue

from tests.each import check_each
from trueward import Sample
from verifiers.extract import Answer, NoAnswer, Policy, extract

PATH = Path(__file__).parents[1] / "cases" / "extraction.jsonl"
CASES: list[dict[str, JsonValue]] = [json.loads(line) for line in PATH.read_text(encoding="utf-8").splitlines()]


def policy(case: dict[str, JsonValue]) -> Policy | list[Policy]:
    named = case["policy"]
    return [Policy(str(name)) for name in named] if isinstance(named, list) else Policy(str(named))


def check(case: dict[str, JsonValue]) -> None:
    found = extract(Sample.model_validate(case["sample"]), policy(case))
    if "reason_code" in case:
        assert isinstance(found, NoAnswer), found
        assert found.reason_code == case["reason_code"], found
        return
    assert isinstance(found, Answer), found
    assert found.text.strip() == case["text"], found
    for name in ("rule", "parts", "labels"):
        if name in case:
            value = getattr(found, name)
            assert (list(value) if isinstance(value, tuple) else value) == case[name], found


def test_every_case_is_extracted_as_it_says() -> None:
    check_each(((f"{number} {case['note']}", case) for number, case in enumerate(CASES, start=1)), check)


def test_there_are_enough_and_each_is_named_once() -> None:
    assert len(CASES) >= 150
    names = [case["note"] for case in CASES]
    assert sorted({str(name) for name in names if names.count(name) > 1}) == []
