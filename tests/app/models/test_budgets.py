"""A recipe's budget through the service: held for each run, shown, told of, and priced as any missing score."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from judges.pointwise import JudgeOneVerifier
from tests.app.admission.budget.writer import Writer
from tests.app.models.conftest import Serve, Served
from tests.app.models.scripted import OneBackend
from verifiers import registry

MODEL = {"name": "judge", "kind": "causal", "backend": "openai", "url": "http://judge.invalid", "price": {"read": 10}}
Told = tuple[str, str, float | None]
"""Outcome, reason code and reward."""
JUDGED = {"verifier": "judge", "params": {"preset": "correctness"}}
"""An answer costs 0.001: a hundred tokens are read."""


@pytest.fixture
def judged(serve: Serve, monkeypatch: pytest.MonkeyPatch) -> Serve:
    """The service with the real verifier ``judge``, whose model is a :class:`Writer`."""
    monkeypatch.setitem(registry._installed()._loaded, "judge", JudgeOneVerifier)

    @asynccontextmanager
    async def serving() -> AsyncIterator[Served]:
        async with serve() as api:
            lane = api.state["models"].lane
            lane.engines = lane.weight_sync._engines = OneBackend(Writer())
            await api.http.post("/v1/models", json=MODEL)
            yield api

    return serving


SPENT: Told = ("error", "budget_spent", None)


def recipe(budget: object, **term: object) -> dict[str, object]:
    return {"name": "judged", "terms": [{**JUDGED, **term}], "budget": budget}


async def rewards(api: Served, recipe: object, count: int, run: str = "r", first: int = 0) -> list[Told]:
    samples = [
        {"prompt": "2+3?", "response": f"{number} or \\boxed{{5}}", "reference": "5"}
        for number in range(first, first + count)
    ]
    body = {"recipe": recipe, "samples": samples, "run": run}
    answer = await api.http.post("/v1/rewards", json=body)
    assert answer.status_code == 200, answer.text
    return [(one["outcome"], one["reason_code"], one["reward"]) for one in answer.json()["rewards"]]


async def test_a_run_spends_its_budget_and_not_another_runs(judged: Serve) -> None:
    async with judged() as api:
        said = await rewards(api, recipe({"calls": 3}), 5)
        assert [outcome for outcome, *_ in said].count("correct") == 3
        assert [one for one in said if one[0] != "correct"] == [SPENT] * 2
        assert await rewards(api, recipe({"calls": 3}), 2, first=50) == [SPENT] * 2
        assert SPENT not in await rewards(api, recipe({"calls": 3}), 3, "another", first=50)


async def test_a_run_shows_what_it_has_spent_of_what(judged: Serve) -> None:
    async with judged() as api:
        await rewards(api, recipe({"cost": 0.5, "calls": 100}), 4)
        shown = (await api.http.get("/v1/runs/r")).json()
        assert shown["spent"] == {"cost": 0.004, "tokens": 480, "calls": 4}
        assert shown["budget"] == {"cost": 0.5, "tokens": None, "calls": 100}
        await rewards(api, recipe({"cost": 0.5, "calls": 100}), 4)
        assert (await api.http.get("/v1/runs/r")).json()["spent"]["calls"] == 4, "these were kept"


async def test_a_run_that_has_spent_nothing_yet_shows_its_budget(judged: Serve) -> None:
    async with judged() as api:
        rarely = {"verifier": "exact", "fallback": [{**JUDGED, "when": ["missing"]}]}
        await rewards(api, {"terms": [rarely], "budget": {"calls": 7}}, 1)
        shown = (await api.http.get("/v1/runs/r")).json()
        assert shown["spent"] == {"cost": 0.0, "tokens": 0, "calls": 0}
        assert shown["budget"] == {"cost": None, "tokens": None, "calls": 7}


async def test_a_run_without_a_budget_shows_what_its_judges_cost_and_one_without_judges_nothing(judged: Serve) -> None:
    async with judged() as api:
        await rewards(api, {"terms": [JUDGED]}, 2, "judged")
        shown = (await api.http.get("/v1/runs/judged")).json()
        assert (shown["spent"]["calls"], shown["budget"]) == (2, None)
        await rewards(api, "exact", 2, "plain")
        shown = (await api.http.get("/v1/runs/plain")).json()
        assert (shown["spent"], shown["budget"]) == (None, None)


async def test_a_restart_goes_on_where_the_run_was(judged: Serve) -> None:
    async with judged() as api:
        await rewards(api, recipe({"calls": 4}), 3)
    async with judged() as api:
        assert (await api.http.get("/v1/runs/r")).json()["spent"]["calls"] == 3
        said = await rewards(api, recipe({"calls": 4}), 5, first=50)
        assert said.count(SPENT) == 4


async def test_once_the_budget_is_spent_the_fallback_judges(judged: Serve) -> None:
    async with judged() as api:
        fallback = recipe({"calls": 2}, fallback=[{"verifier": "math", "when": ["missing"]}])
        said = await rewards(api, fallback, 6)
        assert [(outcome, reward) for outcome, _, reward in said] == [("correct", 1.0)] * 6
        assert sum(code.startswith("equal") for _, code, _ in said) == 4


async def test_jobs_and_shadows_are_charged(judged: Serve) -> None:
    async with judged() as api:
        shadowed = {"name": "s", "terms": ["exact", {**JUDGED, "shadow": 1}], "budget": {"calls": 2}}
        await rewards(api, shadowed, 5, "shadowed")
        samples = [{"prompt": "2+3?", "response": f"job {number}", "reference": "5"} for number in range(5)]
        body = {"recipe": recipe({"calls": 2}), "run": "job", "samples": samples}
        job = (await api.http.post("/v1/jobs", json=body)).json()["id"]
        for _ in range(400):
            if (await api.http.get(f"/v1/jobs/{job}")).json()["state"] == "completed":
                break
            await asyncio.sleep(0.02)
        lines = (await api.http.get(f"/v1/jobs/{job}/results")).text
        assert lines.count("budget_spent") == 3
        for run in ("shadowed", "job"):
            assert (await api.http.get(f"/v1/runs/{run}")).json()["spent"]["calls"] == 2


async def test_who_verifies_without_a_recipe_has_no_budget(judged: Serve) -> None:
    async with judged() as api:
        await rewards(api, recipe({"calls": 1}), 2)
        samples = [{"prompt": "2+3?", "response": f"v{number}", "reference": "5"} for number in range(3)]
        said = await api.http.post("/v1/verify", json={**JUDGED, "run": "r", "samples": samples})
        assert [one["outcome"] for one in said.json()["verdicts"]] == ["correct"] * 3


async def test_metrics_and_marks_tell_of_a_budget_that_runs_low(judged: Serve) -> None:
    async with judged() as api:
        await rewards(api, recipe({"calls": 4}), 3)
        metrics = (await api.http.get("/metrics")).text
        assert re.search(r'^trueward_budget_spent_ratio\{recipe="judged"\} 0\.75$', metrics, re.MULTILINE)
        await rewards(api, recipe({"calls": 4}), 3, first=50)
        metrics = (await api.http.get("/metrics")).text
        assert re.search(r'^trueward_budget_spent_ratio\{recipe="judged"\} 1\.0$', metrics, re.MULTILINE)
        assert 'code="budget_spent"' in metrics
        marks = (await api.http.get("/v1/runs/r")).json()["marks"]
        assert [mark["percent"] for mark in marks if mark["kind"] == "budget"] == [80, 100]


async def test_a_budget_that_nothing_spends_is_a_warning(judged: Serve) -> None:
    async with judged() as api:
        plain = {"terms": "math", "budget": {"calls": 1}}
        said = (await api.http.post("/v1/recipes/validate", json=plain)).json()
        assert said["valid"]
        assert "no verifier here asks one" in said["warnings"][0]
