"""Which models are in memory: the budget, who is let go, and what becomes of those that cannot be loaded."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest

from judges.base import ModelUnavailable
from judges.engine.residency import RETRY_MAX_S, RETRY_S, Residency
from judges.engine.work import Loader, OutOfMemory
from tests.judges.engine import fakes
from trueward.wire.model import ModelEntry, WeightsRequest


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def residency(clock: Clock, *entries: ModelEntry, memory_bytes: int = 100, load: Loader = fakes.load) -> Residency:
    made = Residency(load, device="cpu", memory_bytes=memory_bytes, clock=clock)
    for entry in entries:
        made.register(entry, [])
    return made


def test_the_longest_unused_model_is_let_go(clock: Clock) -> None:
    models = residency(clock, *(fakes.entry(name, bytes=40) for name in "abc"))
    for name in "aba":
        models.get(name)
    models.get("c")
    assert models.resident == ("a", "c")
    assert (models.loads, models.evictions, models.bytes) == (3, 1, 80)
    assert models.status()["b"].state == "registered"


def test_a_model_runs_on_the_device_that_its_engine_has(clock: Clock) -> None:
    loaded = residency(clock, fakes.entry()).get("m")
    assert isinstance(loaded, fakes.Fake)
    assert loaded.device == "cpu"


def test_a_model_larger_than_the_budget_is_refused_and_costs_no_other_its_place(clock: Clock) -> None:
    models = residency(clock, fakes.entry("small", bytes=10), fakes.entry("huge", bytes=101))
    models.get("small")
    for _ in range(2):
        with pytest.raises(ModelUnavailable, match="its weights take 101 bytes, and all models may take 100"):
            models.get("huge")
        clock.now += RETRY_MAX_S
    assert models.resident == ("small",)


def test_a_model_that_cannot_be_loaded_is_tried_again_after_pauses_that_double(clock: Clock) -> None:
    tries = []

    def broken(entry: ModelEntry) -> fakes.Fake:
        tries.append(clock.now)
        raise OSError("no such file")

    models = residency(clock, fakes.entry(), load=broken)
    for _ in range(2000):
        with pytest.raises(ModelUnavailable, match="OSError: no such file"):
            models.get("m")
        clock.now += 1
    pauses = [later - earlier for earlier, later in pairwise(tries)]
    assert pauses == [min(RETRY_MAX_S, RETRY_S * 2**failures) for failures in range(len(pauses))]
    assert pauses[-1] == RETRY_MAX_S
    models.register(fakes.entry(), [])
    with pytest.raises(ModelUnavailable):
        models.get("m")
    assert tries[-1] == clock.now


def test_where_memory_runs_out_at_a_load_others_are_let_go_one_by_one(clock: Clock) -> None:
    models = residency(clock, *(fakes.entry(name) for name in "abc"))

    def tight(entry: ModelEntry) -> fakes.Fake:
        if len(models.resident) >= 2:
            raise OutOfMemory("full")
        return fakes.load(entry)

    models._loader = tight
    for name in "abc":
        models.get(name)
    assert models.resident == ("b", "c")


def test_a_model_that_warms_up_in_no_memory_is_unavailable(clock: Clock) -> None:
    models = residency(clock, fakes.entry("other"), fakes.entry("m", memory=3))
    models.get("other")
    with pytest.raises(ModelUnavailable, match="OutOfMemory"):
        models.get("m")
    assert models.status()["m"].state == "failed"


def test_weights_are_replayed_from_the_last_whole_ones(clock: Clock, tmp_path: Path) -> None:
    log = tmp_path / "log"
    models = residency(clock, fakes.entry(log=log))
    for path in ("part", "whole", "part", "part"):
        models.swap("m", WeightsRequest(path=path))
    models.evict("m")
    assert models.weights("m") == 4
    assert models.get("m").weights == 4
    replayed = log.read_text().split("load m\n")[2].splitlines()
    assert replayed[:3] == ["swap m whole 2", "swap m part 3", "swap m part 4"]


def test_weights_that_are_gone_make_the_model_unavailable(clock: Clock) -> None:
    models = residency(clock)
    models.register(fakes.entry(), [WeightsRequest(path="truncated", version=3)])
    with pytest.raises(ModelUnavailable, match="its weights of version 3 are gone: the file is truncated"):
        models.get("m")
