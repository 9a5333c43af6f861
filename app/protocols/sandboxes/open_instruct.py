"""open-instruct's code API: ``POST /test_program`` (assertions) and ``POST /test_program_stdio``.

Its client counts every refusal as a score of 0 at once, so a request is held until a program could be run, and
``results`` is never empty where there are tests. Its third form of ``tests``, a pickle in base64, is refused:
nothing is ever unpickled here.
"""

from __future__ import annotations

import json
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, JsonValue, StrictStr, ValidationError

from trueward.errors import InvalidRequest
from trueward.wire.base import Number
from trueward.wire.verdict import Outcome, Verdict

FAILED_S = -1.0
MOST_S = 600.0
AT_ONCE = 100
"""Tests that one run of the program meets: so many a verdict tells one by one."""

_MARGIN_S = 5.0
_OURS = frozenset({"sandbox_unsupported", "aborted"})
"""Why a program was not judged that nobody who wrote tests can change."""


class ProgramInputOutput(BaseModel):
    model_config = ConfigDict(extra="ignore")

    input: StrictStr = ""
    output: StrictStr


class TestProgram(BaseModel):
    """``max_execution_time`` is that of one test, in seconds."""

    __test__ = False
    model_config = ConfigDict(extra="ignore", allow_inf_nan=False)

    program: StrictStr
    tests: list[JsonValue] | StrictStr
    max_execution_time: Annotated[Number, Field(gt=0, le=600)] = 1.0


class TestResults(BaseModel):
    __test__ = False

    results: list[int]
    runtimes: list[float]


def tests_of(body: TestProgram) -> list[JsonValue]:
    """The list of tests, also where it came as JSON text. Raises :class:`InvalidRequest`."""
    if isinstance(body.tests, list):
        return body.tests
    try:
        found = json.loads(body.tests)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise refusal("tests", "tests must be a list, or a list as JSON text; pickled tests are refused")
    return found


def assertions(body: TestProgram) -> list[JsonValue]:
    """The tests of ``/test_program``."""
    tests = tests_of(body)
    for index, test in enumerate(tests):
        if not isinstance(test, str) or not test.strip():
            raise refusal(f"tests.{index}", "an assertion is a string with a statement")
    return tests


def stdio(body: TestProgram) -> list[JsonValue]:
    """The tests of ``/test_program_stdio``, as the ``code`` verifier writes them."""
    pairs: list[JsonValue] = []
    for index, test in enumerate(tests_of(body)):
        try:
            pair = ProgramInputOutput.model_validate(test)
        except ValidationError as unfit:
            raise refusal(f"tests.{index}", unfit.errors()[0]["msg"]) from None
        pairs.append({"stdin": pair.input, "stdout": pair.output})
    return pairs


def refuses_tests(verdict: Verdict) -> bool:
    """Whether the tests are why there is no verdict, whatever the program and the sandbox are."""
    return verdict.outcome is Outcome.ABSTAINED and verdict.reason_code not in _OURS


def refusal(field: str, detail: str) -> InvalidRequest:
    return InvalidRequest.at_field(field, "value", detail, message=f"{field}: {detail}")


def params(body: TestProgram, count: int) -> dict[str, JsonValue]:
    """Parameters of the ``code`` verifier for that many tests."""
    suite_s = min(MOST_S, body.max_execution_time * count + _MARGIN_S)
    limits: dict[str, JsonValue] = {"wall_s": body.max_execution_time, "suite_s": suite_s}
    return {"language": "python", "block": "whole", "feedback": "none", "limits": limits}


def outcomes(verdict: Verdict, count: int) -> list[tuple[int, float]]:
    """Of each of so many tests: 1 or 0, and its seconds. The verdict is one on the program."""
    found = [(0, FAILED_S)] * count
    tests = verdict.evidence.get("tests")
    for test in tests if isinstance(tests, list) else []:
        assert isinstance(test, dict)
        index, elapsed_s = test["index"], test.get("elapsed_s", 0.0)
        assert isinstance(index, int)
        assert isinstance(elapsed_s, (int, float))
        if test["status"] == "passed":
            found[index] = (1, elapsed_s)
    return found
