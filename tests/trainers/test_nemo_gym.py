"""The forwarder of NeMo Gym: the service's answer as it is, and a failed row where the service is away."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from app.protocols.trainers.nemo_gym import NemoGymPayload, render
from tests.client.fake_service import FakeService, Fault, Served
from trueward.errors import Unauthorized, Unavailable
from trueward.trainers.nemo_gym import Forwarder
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

CONTRACT = json.loads((Path(__file__).parent / "contracts/nemo-gym.json").read_text(encoding="utf-8"))
ROW: dict[str, Any] = {"responses_create_params": {"input": []}, "response": {"id": "resp_1"}, "expected_answer": "4"}


def lacking(answer: dict[str, Any]) -> list[str]:
    """What of a failed row, as Gym itself makes one, an answer does not say."""
    kinds: dict[str, type | tuple[type, ...]] = {"number": (int, float), "text": str}

    def says(said: object, expected: object) -> bool:
        if isinstance(expected, dict):
            return isinstance(said, dict) and all(says(said.get(name), one) for name, one in expected.items())
        kind = kinds.get(expected) if isinstance(expected, str) else None
        return said == expected if kind is None else isinstance(said, kind) and said != ""

    return [name for name, expected in CONTRACT["failed_row"].items() if not says(answer.get(name), expected)]


@pytest.mark.parametrize("outcome", [one for one in Outcome if one.missing])
def test_a_missing_reward_is_a_failed_row_as_gym_makes_it(outcome: Outcome) -> None:
    payload = NemoGymPayload.model_validate({**ROW, "mask_sample": False})
    missing = Reward(id="0", record="r", reward=None, outcome=outcome, components={}, reason_code="down", producers=[])
    assert lacking(render(payload, missing, 0.5)) == []
    judged = missing.model_copy(update={"reward": 0.0, "outcome": Outcome.INCORRECT})
    assert set(lacking(render(payload, judged, 0.0))) == CONTRACT["failed_row"].keys() - {"reward"}


class Gym(FakeService):
    """Answers ``/verify`` as the service does, or with a fault."""

    def app(self) -> Starlette:
        return Starlette(routes=[Route("/t/math/nemo-gym/verify", self.forwarded, methods=["POST"])])

    async def forwarded(self, request: Request) -> Response:
        raw = await request.body()
        self.note(request, await request.json(), raw)
        if self.faults:
            return self.refuse(self.faults.pop(0))
        return JSONResponse({**self.received[-1].body, "reward": 1.0, "run": request.query_params["run"]})


async def test_a_row_is_forwarded_and_answered() -> None:
    gym = Gym()
    with Served(gym) as url:
        forwarder = Forwarder(url, recipe="math", run="r 1", api_key="tw_x")
        assert await forwarder.verify(ROW) == {**ROW, "reward": 1.0, "run": "r 1"}
        assert gym.received[0].headers["authorization"] == "Bearer tw_x"


async def test_a_service_that_is_away_is_a_failed_row_and_masked() -> None:
    gym = Gym()
    gym.faults = [Fault.of(Unavailable("down"))] * 10_000
    with Served(gym) as url:
        answer = await Forwarder(url, recipe="math", deadline_s=0.3).verify({**ROW, "instance_config": {"seed": 1}})
    assert answer["reward"] == 0.0
    assert str(answer["_ng_failure_judge_error"]).startswith("deadline_exceeded: ")
    assert lacking(answer) == []
    assert answer["instance_config"] == {"seed": 1, "mask_sample": True}
    assert answer["response"] == ROW["response"]


async def test_a_refusal_raises() -> None:
    gym = Gym()
    gym.faults = [Fault.of(Unauthorized("no key"))]
    with Served(gym) as url, pytest.raises(Unauthorized):
        await Forwarder(url, recipe="math").verify(ROW)
