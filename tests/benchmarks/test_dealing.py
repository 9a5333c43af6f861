"""Runs whose prompts are dealt in many ways: they are what they say, and a watch is silent on the healthy ones."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.dealing import DEALS, KNOWN, dealt
from benchmarks.dealt_runs import LARGE, OF_ONE_SOURCE, SMALL, SPOILT, delays_of_one_source, healthy, spoilt
from benchmarks.delays import START, found
from benchmarks.report import Call


@pytest.mark.parametrize("prompts", [SMALL, LARGE])
@pytest.mark.parametrize("deal", DEALS)
def test_a_healthy_run_raises_no_alarm_however_its_prompts_are_dealt(deal: str, prompts: int) -> None:
    steps = 150 if prompts == SMALL else 60
    assert found(healthy(deal, 40_001, prompts, steps), steps) == []


def test_sources_differ_and_prompts_that_come_again_are_easier() -> None:
    run = healthy("whole batches by turns", 3)
    shares = [run.accepted[run.source == f"source-{one}"].mean() for one in (0, 1)]
    assert shares[1] > shares[0] + 0.3
    assert set(run.source[run.step == 7]) == {"source-1"}
    again = dealt("three passes and more", 3, 200, SMALL)
    first = again.easier[: 50 * SMALL]
    assert np.ptp(first) == 0
    assert again.easier[50 * SMALL :][: 50 * SMALL] == pytest.approx(first + KNOWN[1])


@pytest.mark.parametrize("name", OF_ONE_SOURCE)
def test_a_fault_of_one_source_leaves_the_others_and_the_past_alone(name: str) -> None:
    run, usual = spoilt(name, 1), healthy(OF_ONE_SOURCE[name].deal, 1)
    same = (run.source != SPOILT) | (run.step < START)
    for column in ("right", "accepted", "length", "cause", "answer"):
        assert (getattr(run, column)[same] == getattr(usual, column)[same]).all()
    assert any((getattr(run, one) != getattr(usual, one)).any() for one in ("accepted", "length", "cause"))


def test_a_fault_of_one_source_is_found() -> None:
    [delay] = delays_of_one_source(Call("short", Path()), ["by turns: exploit of 40%"], [0, 1], 10)
    assert (delay.found, delay.early) == (2, 0)
    assert delay.watch <= 16
