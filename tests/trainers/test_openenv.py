"""The rubric for OpenEnv, on a base that calls it as the contract says (``contracts/openenv.json``)."""

from __future__ import annotations

import inspect
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.trainers.test_pages import contract
from trueward.errors import NotInstalled
from trueward.trainers.connection import Fields
from trueward.trainers.openenv import async_rubric, rubric

OBSERVED = SimpleNamespace(task="1+1?", answer="2", done=True)


class Rubric:
    """OpenEnv's: a call is ``forward``, and the last score is kept."""

    last_score: float | None = -1.0

    def __call__(self, action: Any, observation: Any) -> Any:
        if inspect.iscoroutinefunction(self.forward):
            return self.forward(action, observation)
        self.last_score = self.forward(action, observation)
        return self.last_score

    def forward(self, action: Any, observation: Any) -> float | None:
        raise NotImplementedError


@pytest.fixture(autouse=True)
def openenv(monkeypatch: pytest.MonkeyPatch) -> None:
    rubrics = ModuleType("openenv.core.rubrics")
    rubrics.__dict__["Rubric"] = Rubric
    for name in ("openenv", "openenv.core"):
        monkeypatch.setitem(sys.modules, name, ModuleType(name))
    monkeypatch.setitem(sys.modules, "openenv.core.rubrics", rubrics)


def sample(action: Any, observation: Any) -> Fields | None:
    if not observation.done:
        return None
    return {"prompt": observation.task, "response": action.message, "reference": observation.answer}


@pytest.mark.parametrize(("said", "answer", "reward"), [("2", "2", 1.0), ("3", "2", 0.0), ("2", None, None)])
def test_a_step_is_judged_and_a_missing_reward_is_none(
    said: str, answer: str | None, reward: float | None, url: str, service: FakeService
) -> None:
    made = rubric(url, recipe="math", sample=sample, run="r1")
    observed = SimpleNamespace(task="1+1?", answer=answer, done=True)
    assert made(SimpleNamespace(message=said), observed) == reward
    assert made.last_score == reward
    assert service.received[0].body["samples"][0]["response"] == said
    assert service.received[0].body["run"] == "r1"


def test_a_step_that_is_not_judged_is_worth_nothing(url: str, service: FakeService) -> None:
    made = rubric(url, recipe="math", sample=sample)
    assert made(SimpleNamespace(message="2"), SimpleNamespace(done=False)) == 0.0
    assert service.received == []


async def test_the_rubric_for_step_async_is_awaited(url: str, service: FakeService) -> None:
    made = async_rubric(url, recipe="math", sample=sample, run="r1")
    assert await made(SimpleNamespace(message="2"), OBSERVED) == 1.0
    assert await made(SimpleNamespace(message="2"), SimpleNamespace(done=False)) == 0.0
    assert len(service.received) == 1


def test_it_has_the_form_of_openenv_s_own(url: str) -> None:
    made = rubric(url, recipe="math", sample=sample)
    assert isinstance(made, Rubric)
    assert list(inspect.signature(made.forward).parameters) == contract("openenv")["rubric"]["forward"]


@pytest.mark.parametrize("make", [rubric, async_rubric])
def test_without_its_package_it_says_what_to_install(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "openenv.core.rubrics", None)
    with pytest.raises(NotInstalled, match="pip install openenv-core"):
        make("http://127.0.0.1:1", recipe="math", sample=sample)
