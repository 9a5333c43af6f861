"""The contract cases of each verifier: what it accepts, rejects, and refuses to judge, and with which code.

They were written by the verifiers' authors: a contract, never a rate. ``others`` are samples of the same request, for
verifiers that judge whole groups.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest
from pydantic import JsonValue

from sandbox.local import LocalSandbox
from tests.each import check_each
from tests.judges.scripted import verify
from trueward import Sample
from verifiers import registry
from verifiers.sandboxed import SandboxVerifier

FENCES = ("```js", "```c\n")
"""Of programs that need a tool chain: JavaScript and C."""
CASES = Path(__file__).parents[1] / "cases"
NAMES = [point.name for point in registry.BUILT_INS]
LEAST = {"math": 400, "instructions": 60, "choice": 30, "exact": 30, "numeric": 30}


def read(name: str) -> Iterator[dict[str, JsonValue]]:
    for line in (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


@pytest.fixture(scope="module", autouse=True)
def _one_sandbox() -> Iterator[None]:
    """Programs run in the same sandbox, as in the service; to start one for each takes longer than they do."""
    sandbox = LocalSandbox()
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        patch.setattr(SandboxVerifier, "check", lambda verifier, task: runner.run(verifier.execute(task, sandbox)))
        yield
        runner.run(sandbox.close())


def check(name: str, case: dict[str, JsonValue]) -> None:
    params = case["params"]
    others = case.get("others", [])
    assert isinstance(params, dict)
    assert isinstance(others, list)
    batch = [Sample.model_validate(fields) for fields in (case["sample"], *others)]
    verdict, *_ = verify(registry.create(name, params), batch)
    assert verdict.outcome == case["outcome"], verdict
    assert verdict.reason_code == case.get("reason_code", verdict.reason_code), verdict
    assert verdict.score == pytest.approx(case.get("score", verdict.score)), verdict
    verdict.model_dump_json()


def named(name: str, *, others: bool) -> Iterator[tuple[str, dict[str, JsonValue]]]:
    """The cases, each with its number: those in other languages than Python, or the rest."""
    for number, case in enumerate(read(name), start=1):
        sample = json.dumps(case["sample"])
        if (name == "code" and any(json.dumps(fence)[1:-1] in sample for fence in FENCES)) is others:
            yield f"{number} {case['note']}", case


@pytest.mark.parametrize("name", NAMES)
def test_every_case_has_its_outcome(name: str) -> None:
    check_each(named(name, others=False), partial(check, name))


@pytest.mark.toolchain
def test_every_case_in_another_language_has_its_outcome() -> None:
    check_each(named("code", others=True), partial(check, "code"))


@pytest.mark.parametrize("name", NAMES)
def test_every_verifier_has_enough_cases_of_several_kinds(name: str) -> None:
    outcomes = [case["outcome"] for case in read(name)]
    assert len(outcomes) >= LEAST.get(name, 25)
    assert len(set(outcomes)) >= 3
