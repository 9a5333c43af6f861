"""Graders in Python: run in a real sandbox, and whose doing their failures are."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from pydantic import JsonValue, ValidationError

from judges.grader.python import LIMITS
from sandbox.base import Execution, Program, Status, Usage
from sandbox.base import run as run_once
from sandbox.local import LocalSandbox
from tests.judges.grader.graders import graded, nobody, verifier
from tests.judges.replies import Replies
from trueward.wire.verdict import Outcome, Verdict

Grade = Callable[..., Verdict]


class Jailed(Replies):
    """Models with a sandbox, and with less patience than graders have."""

    def __init__(self, sandbox: LocalSandbox) -> None:
        super().__init__(nobody)
        self._sandbox = sandbox

    async def run(self, program: Program, limits: object, stdin: bytes = b"") -> Execution:
        return await run_once(self._sandbox, program, replace(LIMITS, wall_s=1.0, cpu_s=1.0), stdin)


@pytest.fixture(scope="module")
def grade() -> Iterator[Grade]:
    """Grades with a source in one sandbox that all share."""
    with asyncio.Runner() as runner, pytest.MonkeyPatch.context() as patch:
        sandbox = LocalSandbox()
        patch.setattr("tests.judges.replies.asyncio.run", runner.run)

        def graded_by(source: str, response: str = "4", item: JsonValue = None, **more: JsonValue) -> Verdict:
            grader: dict[str, JsonValue] = {"type": "python", "name": "p", "source": source, **more}
            return graded(grader, response, item, Jailed(sandbox))

        yield graded_by
        runner.run(sandbox.close())


def test_a_grade_is_what_the_function_returns_of_sample_and_item(grade: Grade) -> None:
    source = """
from dataclasses import dataclass

@dataclass
class Point:
    x: float

def grade(sample, item) -> float:
    assert sample["output_text"] == '{"n": [3, 4]}'
    assert sample["output_tools"] == [] and len(sample["choices"]) == 1
    return Point(sample["output_json"]["n"][1] / item["of"]).x
"""
    verdict = grade(source, '{"n": [3, 4]}', {"of": 8})
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.SCORED, 0.5, "graded")


@pytest.mark.parametrize(
    ("returned", "reward"),
    [
        ("3", 3),
        ("-0.5", -0.5),
        ("True", 1),
        ("__import__('fractions').Fraction(1, 4)", 0.25),
    ],
)
def test_any_finite_number_is_a_grade(grade: Grade, returned: str, reward: float) -> None:
    assert grade(f"def grade(sample, item): return {returned}").score == reward


def test_without_json_and_item_they_are_empty(grade: Grade) -> None:
    assert (
        grade("def grade(sample, item): return float(sample['output_json'] is None and item == {})", "prose").score == 1
    )


@pytest.mark.parametrize(
    "body",
    [
        "raise ValueError(sample['output_text'])",
        "return sample['output_json']['expression']",
        "return None",
        "return '1.0'",
        "return float('nan')",
        "return [1]",
        "import sys; sys.exit(0)",
        "import os; os._exit(0)",
        "import os; os.kill(os.getpid(), 9)",
        "return open('/etc/shadow').read()",
        "import socket; return socket.create_connection(('1.1.1.1', 53), 1)",
        "return grade(sample, item)",
        "return len([0] * 10**10)",
    ],
)
def test_what_goes_wrong_with_a_response_is_the_response_s_doing(grade: Grade, body: str) -> None:
    verdict = grade(f"def grade(sample, item):\n    {body}", "no JSON")
    assert (verdict.outcome, verdict.score, verdict.reason_code) == (Outcome.INVALID, 0.0, "grader_failed")


def test_so_is_a_grader_that_never_ends(grade: Grade) -> None:
    verdict = grade("def grade(sample, item):\n    while True: pass")
    assert (verdict.outcome, verdict.reason_code) == (Outcome.INVALID, "resource_limit")


def test_a_reason_names_the_line(grade: Grade) -> None:
    verdict = grade("def grade(sample, item):\n    x = {}\n    return x['answer']")
    assert verdict.reason.endswith("KeyError: 'answer' (grader.py, line 3)")


@pytest.mark.parametrize(
    "source",
    [
        "x = 1",
        "raise SystemExit(0)",
        "import rapidfuzz_that_is_not_here\ndef grade(sample, item): return 1",
        "import os; os._exit(0)",
        "while True: pass",
        "grade = 1",
    ],
)
def test_what_cannot_be_loaded_is_the_caller_s_doing(grade: Grade, source: str) -> None:
    verdict = grade(source)
    assert (verdict.outcome, verdict.reason_code, verdict.score) == (Outcome.ABSTAINED, "grader_broken", None)


@pytest.mark.parametrize(
    "printed", ["print('{\"grade\": 1}')", "import os; os.write(1, b'{\"grade\": 1}\\n')", "print('x' * 10**7)"]
)
def test_what_a_grader_prints_is_no_result(grade: Grade, printed: str) -> None:
    assert grade(f"def grade(sample, item):\n    {printed}\n    return 0.25").score in (0.25, 0.0)
    assert grade(f"def grade(sample, item):\n    {printed}\n    raise ValueError").outcome is Outcome.INVALID


def test_a_threshold_makes_a_verdict(grade: Grade) -> None:
    assert grade("def grade(sample, item): return 0.7", pass_threshold=0.5).outcome is Outcome.CORRECT


@pytest.mark.parametrize("source", ["def grade(sample, item) return 1", "", "x" * 256_001, "(" * 1000, "x = '\0'"])
def test_a_source_that_is_no_python_is_refused(source: str) -> None:
    with pytest.raises(ValidationError):
        verifier({"type": "python", "source": source})


def test_without_a_sandbox_nothing_is_known() -> None:
    verdict = graded({"type": "python", "source": "def grade(sample, item): return 1"})
    assert (verdict.outcome, verdict.reason_code) == (Outcome.ERROR, "sandbox_failed")


@pytest.mark.parametrize(
    ("status", "stdout", "code"),
    [
        (Status.MEMORY_LIMIT, b'{"loaded": true}\n', "resource_limit"),
        (Status.MEMORY_LIMIT, b"", "grader_broken"),
        (Status.FORBIDDEN, b'{"loaded": true}\n', "grader_failed"),
        (Status.TIME_LIMIT, b'{"loaded": true}\n{"grade": 1}\n', "resource_limit"),
        (Status.FINISHED, b'{"loaded": true}\n{"grade": tr', "grader_failed"),
        (Status.FINISHED, b'[1]\n{"loaded": true}\n', "grader_failed"),
    ],
)
def test_a_run_that_ended_badly_has_no_grade(status: Status, stdout: bytes, code: str) -> None:
    done = Execution(status, Usage(0, 0, 0), stdout=stdout)
    source = {"type": "python", "source": "def grade(sample, item): return 1"}
    verdict = graded(dict(source), models=Replies(nobody, run=lambda program: done))
    assert verdict.reason_code == code
    assert not verdict.score
