"""The algebra of the path: a verdict depends on its sample, not on its batch, its place or its company."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from app.scoring.path import Caller, Path
from app.scoring.unrecorded import unrecorded_path
from app.settings import Settings
from trueward.types import RewardsRequest, Sample, Verdict, VerifyRequest

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
        context = unrecorded_path(Settings(workers=2))
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
