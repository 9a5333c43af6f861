"""The algebra of the path: a verdict depends on its sample, not on its batch, its place or its company."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.admission.demand import Demand
from app.path.caller import Caller
from app.path.in_process import open_path
from app.path.ledger import Entry, LedgerUnavailable
from app.path.path import Path
from app.settings import Settings
from trueward.authoring.verifier import Verifier
from trueward.errors import DeadlinePassed
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, VerifyRequest
from trueward.wire.verdict import Outcome, Verdict

ANSWERS = [
    r"\boxed{5}",
    r"\boxed{\frac{10}{2}}",
    r"\boxed{\sqrt{25}}",
    r"\boxed{x+1}",
    r"\boxed{",
    "",
    "five",
    "5",
    "\ud800",
]
REFERENCES: list[Any] = ["5", "10/2", r"\sqrt{25}", "1+x", None, [], ["4", "5"], "((", 5, {"a": 1}]

answers = st.sampled_from(ANSWERS) | st.text(max_size=30)
samples: st.SearchStrategy[dict[str, Any]] = st.builds(
    dict, response=answers, reference=st.sampled_from(REFERENCES), prompt=st.sampled_from(["p", "q"])
)
quick = settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))


class Bench:
    """One path and one event loop for all examples; hypothesis calls synchronously."""

    def __init__(self, loop: asyncio.AbstractEventLoop, path: Path) -> None:
        self._loop = loop
        self._path = path

    def verify(self, batch: list[dict[str, Any]]) -> list[tuple[str, float | None, str]]:
        request = VerifyRequest(verifier="math", samples=[Sample.model_validate(fields) for fields in batch])
        return [_said(verdict) for verdict in self._loop.run_until_complete(self._path.verify(request, Caller()))]

    def reward(self, batch: list[dict[str, Any]], **recipe: Any) -> list[float | None]:
        terms = [{"verifier": "math"}]
        request = RewardsRequest(
            recipe={"terms": terms, **recipe}, samples=[Sample.model_validate(fields) for fields in batch]
        )
        answer = self._loop.run_until_complete(self._path.rewards(request, Caller()))
        return [reward.reward for reward in answer.rewards]


@pytest.fixture(scope="module")
def bench() -> Iterator[Bench]:
    with asyncio.Runner() as runner:
        context = open_path(Settings(workers=2))
        path = runner.run(context.__aenter__())
        yield Bench(runner.get_loop(), path)
        runner.run(context.__aexit__(None, None, None))


def _said(verdict: Verdict) -> tuple[str, float | None, str]:
    return (verdict.outcome.value, verdict.score, verdict.reason_code)


@quick
@given(batch=st.lists(samples, max_size=8), cut=st.integers(0, 8))
def test_a_batch_is_judged_as_its_parts_are(bench: Bench, batch: list[dict[str, Any]], cut: int) -> None:
    assert bench.verify(batch) == bench.verify(batch[:cut]) + bench.verify(batch[cut:])


@quick
@given(batch=st.lists(samples, max_size=6), data=st.data())
def test_order_in_is_order_out(bench: Bench, batch: list[dict[str, Any]], data: st.DataObject) -> None:
    order = data.draw(st.permutations(range(len(batch))))
    said = bench.verify(batch)
    assert bench.verify([batch[place] for place in order]) == [said[place] for place in order]


@quick
@given(batch=st.lists(samples, max_size=6))
def test_twice_in_one_batch_is_judged_twice_alike(bench: Bench, batch: list[dict[str, Any]]) -> None:
    said = bench.verify(batch + batch)
    assert said[: len(batch)] == said[len(batch) :]


@quick
@given(batch=st.lists(samples, max_size=6))
def test_a_score_is_missing_exactly_where_nothing_could_be_told(bench: Bench, batch: list[dict[str, Any]]) -> None:
    for outcome, score, code in bench.verify(batch):
        assert (score is None) == (outcome in ("abstained", "timeout", "error"))
        assert outcome != "error", code


@quick
@given(batch=st.lists(samples, max_size=6))
def test_without_group_rules_a_reward_depends_on_its_sample_alone(bench: Bench, batch: list[dict[str, Any]]) -> None:
    assert bench.reward(batch) == [bench.reward([sample])[0] for sample in batch]


@quick
@given(batch=st.lists(samples, max_size=6))
def test_a_missing_score_never_moves_the_others(bench: Bench, batch: list[dict[str, Any]]) -> None:
    plain, filled = bench.reward(batch), bench.reward(batch, missing="mean")
    assert all(one == other for one, other in zip(plain, filled, strict=True) if one is not None)


@pytest.mark.parametrize(
    ("stated_s", "verifier", "allowed_s"),
    [(None, "code", 30 + 6 * 5 / 2), (40.0, "code", 40.0), (None, "math", 30.0), (10_000.0, "code", 600.0)],
)
async def test_programs_have_the_time_to_hang_each_where_the_request_states_no_deadline(
    monkeypatch: pytest.MonkeyPatch, stated_s: float | None, verifier: str, allowed_s: float
) -> None:
    left_s: list[float] = []

    async def judge(verifier: Verifier, task: object, deadline: float, demand: Demand) -> Verdict:
        left_s.append(deadline - asyncio.get_running_loop().time())
        return Verdict.incorrect("none_passed")

    answers = ["```python\nwhile True: pass\n```", r"\boxed{\int_0^1 x dx}"]
    asked = [
        Sample(response=f"{number}\n{answers[verifier == 'math']}", reference=reference)
        for number, reference in enumerate([{"stdio": [{"stdout": "1"}]}] * 6 if verifier == "code" else [r"\pi/6"])
    ]
    async with open_path(Settings(workers=1, sandbox_workers=2)) as path:
        for lane in (path._lanes.programs, path._lanes.pool):
            monkeypatch.setattr(lane, "judge", judge)
        await path.verify(VerifyRequest(verifier=verifier, deadline_s=stated_s, samples=asked), Caller())
    recording_s = 2.0
    assert left_s == [pytest.approx(allowed_s - recording_s, abs=2)] * len(asked)


def _answered(number: int) -> Sample:
    return Sample(response=f"\\boxed{{{number}}}", reference="5")


@pytest.mark.parametrize("held", [False, True])
async def test_a_request_whose_time_passed_before_its_turn_is_not_judged(held: bool) -> None:
    request = VerifyRequest(verifier="math", deadline_s=5, samples=[_answered(5)])
    async with open_path(Settings(workers=1)) as path:
        arrived = asyncio.get_running_loop().time() - 10
        with pytest.raises(DeadlinePassed) as refusal:
            await path.verify(request, Caller(arrived=arrived, held=held))
        [verdict] = await path.verify(request, Caller(arrived=arrived + 9))
    assert (refusal.value.code, refusal.value.status) == ("deadline_passed_waiting", 503)
    assert path.gate.refused[DeadlinePassed.code] == 1
    assert verdict.score == 1.0


class Turned:
    """Notes when the request is at work."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def pause(self) -> None:
        self.done.append("pause")

    def resume(self) -> None:
        self.done.append("resume")


async def both_ways(samples: Callable[[int], Sample]) -> list[str]:
    """What the turns of a request for verdicts and of one for rewards did."""
    turn = Turned()
    async with open_path(Settings(workers=1)) as path:
        await path.verify(VerifyRequest(verifier="math", samples=[samples(4)]), Caller(turn=turn))
        recipe = {"terms": [{"verifier": "math"}]}
        await path.rewards(RewardsRequest(recipe=recipe, samples=[samples(5)]), Caller(turn=turn))
    return turn.done


async def test_a_request_is_not_at_work_while_its_samples_are_judged_elsewhere() -> None:
    def symbolic(number: int) -> Sample:
        return Sample(response=rf"\boxed{{{number}\tan(x/2)}}", reference=rf"{number}\frac{{1-\cos x}}{{\sin x}}")

    assert await both_ways(symbolic) == ["pause", "resume"] * 2


async def test_a_request_whose_samples_are_judged_at_once_stays_at_work() -> None:
    assert await both_ways(_answered) == []


async def test_what_others_kept_from_being_recorded_is_not_the_ledgers_failure() -> None:
    class Busy:
        async def write(self, entries: Sequence[Entry], *rest: object) -> None:
            raise LedgerUnavailable("", range(len(entries)), waited=True)

    recipe = {"terms": [{"verifier": "math"}]}
    async with open_path(Settings(workers=1)) as path:
        path._ledger = Busy()
        [verdict] = await path.verify(VerifyRequest(verifier="math", samples=[_answered(5)]), Caller())
        answer = await path.rewards(RewardsRequest(recipe=recipe, samples=[_answered(5)]), Caller())
    [reward] = answer.rewards
    assert (verdict.outcome, verdict.score) == (Outcome.TIMEOUT, None)
    assert (reward.outcome, reward.reward) == (Outcome.TIMEOUT, None)
    assert verdict.reason_code == reward.reason_code == "deadline_passed_waiting"
