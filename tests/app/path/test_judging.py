"""What of a recipe is judged for one sample, in which order; what is waited for, all at once or as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from typing import cast

import pytest

from app.admission.admit import Admitted
from app.admission.demand import NONE, Demand
from app.lanes.lanes import Judge as Lanes
from app.lanes.lanes import Pending
from app.path.judging import Row, collect_verdicts, iter_ready, judge_sample, tasks_of
from app.path.plan import RecipePlan
from rewards.conditions import NOTHING_KNOWN
from tests.app.path.bench import NO, OURS, UNREAD, YES, Bench, admitted, planned
from trueward.authoring.verifier import Verifier
from trueward.wire.verdict import Verdict
from verifiers import registry


def judged(plan: RecipePlan, lanes: Lanes, deadline: float = 0.0) -> Row:
    """One sample, on its course."""
    item = admitted("x")[0]
    return judge_sample(plan, lanes, item, plan.recipe.course_of(item.sample), deadline, NOTHING_KNOWN)


async def followed(recipe: Mapping[str, object], says: Mapping[str, Verdict]) -> tuple[list[str], dict[str, Verdict]]:
    """Who was asked, in order, and what was said in the end."""
    bench = Bench(says)
    row = judged(planned(**recipe), bench)
    if isinstance(row, asyncio.Future):
        await row
    return bench.asked, collect_verdicts(row)


async def test_a_plain_recipe_is_asked_for_at_once_and_without_a_task() -> None:
    bench = Bench({"math": YES, "format": NO})
    row = judged(planned(terms=["math", "format"]), bench)
    assert isinstance(row, dict)
    assert (bench.asked, set(row)) == (["math", "format"], {"math", "format"})


@pytest.mark.parametrize(
    ("gate", "asked"), [(YES, ["math", "format"]), (NO, ["math"]), (UNREAD, ["math"]), (OURS, ["math"])]
)
async def test_a_gated_term_waits_for_its_gate(gate: Verdict, asked: list[str]) -> None:
    recipe = {"terms": {"format": {"gate": "math"}, "math": 1}}
    assert (await followed(recipe, {"math": gate, "format": YES}))[0] == asked


@pytest.mark.parametrize(
    ("first", "asked"), [(YES, ["math"]), (NO, ["math", "exact"]), (UNREAD, ["math", "exact"]), (OURS, ["math"])]
)
async def test_a_fallback_is_asked_about_what_was_not_accepted(first: Verdict, asked: list[str]) -> None:
    recipe = {"terms": [{"verifier": "math", "fallback": ["exact"]}]}
    found = await followed(recipe, {"math": first, "exact": YES})
    assert found[0] == asked
    assert list(found[1]) == ["math", "math:1"][: len(asked)]


@pytest.mark.parametrize(("when", "share"), [(["missing"], 2 / 3), (["rejected"], 1.0)])
async def test_a_model_leaves_time_to_a_fallback_that_is_asked_where_it_gives_no_score(
    when: list[str], share: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Timed(Bench):
        def judge(self, verifier: Verifier, admitted: Admitted, deadline: float, demand: Demand = NONE) -> Pending:
            left.append(deadline - asyncio.get_running_loop().time())
            return super().judge(verifier, admitted, deadline, demand)

    left: list[float] = []
    recipe = {"terms": [{"verifier": "math", "fallback": [{"verifier": "exact", "when": when}]}]}
    plan = planned(**recipe)
    monkeypatch.setattr(registry.get("math"), "lane", "model")
    deadline = asyncio.get_running_loop().time() + 90
    row = judged(plan, Timed({"math": YES}), deadline)
    assert isinstance(row, asyncio.Future)
    await row
    assert left == [pytest.approx(90 * share, abs=1.0)]


async def test_shadows_and_appeals_that_only_measure_are_left_out() -> None:
    noise = {"false_positive": 0.0, "appeals": {"verifier": "exact", "share": 1.0}}
    recipe = {"terms": [{"verifier": "math", "noise": noise}, {"verifier": "format", "shadow": 1}]}
    assert (await followed(recipe, {"math": NO}))[0] == ["math"]


async def test_an_appeal_that_overturns_is_waited_for() -> None:
    noise = {"false_positive": 0.0, "appeals": {"verifier": "exact", "share": 1.0, "overturn": True}}
    recipe = {"terms": [{"verifier": "math", "noise": noise}]}
    assert (await followed(recipe, {"math": NO, "exact": YES}))[0] == ["math", "exact"]
    assert (await followed(recipe, {"math": YES, "exact": YES}))[0] == ["math"]


async def test_a_sample_that_no_route_takes_is_not_judged() -> None:
    recipe = {"terms": [], "routes": [{"when": {"data_source": "gsm8k"}, "terms": ["math"]}]}
    assert await followed(recipe, {}) == ([], {})


async def test_when_the_caller_goes_away_what_is_pending_goes_too() -> None:
    bench = Bench({"math": YES, "format": YES}, slow=frozenset({"math"}))
    row = judged(planned(terms={"math": 1, "format": {"gate": "math"}}), bench)
    assert isinstance(row, asyncio.Future)
    await asyncio.sleep(0)
    row.cancel()
    with pytest.raises(asyncio.CancelledError):
        await row
    bench.go.set()
    assert bench.asked == ["math"]
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []


class Judge:
    """Says a verdict under a name when it is told to; ``given_up`` are those that nobody waits for any more."""

    def __init__(self) -> None:
        self._answers: dict[str, asyncio.Future[Verdict]] = {}
        self.given_up: list[str] = []

    def asked(self, name: str) -> asyncio.Task[Verdict]:
        self._answers[name] = asyncio.get_running_loop().create_future()
        return asyncio.create_task(self._said(name))

    async def _said(self, name: str) -> Verdict:
        try:
            return await self._answers[name]
        except asyncio.CancelledError:
            self.given_up.append(name)
            raise

    async def says(self, *names: str) -> None:
        for name in names:
            self._answers[name].set_result(YES)
        await turns()


async def turns() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


async def following(*rows: Row, in_waves: bool) -> tuple[list[list[int]], asyncio.Task[None]]:
    """What is told, as it is told, and the task that listens, which has begun to."""
    told: list[list[int]] = []

    async def listen() -> None:
        nonlocal told
        async for indices in iter_ready(rows, in_waves=in_waves):
            told += [indices]

    listening = asyncio.create_task(listen())
    await turns()
    return told, listening


@pytest.fixture
async def judge() -> Judge:
    return Judge()


async def test_what_was_said_of_a_sample_is_told_by_key(judge: Judge) -> None:
    waiting = judge.asked("math")
    row: Row = {"format": NO, "math": waiting}
    assert tasks_of(row) == [waiting]
    await judge.says("math")
    assert collect_verdicts(row) == {"format": NO, "math": YES}
    assert list(collect_verdicts(row)) == ["format", "math"]


async def test_a_task_may_end_with_all_that_is_said_of_a_sample() -> None:
    row: asyncio.Future[Mapping[str, Verdict]] = asyncio.get_running_loop().create_future()
    assert tasks_of(row) == [row]
    row.set_result({"math": YES, "math:1": NO})
    assert collect_verdicts(row) == {"math": YES, "math:1": NO}


def test_of_what_was_said_at_once_nothing_is_waited_for() -> None:
    assert tasks_of({"math": YES}) == []
    assert tasks_of({}) == []


@pytest.mark.parametrize("in_waves", [True, False])
async def test_what_is_ready_at_once_is_told_at_once(in_waves: bool) -> None:
    told, listening = await following({"": YES}, {}, {"": NO}, in_waves=in_waves)
    await listening
    assert told == [[0, 1, 2]]


@pytest.mark.parametrize("in_waves", [True, False])
async def test_of_no_samples_nothing_is_told(in_waves: bool) -> None:
    told, listening = await following(in_waves=in_waves)
    await listening
    assert told == []


async def test_in_waves_each_sample_is_told_when_all_is_said_of_it(judge: Judge) -> None:
    rows: list[Row] = [{"a": judge.asked("a"), "b": judge.asked("b")}, {"c": judge.asked("c")}, {"d": YES}]
    told, listening = await following(*rows, in_waves=True)
    assert told == [[2]]
    await judge.says("a")
    assert told == [[2]]
    await judge.says("c")
    assert told == [[2], [1]]
    await judge.says("b")
    assert told == [[2], [1], [0]]
    await listening


async def test_what_comes_together_is_told_together(judge: Judge) -> None:
    told, listening = await following(*({"": judge.asked(name)} for name in "abc"), in_waves=True)
    assert told == []
    await judge.says("c", "a")
    assert told == [[0, 2]]
    await judge.says("b")
    assert told == [[0, 2], [1]]
    await listening


async def test_what_came_while_nobody_listened_is_told_once(judge: Judge) -> None:
    rows: list[Row] = [{"": judge.asked(name)} for name in "abcd"]
    async with aclosing(cast("AsyncGenerator[list[int], None]", iter_ready(rows, in_waves=True))) as waves:
        listening = asyncio.ensure_future(anext(waves))
        await turns()
        await judge.says("b")
        assert await listening == [1]
        await judge.says("d", "a", "c")
        assert sorted(index for wave in [wave async for wave in waves] for index in wave) == [0, 2, 3]


async def test_without_waves_all_is_told_at_the_end_in_the_order_of_the_request(judge: Judge) -> None:
    rows: Sequence[Row] = [{"": judge.asked("a")}, {"": NO}, {"": judge.asked("c")}]
    told, listening = await following(*rows, in_waves=False)
    await judge.says("c")
    assert told == []
    await judge.says("a")
    assert told == [[0, 1, 2]]
    await listening


@pytest.mark.parametrize("in_waves", [True, False])
async def test_when_the_caller_goes_away_what_is_still_open_is_given_up(judge: Judge, in_waves: bool) -> None:
    rows: list[Row] = [{"a": judge.asked("a"), "b": judge.asked("b")}, {"c": judge.asked("c")}]
    told, listening = await following(*rows, in_waves=in_waves)
    await judge.says("a", "c")
    assert told == ([[1]] if in_waves else [])
    listening.cancel()
    await turns()
    assert listening.cancelled()
    assert judge.given_up == ["b"]


async def test_a_caller_that_stops_listening_gives_up_the_rest(judge: Judge) -> None:
    rows: list[Row] = [{"": judge.asked("a")}, {"": judge.asked("b")}]
    async with aclosing(cast("AsyncGenerator[list[int], None]", iter_ready(rows, in_waves=True))) as waves:
        listening = asyncio.ensure_future(anext(waves))
        await turns()
        await judge.says("a")
        assert await listening == [0]
    await turns()
    assert judge.given_up == ["b"]
    assert collect_verdicts(rows[0]) == {"": YES}


async def test_what_is_ready_while_nobody_listens_is_told_without_waiting_for_another(judge: Judge) -> None:
    rows: list[Row] = [{"a": NO}, {"b": judge.asked("b")}, {"c": judge.asked("c")}]
    async with aclosing(cast(AsyncGenerator[list[int]], iter_ready(rows, in_waves=True))) as waves:
        assert await anext(waves) == [0]
        await judge.says("b")
        assert await asyncio.wait_for(anext(waves), 10) == [1]
