"""The short forms of the benchmarks of load run, keep their claims, and leave documents that say what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.revisions import KINDS, main
from tests.benchmarks.forms import ran, read

pytestmark = [pytest.mark.benchmark, pytest.mark.usefixtures("lent")]


def test_path_measures_every_target_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("path", tmp_path)
    targets, aims = document["targets"], document["aims"]
    assert isinstance(targets, dict)
    assert isinstance(aims, list)
    assert len(targets) == 9
    assert len(aims) == 3
    for name, target in targets.items():
        assert isinstance(target, dict)
        median = target["median"]
        assert isinstance(median, dict)
        assert median["failed"] == 0, name
        assert name.startswith("empty") or median["right"] == 1.0, name


def test_trainers_sends_every_call_of_both_protocols_and_judges_every_aim(tmp_path: Path) -> None:
    document = ran("trainers", tmp_path)
    targets, aims, scale = (document[name] for name in ("targets", "aims", "scale"))
    assert isinstance(targets, dict)
    assert isinstance(aims, list)
    assert isinstance(scale, dict)
    assert len(targets) == 9
    assert len(aims) == 4
    for name, target in targets.items():
        assert isinstance(target, dict)
        median = target["median"]
        assert isinstance(median, dict)
        counts = [kind["count"] for kind in (median["exact"], median["symbolic"]) if isinstance(kind, dict)]
        assert sum(count for count in counts if isinstance(count, int)) == scale["calls"], name
        assert median["failed"] == 0, name
        assert median["right"] == 1.0, name
        assert median["client_cpu_per_sample_s"] != 0, name


def test_slow_judge_costs_no_trainer_a_reward_that_waiting_gives(tmp_path: Path) -> None:
    found = ran("slow_judge", tmp_path)["found"]
    assert isinstance(found, dict)
    trainers = found["trainers"]
    assert isinstance(trainers, list)
    assert len(trainers) == 4
    for one in trainers:
        assert isinstance(one, dict)
        assert one["samples"], one["name"]


def test_judges_counts_the_calls_of_every_group(tmp_path: Path) -> None:
    document = ran("judges", tmp_path)
    saved, aims = document["saved"], document["aims"]
    assert isinstance(saved, list)
    assert isinstance(aims, list)
    assert len(saved) == 6
    assert len(aims) == 1


def test_revisions_asks_both_for_every_kind_of_request(tmp_path: Path) -> None:
    main(["--short", "--before", "HEAD", "--results", str(tmp_path)])
    costs = read("revisions", tmp_path)["costs"]
    assert isinstance(costs, list)
    assert [cost["kind"] for cost in costs if isinstance(cost, dict) and cost["ratio"]] == list(KINDS)
