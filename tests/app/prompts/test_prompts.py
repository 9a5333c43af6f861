"""What a run knows of its prompts: the last rates, the lists with their definitions, and their pages."""

from __future__ import annotations

import time
import uuid
from typing import Any

import pytest

from app.kit.db import Database
from app.prompts.repository import KEPT, GroupVisit, PromptsRepository
from app.prompts.service import Prompts
from tests.app.conftest import Api
from trueward.errors import NotFound
from trueward.wire.prompt import PromptList

HISTORIES = {
    "never": [0.0, 0.0, 0.0],
    "rarely": [0.0, 0.25, 0.0],
    "seldom": [0.25, 0.25],
    "half": [0.5, 0.5],
    "mostly": [1.0, 1.0, 1.0, 0.5],
    "fell": [1.0, 1.0, 1.0, 1.0, 0.0],
    "steady": [0.75, 0.75],
    "always": [1.0, 1.0],
}
LISTS: dict[PromptList, list[str]] = {
    "difficulty": ["never", "rarely", "seldom", "half", "steady", "fell", "mostly", "always"],
    "hard": ["rarely", "seldom"],
    "brittle": ["fell", "mostly"],
    "flat": ["fell", "never", "always"],
}


async def fill(db: Database, run: str = "r") -> None:
    visits = [
        GroupVisit(run, prompt, rate, flat=rate in (0.0, 1.0), labelled=prompt != "half")
        for prompt, rates in HISTORIES.items()
        for rate in rates
    ]
    await PromptsRepository(db).add(visits)


@pytest.mark.parametrize("which", LISTS)
async def test_a_list_has_what_its_definition_says_in_its_order(db: Database, which: PromptList) -> None:
    await fill(db)
    await fill(db, "another")
    page = await Prompts(PromptsRepository(db)).page("r", which, None, 100)
    assert [view.prompt for view in page.prompts] == LISTS[which]
    assert page.next is None


async def test_a_prompt_shows_its_rates_difficulty_and_streak(db: Database) -> None:
    await fill(db)
    page = await Prompts(PromptsRepository(db)).page("r", "difficulty", None, 100)
    views = {view.prompt: view for view in page.prompts}
    assert views["rarely"].rates == [0.0, 0.25, 0.0]
    assert views["rarely"].difficulty == pytest.approx(1 - 0.25 / 3)
    assert (views["never"].streak, views["rarely"].streak, views["fell"].streak) == (3, 1, 5)
    assert (views["fell"].lowest, views["half"].labelled, views["never"].labelled) == (0.0, False, True)


@pytest.mark.parametrize("limit", [1, 3])
async def test_pages_go_through_a_list_once(db: Database, limit: int) -> None:
    await fill(db)
    service = Prompts(PromptsRepository(db))
    found: list[str] = []
    after: str | None = None
    while True:
        page = await service.page("r", "difficulty", after, limit)
        found += [view.prompt for view in page.prompts]
        after = page.next
        if after is None:
            break
    assert found == LISTS["difficulty"]


async def test_only_the_latest_rates_count(db: Database) -> None:
    repository = PromptsRepository(db)
    await repository.add([GroupVisit("r", "p", 0.0, flat=True, labelled=True)] * 5)
    await repository.add([GroupVisit("r", "p", 0.5, flat=False, labelled=True)] * KEPT)
    [view] = (await Prompts(repository).page("r", "difficulty", None, 10)).prompts
    assert (view.rates, view.groups, view.streak) == ([0.5] * KEPT, KEPT + 5, 0)


async def test_to_go_on_after_an_unknown_prompt_is_not_found(db: Database) -> None:
    with pytest.raises(NotFound, match="no prompt"):
        await Prompts(PromptsRepository(db)).page("r", "difficulty", "gone", 10)


def known(api: Api, run: str, prompts: int, **params: Any) -> list[dict[str, Any]]:
    """The prompts of a run once there are so many."""
    for _ in range(100):
        answer = api.http.get("/v1/prompts", params={"run": run, **params})
        assert answer.status_code == 200, answer.text
        found: list[dict[str, Any]] = answer.json()["prompts"]
        if len(found) >= prompts:
            return found
        time.sleep(0.05)
    raise AssertionError(f"never {prompts} prompts")


def test_rewards_of_a_run_are_what_its_prompts_are_known_by(api: Api) -> None:
    run = uuid.uuid4().hex
    samples = [
        {"prompt": f"p{n}", "group": f"g{n}", "response": f"\\boxed{{{k}}}", "reference": "0"}
        for n in range(2)
        for k in range(n + 1, -2, -1)
    ]
    for _ in range(2):
        assert api.post("/v1/rewards", {"recipe": "math", "run": run, "samples": samples}).status_code == 200
    evaluated = {"recipe": "math", "run": run, "split": "eval", "samples": samples}
    assert api.post("/v1/rewards", evaluated).status_code == 200
    rates = {"g0": 1 / 3, "g1": 1 / 4}
    for _ in range(100):
        found = {view["prompt"]: view for view in known(api, run, 2)}
        if all(view["groups"] == 2 for view in found.values()):
            break
        time.sleep(0.05)
    assert {name: view["rates"] for name, view in found.items()} == {n: [rate, rate] for n, rate in rates.items()}
    assert [view["prompt"] for view in known(api, run, 1, list="hard")] == ["g1"]


def test_a_run_is_asked_for_and_a_list_is_one_of_four(api: Api) -> None:
    assert api.get("/v1/prompts").status_code == 422
    assert api.get("/v1/prompts?run=r&list=easy").status_code == 422
    assert api.get("/v1/prompts?run=nothing").json() == {"prompts": [], "next": None}
