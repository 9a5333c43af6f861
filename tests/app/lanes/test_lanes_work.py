"""Where the lanes have work done, what they count of it, and how long it would be before more of it begins."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Literal, cast

import pytest

from app.admission.admit import admit
from app.admission.cost import Costs, LaneLoad
from app.lanes.lanes import Lanes
from app.lanes.ray.lanes import RayPool, RayPrograms
from app.lanes.ray.link import RayLink
from app.lanes.ray.models import RayEngines
from app.settings import Settings
from tests.app.path.lines import Asked, Checked, Drawn, Inline, Lined, Ran, item
from trueward.authoring.verifier import Verifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from verifiers import registry

Name = Literal["cpu", "sandbox", "models"]
YES = Verdict.correct("yes", elapsed_s=2.0)


@dataclass
class Noted:
    """Costs that note what they are told of; each sample is ``load`` to its lane."""

    load_of_one: LaneLoad = field(default_factory=LaneLoad)
    met_by: list[tuple[str, bool]] = field(default_factory=list)
    told: list[tuple[str, str]] = field(default_factory=list)

    def record_reach(self, verifier: Verifier, *, reached: bool) -> None:
        self.met_by.append((verifier.name, reached))

    def record_verdict(self, verifier: Verifier, verdict: Verdict) -> None:
        self.told.append((verifier.name, verdict.reason_code))

    def load(self, verifier: Verifier, samples: int) -> LaneLoad:
        one = self.load_of_one
        return LaneLoad(samples * one.items, samples * one.seconds)


@dataclass
class Way:
    """Stands for the way to a cluster."""

    done: list[str] = field(default_factory=list)

    async def start(self) -> None:
        self.done.append("opened")

    async def stop(self) -> None:
        self.done.append("left")


def noting(lined: Lined, load: LaneLoad | None = None) -> Noted:
    noted = Noted(load or LaneLoad())
    lined.lanes.costs = cast(Costs, noted)
    return noted


async def test_each_verifier_is_asked_in_its_lane() -> None:
    lined = Lined.made()
    for verifier, line in (
        (Checked(), lined.cpu),
        (Drawn(), lined.cpu),
        (Ran(), lined.sandbox),
        (Asked(), lined.model),
    ):
        before = sum(len(one.asked) for one in (lined.cpu, lined.sandbox, lined.model))
        await lined.judged(verifier, verifier.name)
        assert line.asked[-1][0] == verifier.name
        assert sum(len(one.asked) for one in (lined.cpu, lined.sandbox, lined.model)) == before + 1


async def test_what_admission_has_decided_is_said_and_nobody_is_asked() -> None:
    lined = Lined.made()
    noted = noting(lined)
    [long] = admit([Sample(response="r" * 100, reference="r")], Settings(max_characters=50))
    assert lined.lanes.judge(Checked(), long, 0.0) is long.verdict
    assert long.verdict is not None
    assert (lined.cpu.asked, noted.met_by, dict(lined.lanes.judged)) == ([], [], {})


async def test_verdicts_and_their_work_are_counted_by_lane_and_outcome_and_only_once() -> None:
    lined = Lined.made(YES, Verdict.timeout("deadline", elapsed_s=0.5))
    for verifier in (Checked(), Checked(), Ran(), Asked()):
        await lined.judged(verifier)
    await lined.judged(Checked(), "another")
    assert dict(lined.lanes.judged) == {
        ("cpu", "correct"): 1,
        ("cpu", "timeout"): 1,
        ("sandbox", "correct"): 1,
        ("model", "correct"): 1,
    }
    assert dict(lined.lanes.work_s) == {"cpu": 2.5, "sandbox": 2.0, "model": 2.0}


async def test_what_is_judged_at_once_is_counted_and_given_again_without() -> None:
    lined = Lined.made()
    first, second, asked, again = [await lined.judged(Inline(), response) for response in ("r", "r", "?", "?")]
    assert [one.cached for one in (first, second, asked, again)] == [False, True, False, False]
    assert first.elapsed_s > 0
    assert dict(lined.lanes.judged) == {("inline", "correct"): 1, ("inline", "abstained"): 2}
    assert lined.lanes.work_s["inline"] == pytest.approx(sum(one.elapsed_s for one in (first, asked, again)))


async def test_costs_are_told_what_reached_its_lane_and_what_it_took_there() -> None:
    lined = Lined.made()
    noted = noting(lined)
    for verifier in (Checked(), Checked(), Drawn(), Drawn(), Inline(), Inline()):
        await lined.judged(verifier)
    assert noted.met_by == [
        ("checked", True),
        ("checked", False),
        ("drawn", True),
        ("drawn", True),
        ("inline", False),
        ("inline", False),
    ]
    assert noted.told == [("checked", "yes"), ("drawn", "yes"), ("drawn", "yes")]


async def test_what_is_given_again_is_a_copy() -> None:
    lined = Lined.made()
    for verifier in (Inline(), Checked()):
        first, second = await lined.judged(verifier), await lined.judged(verifier)
        second.reason = "changed by whoever has it"
        assert (await lined.judged(verifier)).reason == first.reason


def test_the_backlog_is_that_of_the_needed_lane_that_has_most() -> None:
    lined = Lined.made()
    cpu, sandbox = registry.create("math", {}), registry.create("code", {})
    lined.cpu.backlog_s, lined.sandbox.backlog_s = 3.0, 2.0
    assert lined.lanes.backlog_s([cpu, sandbox]) == 3.0
    assert lined.lanes.backlog_s([sandbox]) == 2.0
    lined.sandbox.backlog_s = 5.0
    assert lined.lanes.backlog_s([cpu, sandbox]) == 5.0
    assert lined.lanes.backlog_s([cpu]) == 3.0
    assert lined.lanes.backlog_s([Inline()]) == 0.0


@pytest.mark.parametrize(
    ("wanted", "left_s", "late_s"),
    [
        ([(Checked(), 4)], 10.0, 4.0),
        ([(Checked(), 2), (Drawn(), 3)], 10.0, 5.0),
        ([(Ran(), 4)], 10.0, 94.0),
        ([(Checked(), 4), (Ran(), 4)], 10.0, 94.0),
        ([(Checked(), 4), (Ran(), 4)], 1000.0, 0.0),
        ([(Asked(), 4), (Inline(), 4)], 10.0, 0.0),
        ([], -1.0, 0.0),
    ],
)
def test_a_request_is_late_by_the_queue_of_the_lane_that_is_worst_for_it(
    wanted: list[tuple[Verifier, int]], left_s: float, late_s: float
) -> None:
    """Each sample is one second of work."""
    lined = Lined.made()
    noting(lined, LaneLoad(1.0, 1.0))
    lined.cpu.ahead_s, lined.sandbox.ahead_s = 10.0, 100.0
    assert lined.lanes.estimate_lateness_s(wanted, "project", left_s) == late_s


def test_a_lane_is_queued_for_by_the_request_s_project() -> None:
    lined = Lined.made()
    noting(lined, LaneLoad(1.0, 1.0))
    assert lined.lanes.estimate_lateness_s([(Checked(), 1)], None, 0.0) == 1001.0


@pytest.mark.parametrize(("samples", "late_s"), [(4, 0.0), (5, 10.0)])
def test_a_request_that_brings_a_lane_next_to_nothing_is_not_judged_by_its_queue(samples: int, late_s: float) -> None:
    lined = Lined.made()
    noting(lined, LaneLoad(0.1, 0.0))
    lined.cpu.ahead_s = 10.0
    assert lined.lanes.estimate_lateness_s([(Checked(), samples)], "project", 0.0) == late_s


async def test_the_lanes_begin_and_end_with_their_block() -> None:
    lined = Lined.made()
    async with lined.lanes as entered:
        assert entered is lined.lanes
        assert [line.done for line in (lined.cpu, lined.sandbox, lined.model)] == [["started"], [], []]
    assert [line.done for line in (lined.cpu, lined.sandbox, lined.model)] == [
        ["started", "stopped"],
        ["closed"],
        ["closed"],
    ]


def test_without_more_time_every_lane_lets_go_of_what_it_has() -> None:
    lined = Lined.made()
    lined.lanes.shed()
    assert [line.done for line in (lined.cpu, lined.sandbox, lined.model)] == [["shed"]] * 3


def test_caches_are_as_large_as_the_settings_say_and_a_group_counts_for_many() -> None:
    lanes = Lanes(Settings(verdict_cache=160, check_cache=7))
    assert (lanes._verdicts.capacity, lanes._checks.capacity, lanes.group_verdicts.capacity) == (160, 7, 10)


@pytest.mark.parametrize("away", [("cpu",), ("sandbox",), ("models",), ("cpu", "models"), ()])
async def test_lanes_of_a_cluster_are_asked_there_and_the_others_here(away: tuple[Name, ...]) -> None:
    """The way there is made, and opened with the block alone."""
    lanes = Lanes(Settings(ray_address="auto", ray_lanes=away) if away else Settings())
    there = {
        "cpu": isinstance(lanes.pool, RayPool),
        "sandbox": isinstance(lanes.programs, RayPrograms),
        "models": isinstance(lanes.models.engines, RayEngines),
    }
    assert there == {name: name in away for name in there}
    assert (lanes.ray is not None) is bool(away)


async def test_the_way_to_a_cluster_is_open_as_long_as_the_lanes_are() -> None:
    """One list for all: the way is first opened and last closed."""
    lined, way = Lined.made(), Way()
    for line in (lined.cpu, lined.model):
        line.done = way.done
    lined.lanes.ray = cast(RayLink, way)
    async with lined.lanes:
        assert way.done == ["opened", "started"]
    assert way.done == ["opened", "started", "closed", "stopped", "left"]


async def test_a_verifier_that_says_at_once_makes_no_task() -> None:
    lined = Lined.made()
    before = asyncio.all_tasks()
    assert isinstance(lined.lanes.judge(Inline(), item(), 0.0), Verdict)
    assert asyncio.all_tasks() == before
