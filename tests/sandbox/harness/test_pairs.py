"""Honest programs get the same verdict in one process and split, right ones and wrong ones, in the local sandbox."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
import yaml

from sandbox.base import run
from sandbox.harness import (
    TestResult,
    assertions_program,
    candidate_program,
    read_results,
    same_process_program,
)
from sandbox.limits import Limits
from sandbox.local import LocalSandbox
from tests.sandbox.harness.test_hostile import JUDGED, VALUES

PAIRS: list[dict[str, Any]] = yaml.safe_load((Path(__file__).parent / "pairs.yaml").read_text(encoding="utf-8"))
LIMITS = Limits(wall_s=20.0, cpu_s=20.0)
pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def sandbox() -> AsyncIterator[LocalSandbox]:
    local = LocalSandbox()
    yield local
    await local.close()


async def same_process(sandbox: LocalSandbox, code: str, tests: list[str], entry: str | None) -> list[TestResult]:
    program = same_process_program("python", code, tests, 10.0, entry_point=entry)
    return read_results(await run(sandbox, program, LIMITS), len(tests), same_process=True)


async def split(sandbox: LocalSandbox, code: str, tests: list[str], entry: str | None) -> list[TestResult]:
    first = assertions_program("python", tests, 10.0, entry_point=entry)
    ended, _ = await sandbox.pair(first, candidate_program("python", code), LIMITS)
    return read_results(ended, len(tests))


def passed(results: list[TestResult]) -> list[bool]:
    return [result.passed for result in results]


async def test_there_are_enough_pairs_with_distinct_names() -> None:
    names = [pair["name"] for pair in PAIRS]
    assert len(set(names)) == len(names) >= 60


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["name"] for pair in PAIRS])
async def test_both_modes_agree_on_a_right_and_a_wrong_program(sandbox: LocalSandbox, pair: dict[str, Any]) -> None:
    tests, entry = pair["tests"], pair.get("entry_point")
    right = await same_process(sandbox, pair["right"], tests, entry)
    wrong = await same_process(sandbox, pair["wrong"], tests, entry)
    assert passed(right) == [True] * len(tests), right
    assert not all(passed(wrong)), wrong
    right_split = await split(sandbox, pair["right"], tests, entry)
    wrong_split = await split(sandbox, pair["wrong"], tests, entry)
    if "split" in pair:
        assert {result.status for result in right_split} == {pair["split"]}, right_split
        assert not all(passed(wrong_split)), wrong_split
        return
    assert passed(right_split) == [True] * len(tests), right_split
    assert passed(wrong_split) == passed(wrong), (wrong_split, wrong)


@pytest.mark.parametrize("name", VALUES)
async def test_no_hostile_value_passes_there_either(sandbox: LocalSandbox, name: str) -> None:
    tests = JUDGED if "endless" not in name else JUDGED[:2]
    assert not any(passed(await split(sandbox, VALUES[name], tests, None)))
