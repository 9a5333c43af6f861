"""What becomes of a test."""

from __future__ import annotations

import pytest

from sandbox.base import Status
from verifiers.code.result import Report, Result, TestStatus, translate_status


@pytest.mark.parametrize("status", TestStatus)
def test_only_a_test_that_passed_is_passed(status: TestStatus) -> None:
    report = Report([Result("stdio", 0, "", TestStatus.PASSED), Result("stdio", 1, "", status)])
    assert report.fraction == (1.0 if status is TestStatus.PASSED else 0.5)


@pytest.mark.parametrize("status", Status)
def test_no_end_of_a_program_passes_a_test_that_it_left_without_an_answer(status: Status) -> None:
    assert translate_status(status) is not TestStatus.PASSED
