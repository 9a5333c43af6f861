"""Groups in the path: judged once, by the deadline, and kept by their whole content."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from app.admission.admit import admit
from app.admission.demand import NONE
from app.lanes.lanes import RequestLanes
from app.path.caller import Caller
from app.path.in_process import open_path
from app.path.path import Path
from app.path.plan import expand_verifiers
from app.path.polls import Polls, _against
from app.settings import Settings
from tests.app.path.bench import NO, OURS, YES, Bench
from trueward.wire.sample import Sample, group_names
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Verdict
from verifiers import registry

NEVER = float("inf")
MAJORITY = registry.create("majority", {"inner": "exact"})


def texts(*responses: str, **fields: str) -> list[Sample]:
    return [Sample.model_validate({"prompt": "p", "response": text, **fields}) for text in responses]


@pytest.fixture
async def path() -> AsyncIterator[Path]:
    async with open_path(Settings(workers=1)) as made:
        yield made


async def outcomes(path: Path, samples: list[Sample], **rest: object) -> list[str]:
    body = {"verifier": "majority", "params": {"inner": "exact"}, "samples": samples, **rest}
    return [one.outcome.value for one in await path.verify(VerifyRequest.model_validate(body), Caller())]


async def test_a_group_is_judged_once_whichever_member_is_asked_about() -> None:
    bench = Bench({"exact": YES})
    items = admit(texts("A", "A", "B"), Settings())
    polls = Polls(RequestLanes(bench.lanes, NONE), items, group_names([item.sample for item in items]))
    for _ in range(2):
        waiting = [polls.judge(MAJORITY, item, NEVER) for item in reversed(items)]
        said = [one if isinstance(one, Verdict) else await one for one in waiting]
        assert [one.outcome.value for one in said] == ["correct"] * 3
    # each against itself, and the third against the first
    assert bench.asked == ["exact"] * 4


async def test_other_verifiers_go_to_the_lanes() -> None:
    bench = Bench({"exact": NO})
    items = admit(texts("A"), Settings())
    said = Polls(RequestLanes(bench.lanes, NONE), items, ["g"]).judge(registry.create("exact", {}), items[0], NEVER)
    assert isinstance(said, Verdict)
    assert said.outcome.value == "incorrect"


async def test_a_member_that_is_over_long_is_invalid_and_does_not_vote() -> None:
    async with open_path(Settings(workers=1, max_characters=50)) as short:
        found = await outcomes(short, texts("A", "B " * 60, "A"))
    assert found == ["correct", "invalid", "correct"]


async def test_the_same_responses_in_other_company_are_judged_anew(path: Path) -> None:
    assert await outcomes(path, texts("A", "A", "B")) == ["correct", "correct", "incorrect"]
    assert await outcomes(path, texts("A", "B", "B")) == ["incorrect", "correct", "correct"]
    assert await outcomes(path, texts("B", "A")) == ["correct", "incorrect"]


async def polled(bench: Bench, *responses: str) -> list[Verdict]:
    items = admit(texts(*responses), Settings())
    polls = Polls(RequestLanes(bench.lanes, NONE), items, ["g"] * len(items))
    pending = [polls.judge(MAJORITY, item, NEVER) for item in items]
    return [one if isinstance(one, Verdict) else await one for one in pending]


async def test_what_could_not_be_compared_in_time_is_missing_and_asked_again_next_time() -> None:
    bench = Bench({"exact": OURS})
    for times in (1, 2):
        assert [one.outcome.value for one in await polled(bench, "A", "B")] == ["timeout"] * 2
        assert len(bench.asked) == 2 * times


async def test_a_crowd_whose_answers_all_differ_ends_by_its_deadline_and_lets_others_in(path: Path) -> None:
    crowd = asyncio.create_task(outcomes(path, texts(*(f"answer {n}" for n in range(1500))), deadline_s=1.0))
    others = 0
    while not crowd.done():
        assert await outcomes(path, texts("A", "A")) == ["correct"] * 2
        others += 1
    assert set(await crowd) == {"timeout"}
    assert others > 5


async def test_what_a_group_was_told_is_told_again() -> None:
    bench = Bench({"exact": YES})
    assert [one.cached for one in await polled(bench, "A", "A")] == [False] * 2
    assert [one.cached for one in await polled(bench, "A", "A")] == [True] * 2
    assert len(bench.asked) == 2


async def test_what_a_group_was_told_by_older_weights_is_not_told_again() -> None:
    bench = Bench({"exact": YES})
    await polled(bench, "A", "A")
    bench.weights = "rm@1"
    assert [one.cached for one in await polled(bench, "A", "A")] == [False] * 2


@pytest.mark.parametrize(("apart", "code"), [("missing", "group_incomplete"), ("alone", "group_of_one")])
async def test_apart_each_is_alone(path: Path, apart: str, code: str) -> None:
    recipe = {"terms": ["majority"], "unsupervised": True, "group": {"when_apart": apart}}
    request = RewardsRequest.model_validate(
        {"recipe": recipe, "samples": [one.model_dump() for one in texts("\\boxed{1}", "\\boxed{1}")]}
    )
    answer = await path.rewards(request, Caller(apart=True))
    assert [(one.reward, one.reason_code) for one in answer.rewards] == [(None, code)] * 2


async def test_callers_that_go_away_leave_nothing_behind(path: Path) -> None:
    task = asyncio.create_task(outcomes(path, texts(*("AB" * 20))))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await outcomes(path, texts(*("AB" * 20))) == ["correct", "incorrect"] * 20


def test_a_run_pins_the_inner_verifier_too() -> None:
    assert [one.producer.name for one in expand_verifiers([MAJORITY])] == ["majority", "exact"]


def test_a_comparison_is_named_by_all_that_its_sample_is_compared_with() -> None:
    [item] = admit(texts("A"), Settings())
    asked: list[dict[str, object]] = [
        {},
        {"reference": "B"},
        {"reference": ["B"]},
        {"baselines": ["B"]},
        {"baselines": ["B", "C"]},
    ]
    assert len({_against(item, item.sample.model_copy(update=fields)).fingerprint for fields in asked}) == len(asked)
