"""The verifier as a whole: the task it gives, whose doing each failure is, its parameters, its contract."""

from __future__ import annotations

import pickle
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import pytest
from pydantic import JsonValue, ValidationError

from sandbox.base import Execution, Program, Sandbox, SandboxFailure, Unsupported, Workspace
from sandbox.limits import Limits
from tests.verifiers.code.judging import fenced, judged
from trueward import Sample, Verdict
from verifiers.code import CodeVerifier
from verifiers.code.params import CodeParams

SUM: JsonValue = {"stdio": [{"stdin": "1 2", "stdout": "3"}]}
RIGHT = fenced("print(sum(map(int, input().split())))")


class BrokenSandbox:
    """Fails in the way that it is told, for the languages that it is told."""

    name = "broken"

    def __init__(self, failure: Exception, missing: str = "") -> None:
        self._failure, self._missing = failure, missing

    def open(self, program: Program, limits: Limits) -> AbstractAsyncContextManager[Workspace]:
        return self._open()

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Workspace]:
        raise self._failure
        yield  # a context manager is a generator

    async def pair(self, first: Program, second: Program, limits: Limits) -> tuple[Execution, Execution]:
        raise self._failure

    async def languages(self) -> dict[str, str]:
        return {"python": "", "ruby": "ruby is not installed", "c": ""} | (
            {self._missing: "no"} if self._missing else {}
        )

    async def close(self) -> None:
        return None


def task(sample: Sample, params: dict[str, JsonValue] | None = None) -> object:
    found = CodeVerifier(CodeParams.model_validate(params or {})).triage(sample)
    assert not isinstance(found, Verdict), found
    return found


def test_the_task_holds_neither_prompt_nor_thinking() -> None:
    sample = Sample(prompt="PROMPT", response=f"<think>THOUGHT</think>{RIGHT}", reference=SUM, hint="HINT")
    found = task(sample)
    written = pickle.dumps(found)
    assert not any(word in written for word in (b"PROMPT", b"THOUGHT", b"HINT"))
    assert pickle.loads(written) == found


def test_tasks_of_the_same_program_are_equal() -> None:
    one = task(Sample(prompt="a", response=f"First.\n{RIGHT}", reference=SUM))
    other = task(
        Sample(prompt="b", response=f"Second.\n{RIGHT}", reference='{"stdio": [{"stdin": "1 2", "stdout": "3"}]}')
    )
    assert one == other
    assert hash(one) == hash(other)


@pytest.mark.parametrize(
    "reference",
    [
        SUM,
        {"calls": [{"function": "f", "expected": 1}]},
        {"assertions": ["assert f() == 1"]},
        {"files": {"test_a.py": ""}, "command": "pytest"},
        {"interactive": {"interactor": {"language": "python", "source": "pass"}}},
        [SUM, SUM, {"assertions": ["pass"]}],
    ],
)
@pytest.mark.asyncio(loop_scope="module")
async def test_a_failure_of_the_sandbox_is_raised_through(reference: JsonValue) -> None:
    with pytest.raises(SandboxFailure):
        await judged(BrokenSandbox(SandboxFailure("the worker died")), RIGHT, reference)


@pytest.mark.asyncio(loop_scope="module")
async def test_a_language_that_is_missing_here_is_charged_to_whoever_chose_it() -> None:
    broken = BrokenSandbox(Unsupported("ruby is not installed"))
    ruby = fenced("puts 3", "ruby")
    chosen = await judged(broken, ruby, SUM)
    assert (chosen.outcome, chosen.reason_code) == ("invalid", "unsupported_language")
    asked = await judged(broken, ruby, SUM, {"language": "ruby"})
    assert (asked.outcome, asked.reason_code) == ("abstained", "sandbox_unsupported")


@pytest.mark.asyncio(loop_scope="module")
async def test_what_the_sandbox_cannot_do_in_any_language_is_not_the_responses_doing() -> None:
    broken = BrokenSandbox(Unsupported("no pairs here"))
    verdict = await judged(broken, RIGHT, {"assertions": ["pass"]})
    assert (verdict.outcome, verdict.reason_code) == ("abstained", "sandbox_unsupported")


@pytest.mark.asyncio(loop_scope="module")
async def test_of_two_references_one_that_cannot_be_judged_leaves_the_question_open(sandbox: Sandbox) -> None:
    checker: JsonValue = {"language": "python", "source": "import sys; sys.exit(1)"}
    broken: JsonValue = {"stdio": [{"stdin": "1 2", "stdout": "3"}], "checker": checker}
    assert (await judged(sandbox, RIGHT, [broken, SUM])).outcome == "correct"
    assert (await judged(sandbox, fenced("print(4)"), [SUM, broken])).outcome == "abstained"


@pytest.mark.asyncio(loop_scope="module")
async def test_several_kinds_stand_together(sandbox: Sandbox) -> None:
    reference: JsonValue = {
        "stdio": [{"stdin": "4", "stdout": "8"}],
        "calls": [{"function": "double", "args": [1], "expected": 3}],
        "assertions": ["assert double(0) == 0"],
    }
    code = "def double(x):\n    return 2 * x\nif __name__ == '__main__':\n    print(double(int(input())))"
    verdict = await judged(sandbox, fenced(code), reference)
    tests = verdict.evidence["tests"]
    assert isinstance(tests, list)
    found = [(test["kind"], test["status"]) for test in tests if isinstance(test, dict)]
    assert found == [("stdio", "passed"), ("calls", "wrong_value"), ("assertions", "passed")]


@pytest.mark.parametrize(
    "params",
    [
        {"language": "klingon"},
        {"block": "second"},
        {"comparison": "fuzzy"},
        {"absolute_tolerance": -1},
        {"limits": {"wall_s": 0}},
        {"limits": {"memory_bytes": 1}},
        {"limits": {"time": 1}},
        {"feedback": "all"},
        {"order": "random"},
    ],
)
def test_bad_parameters_are_refused(params: dict[str, JsonValue]) -> None:
    with pytest.raises(ValidationError):
        CodeParams.model_validate(params)


def test_a_language_is_known_by_its_aliases() -> None:
    assert CodeParams.model_validate({"language": "C++"}).language == "cpp"
