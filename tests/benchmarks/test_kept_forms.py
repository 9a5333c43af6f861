"""The short forms of the benchmarks of what a service keeps, jobs and keys, run, and their claims hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.benchmarks.forms import ran

pytestmark = pytest.mark.benchmark


def test_a_job_survives_the_kill_of_its_service(tmp_path: Path) -> None:
    story = ran("million", tmp_path)["story"]
    assert isinstance(story, dict)
    assert isinstance(story["restart_s"], list)
    assert len(story["restart_s"]) == 1


def test_guesses_are_refused_and_timed(tmp_path: Path) -> None:
    medians = ran("guessing", tmp_path)["median_s"]
    assert isinstance(medians, dict)
    assert len(medians) == 3
