"""Runs tests against a candidate's program so that neither can reach the other (see PROTOCOL.md).

Three ways. *Calls*: the candidate's process answers calls with plain data, and the host compares. *Split*: the tests
run in the first jail of a pair (:func:`assertions_program`, :func:`command_program`), the candidate in the second
(:func:`candidate_program`); what came of the tests is read from a file of the tests' jail (:func:`read_results`).
*Same process*: tests and candidate in one interpreter, which can be forged. Python and JavaScript; test files with a
command in Python alone. What an outcome means for a reward is ``verifiers/code``'s to say.
"""

from sandbox.harness.calls import (
    Call,
    Instance,
    MethodCall,
    NotPlain,
    Raised,
    Result,
    Returned,
    encode_calls,
    results_of,
)
from sandbox.harness.programs import (
    RESULTS,
    HarnessError,
    assertions_program,
    calls_program,
    candidate_program,
    command_program,
    same_process_program,
)
from sandbox.harness.results import TestResult, TestStatus, read_results

__all__ = [
    "RESULTS",
    "Call",
    "HarnessError",
    "Instance",
    "MethodCall",
    "NotPlain",
    "Raised",
    "Result",
    "Returned",
    "TestResult",
    "TestStatus",
    "assertions_program",
    "calls_program",
    "candidate_program",
    "command_program",
    "encode_calls",
    "read_results",
    "results_of",
    "same_process_program",
]
