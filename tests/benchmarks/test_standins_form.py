"""The short form of the benchmark of stand-ins, and what it claims holds."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

from benchmarks.standing.protocols import PROTOCOLS
from benchmarks.standins import SCENES, advantages, draws, means_so_far
from tests.benchmarks.forms import ran


@pytest.mark.benchmark
def test_each_protocol_is_measured_in_each_scene(tmp_path: Path) -> None:
    document = ran("standins", tmp_path)
    found = document["found"]
    assert isinstance(found, list)
    assert len(found) == len(PROTOCOLS) * len(SCENES) + 1


def test_a_mean_of_that_moment_is_an_advantage() -> None:
    """What the benchmark measures can be large: by the mean of what came before it is."""
    sent = draws("whole groups", 24, 64, Random(1))
    numbers = [float(one.label is not None and f"{{{one.label}}}" in one.response) for one in sent]
    assert max(advantages(sent, means_so_far(sent, numbers))) > 1.0
    assert max(advantages(sent, [number if one.label else 0.5 for one, number in zip(sent, numbers, strict=True)])) == 0
