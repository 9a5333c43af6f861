"""Groups for Tinker's cookbook, in modules of its names that have what ``contracts/tinker.json`` says."""

from __future__ import annotations

import inspect
import pickle
import sys
from collections.abc import Sequence
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

from tests.client.fake_service import FakeService
from tests.trainers.test_pages import contract
from trueward.trainers.tinker import TruewardEnv, TruewardGroup, group_builder

KNOWN = contract("tinker")
PROMPT = [{"role": "user", "content": "1+1?"}]


class Renderer:
    """The cookbook's, as far as it is used: a character is a token."""

    def build_generation_prompt(self, messages: list[Any]) -> list[Any]:
        return messages

    def get_stop_sequences(self) -> list[str]:
        return ["<end>"]

    def parse_response(self, action: Sequence[int]) -> tuple[dict[str, str], str]:
        return {"role": "assistant", "content": "".join(map(chr, action))}, "stop_sequence"


@pytest.fixture(autouse=True)
def cookbook(monkeypatch: pytest.MonkeyPatch) -> None:
    def result(**fields: object) -> SimpleNamespace:
        assert set(fields) <= set(KNOWN["step_result"])
        return SimpleNamespace(**fields)

    modules: dict[str, dict[str, object]] = {
        "tinker": {"ModelInput": SimpleNamespace(empty=list)},
        "tinker_cookbook": {},
        "tinker_cookbook.rl": {},
        "tinker_cookbook.renderers": {"get_text_content": lambda message: message["content"]},
        "tinker_cookbook.rl.types": {"StepResult": result},
    }
    for name, members in modules.items():
        module = ModuleType(name)
        module.__dict__.update(members)
        monkeypatch.setitem(sys.modules, name, module)


async def rolled_out(group: TruewardGroup, answers: Sequence[str]) -> list[tuple[float, dict[str, float]]]:
    """As the cookbook rolls a group out, with answers written beforehand."""
    envs = await group.make_envs()
    for env, said in zip(envs, answers, strict=True):
        assert await env.initial_observation() == (PROMPT, ["<end>"])
        step = await env.step([ord(one) for one in said], extra={"stop_reason": "length"})
        assert (step.reward, step.episode_done) == (0.0, True)
    return await group.compute_group_rewards([None] * len(envs), envs)


async def test_a_group_is_one_request(url: str, service: FakeService) -> None:
    group = group_builder(url, recipe="math", run="r1")(Renderer(), "1+1?", "2", size=3)
    found = await rolled_out(pickle.loads(pickle.dumps(group)), ["2", "3", "12"])
    assert [reward for reward, _ in found] == [1.0, 0.0, 0.0]
    assert found[0][1]["acc"] == 1.0
    (request,) = service.received
    sample = {"id": "0", "prompt": PROMPT, "response": "2", "reference": "2", "tokens": 1, "finish_reason": "length"}
    assert request.body["samples"][0] == sample


async def test_a_missing_reward_is_the_mean_of_its_group_and_flagged(
    url: str, service: FakeService, monkeypatch: pytest.MonkeyPatch
) -> None:
    price = service.price

    def first_is_missing(body: Any) -> Any:
        body["samples"][0]["reference"] = None
        return price(body)

    monkeypatch.setattr(service, "price", first_is_missing)
    found = await rolled_out(group_builder(url, recipe="math")(Renderer(), PROMPT, "2", size=3), ["2", "2", "3"])
    assert [reward for reward, _ in found] == [0.5, 1.0, 0.0]
    assert [metrics["trueward_missing"] for _, metrics in found] == [1.0, 0.0, 0.0]


async def test_a_group_that_cannot_be_judged_has_no_spread(url: str) -> None:
    found = await rolled_out(group_builder(url, recipe="math")(Renderer(), PROMPT, size=3), ["2", "2", "3"])
    assert len({reward for reward, _ in found}) == 1


def test_they_have_the_form_of_the_cookbook_s_own() -> None:
    for kind, methods in ((TruewardEnv, KNOWN["env"]), (TruewardGroup, KNOWN["group"])):
        for name, parameters in methods.items():
            assert list(inspect.signature(getattr(kind, name)).parameters)[1:] == parameters
    assert all(callable(getattr(Renderer, name)) for name in KNOWN["renderer"])
