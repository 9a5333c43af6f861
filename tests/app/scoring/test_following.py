"""What of a recipe is judged for one sample, in which order, and what is waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import pytest

from app.scoring.admit import Admitted
from app.scoring.collect import arrived
from app.scoring.demand import NONE, Demand
from app.scoring.following import follow
from app.scoring.lanes import Pending
from rewards.conditions import NOTHING_KNOWN
from tests.app.scoring.bench import NO, OURS, UNREAD, YES, Bench, admitted, planned
from trueward.types import Verdict
from trueward.verifier import Verifier
from verifiers import registry


async def followed(recipe: Mapping[str, object], says: Mapping[str, Verdict]) -> tuple[list[str], dict[str, Verdict]]:
    """Who was asked, in order, and what was said in the end."""
    bench = Bench(says)
    row = follow(planned(**recipe), bench, admitted("x")[0], deadline=0.0, conditions=NOTHING_KNOWN)
    if isinstance(row, asyncio.Future):
        await row
    return bench.asked, arrived(row)


async def test_a_plain_recipe_is_asked_for_at_once_and_without_a_task() -> None:
    bench = Bench({"math": YES, "format": NO})
    row = follow(planned(terms=["math", "format"]), bench, admitted("x")[0], deadline=0.0, conditions=NOTHING_KNOWN)
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
    row = follow(plan, Timed({"math": YES}), admitted("x")[0], deadline, NOTHING_KNOWN)
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
    row = follow(
        planned(terms={"math": 1, "format": {"gate": "math"}}),
        bench,
        admitted("x")[0],
        deadline=0.0,
        conditions=NOTHING_KNOWN,
    )
    assert isinstance(row, asyncio.Future)
    await asyncio.sleep(0)
    row.cancel()
    with pytest.raises(asyncio.CancelledError):
        await row
    bench.go.set()
    assert bench.asked == ["math"]
    assert [task for task in asyncio.all_tasks() if task is not asyncio.current_task()] == []
