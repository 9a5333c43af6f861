"""A run's numbers step by step, on both databases: whole steps, bounded pages, records to look at."""

from __future__ import annotations

from typing import Any

import pytest

from app.kit.db import Database
from app.path.rows import Entry
from app.runs import steps
from app.runs.steps import StepsRepository
from tests.app.conftest import Api
from tests.app.watch.recording import entry, record


def group(step: int, right: int, size: int = 4, name: str = "g", **fields: Any) -> list[Entry]:
    kinds = ["correct"] * right + ["incorrect"] * (size - right)
    return [entry("p", f"answer {step} {name} {n}", kind, group=name, **fields) for n, kind in enumerate(kinds)]


async def test_a_step_has_its_numbers_by_outcome_and_cause(db: Database) -> None:
    missing = entry("p", "y", "timeout", code="deadline", group="h")
    hung = entry("p", "z", "invalid", code="resource_limit", group="h")
    await record(db, "r", [group(0, 1), [*group(1, 4), missing, hung]])
    page = await StepsRepository(db).page("r", None, 10)
    first, second = page.steps
    assert (page.next, first.step, first.records, first.reward, first.flat) == (None, 0, 4, 0.25, 0)
    assert first.outcomes == {"correct": 1, "incorrect": 3}
    assert (second.groups, second.flat) == (1, 1)
    assert second.components["math"] == pytest.approx(0.8)
    assert second.outcomes == {"correct": 4, "timeout": 1, "invalid": 1}
    assert second.causes == {"missing: deadline": 1, "invalid: resource_limit": 1}
    assert 0.0 <= second.age_s < 3600.0


async def test_pages_follow_one_another_and_end(db: Database) -> None:
    await record(db, "r", [group(step, step % 4) for step in range(5)])
    repository, after, seen = StepsRepository(db), None, []
    while True:
        page = await repository.page("r", after, 2)
        seen += [one.step for one in page.steps]
        after = page.next
        if after is None:
            break
    assert seen == [0, 1, 2, 3, 4]
    assert (await repository.page("r", 4, 2)).steps == []
    assert (await repository.page("none", None, 2)).steps == []


async def test_a_page_ends_before_it_counts_too_many_and_a_step_is_never_cut(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "MOST", 6)
    await record(db, "r", [group(0, 1), group(1, 1), group(2, 1, size=9), group(3, 1)])
    repository = StepsRepository(db)
    sizes = []
    for after in (None, 0, 1, 2):
        page = await repository.page("r", after, 50)
        sizes.append([(one.step, one.records) for one in page.steps])
    assert sizes == [[(0, 4)], [(1, 4)], [(2, 9)], [(3, 4)]]


async def test_samples_are_of_different_groups_first(db: Database) -> None:
    await record(db, "r", [[*group(0, 1, size=12, name="a"), *group(0, 1, size=2, name="b")]])
    (step,) = (await StepsRepository(db).page("r", None, 1)).steps
    assert len(step.samples) == steps.SAMPLES
    assert len(set(step.samples)) == steps.SAMPLES


def test_the_endpoint_knows_its_runs(api: Api) -> None:
    sample = {"response": "2", "reference": "2"}
    body = {"recipe": "exact", "run": "steps/of", "step": 7, "samples": [sample, {**sample, "response": "3"}]}
    api.post("/v1/rewards", body).raise_for_status()
    (step,) = api.get("/v1/runs/steps%2Fof/steps").json()["steps"]
    assert (step["step"], step["reward"], step["records"]) == (7, 0.5, 2)
    assert api.get("/v1/runs/steps%2Fof/steps?after=7").json() == {"steps": [], "next": None}
    assert api.get("/v1/runs/steps-none/steps").status_code == 404
    for wrong in ("after=-1", "limit=0", "limit=101", "other=1"):
        assert api.get(f"/v1/runs/steps%2Fof/steps?{wrong}").status_code == 422


async def test_a_step_that_trains_is_told_without_its_evaluation(db: Database) -> None:
    await record(db, "r", [group(0, 1)])
    await record(db, "r", [group(0, 4), group(1, 4)], split="eval")
    page = await StepsRepository(db).page("r", None, 10)
    assert [(one.step, one.records, one.reward) for one in page.steps] == [(0, 4, 0.25), (1, 4, 1.0)]
