"""The forwarder of NeMo Gym: the service's answer as it is, and a failed row where the service is away."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from tests.client.fake_service import FakeService, Fault, Served
from trueward.errors import Unauthorized, Unavailable
from trueward.trainers.nemo_gym import Forwarder

ROW: dict[str, Any] = {"responses_create_params": {"input": []}, "response": {"id": "resp_1"}, "expected_answer": "4"}


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
    assert answer["_ng_failure_class"] == "deadline_exceeded"
    assert answer["instance_config"] == {"seed": 1, "mask_sample": True}
    assert answer["response"] == ROW["response"]


async def test_a_refusal_raises() -> None:
    gym = Gym()
    gym.faults = [Fault.of(Unauthorized("no key"))]
    with Served(gym) as url, pytest.raises(Unauthorized):
        await Forwarder(url, recipe="math").verify(ROW)
