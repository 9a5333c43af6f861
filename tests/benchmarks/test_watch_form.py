"""The benchmark of watches: its CUSUM is right by hand, and its runs are healthy until their fault."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from benchmarks.cusum import Told, labelled, of_rate, rejected_groups
from benchmarks.delays import OF_FAULT, delays, first_alarm
from benchmarks.policies import FALSE_NEGATIVE, FALSE_POSITIVE, FAULTS, clean
from benchmarks.report import Call


def test_the_cusum_crosses_when_its_sum_does() -> None:
    quiet = [np.array([1.0, -2.0, 1.0, 1.0]), np.array([0.5, 0.5, -3.0, 0.1])]
    told = Told(quiet, [np.array([-9.0, 1.5, 1.5, 1.5]), np.array([5.0, -1.0, -1.0, -1.0])], start=1)
    assert told.delays(0.0) == [2, 3]


def test_a_healthy_run_errs_at_its_verifiers_rates() -> None:
    runs = [clean(seed, 100) for seed in range(4)]
    for truth, rate in ((0.0, FALSE_POSITIVE), (1.0, FALSE_NEGATIVE)):
        counts = [labelled(truth)(run) for run in runs]
        hits, trials = (sum(int((one[0] & one[1]).sum()) for one in counts), sum(int(one[1].sum()) for one in counts))
        assert abs(hits / trials - rate) < 0.03
    assert sum(int((hits & trials).sum()) for hits, trials in map(rejected_groups, runs)) <= 8


def test_every_fault_leaves_what_was_before_it_alone() -> None:
    assert FAULTS.keys() == OF_FAULT.keys()
    for fault in FAULTS.values():
        spoilt, healthy = clean(1, 40), clean(1, 40)
        fault(spoilt, 20)
        before = healthy.step < 20
        for column in ("right", "accepted", "length", "cause", "answer"):
            assert (getattr(spoilt, column)[before] == getattr(healthy, column)[before]).all()


def test_a_sudden_exploit_is_found_about_as_soon_as_can_be() -> None:
    [delay] = delays(Call("short", Path()), ["sudden exploit, 40%"], [0, 1], healthy=10)
    assert (delay.found, delay.early) == (2, 0)
    assert delay.watch <= 6
    assert delay.signals == {"false_positives": 2}


def test_the_optimum_does_not_see_what_is_not_there() -> None:
    errors = of_rate(labelled(0.0))
    quiet = [errors.read(clean(seed, 60)) for seed in range(6)]
    assert np.median(errors.tell(quiet, quiet, 20, 20).delays(0.0)) == 40


def test_a_healthy_run_under_one_policys_name_raises_no_alarm() -> None:
    assert first_alarm(clean(30_001, 200)) == (200, None)
