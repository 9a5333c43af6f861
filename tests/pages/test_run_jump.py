"""What a run's page says on top: a jump of the mean reward at its step, or a trend, or nothing."""

from __future__ import annotations

import random

from app.pages.runs.alarms import jump_of, propose_since
from app.pages.runs.views import Jump
from tests.pages.test_run_figures import series
from trueward.wire.watch import Alarm, Finding


async def told(means: list[float], noise: float = 0.03) -> Jump | None:
    draw = random.Random(0)
    found = series(len(means))
    for point, mean in zip(found.points, means, strict=True):
        point.score = mean + draw.gauss(0, noise)
    return await jump_of(found)


def alarm(step: int, state: str = "open") -> Alarm:
    finding = {"signal": "score_drift", "cause": "math", "detail": "", "value": 1.0, "limit": None, "record": "r"}
    made = Finding.model_validate({**finding, "first_step": step, "last_step": step, "windows": 1})
    shared = {"id": "a", "watch": "w", "run": "r", "recipe": None, "state": state, "seen": 1}
    at = "2026-01-01T00:00:00Z"
    return Alarm.model_validate({**shared, "finding": made, "first_seen": at, "last_seen": at})


async def test_a_jump_is_told_at_its_step() -> None:
    found = await told([0.4] * 23 + [0.9] * 17)
    assert found is not None
    assert (found.step, found.steady, round(found.before, 1), round(found.after, 1)) == (23, False, 0.4, 0.9)


async def test_a_jump_in_a_run_that_learns_is_still_one() -> None:
    found = await told([0.2 + 0.004 * step + (0.4 if step >= 23 else 0.0) for step in range(40)])
    assert found is not None
    assert (found.step, found.steady) == (23, False)


async def test_steady_learning_is_no_jump() -> None:
    found = await told([0.02 * step for step in range(40)])
    assert found is not None
    assert found.steady


async def test_without_a_change_nothing_is_told() -> None:
    assert await told([0.5] * 40) is None
    assert await jump_of(None) is None


def test_the_step_that_is_proposed_is_the_jumps_or_the_first_open_alarms() -> None:
    jump = Jump(step=23, steady=False, before=0.1, after=0.9, p_value=0.001)
    trend = jump.model_copy(update={"steady": True})
    alarms = [alarm(30), alarm(24), alarm(2, "closed")]
    assert propose_since(alarms, jump) == 23
    assert propose_since(alarms, trend) == propose_since(alarms, None) == 24
    assert propose_since([], trend) == 23
    assert propose_since([], None) is None
