"""Each protocol, as its client sends it: the trainer learns nothing from a response that could not be judged."""

from __future__ import annotations

import pytest

from benchmarks.standing.protocols import PROTOCOLS
from benchmarks.standins import MOST, measured
from tests.app.conftest import Api
from tests.live import Service


@pytest.mark.parametrize("scene", ["whole groups", "first", "random"])
@pytest.mark.parametrize("name", [*PROTOCOLS])
async def test_a_missing_member_has_no_advantage(keyless: Service, name: str, scene: str) -> None:
    found = await measured(name, scene, keyless.url, 4, told=True)
    assert found.missing >= 4
    assert found.greatest < MOST


def test_the_wire_says_what_stands_in_and_a_job_refuses_to_gather(api: Api) -> None:
    samples = [{"prompt": "2+2?", "response": "\\boxed{4}", "reference": "4"}, {"prompt": "2+2?", "response": "4"}]
    body = {"recipe": "math", "samples": samples, "gather": {"size": 2}}
    told = api.post("/v1/rewards", body).json()
    assert [(one["reward"], one["stand_in"]) for one in told["rewards"]] == [(1.0, None), (None, 1.0)]
    assert told["groups"] == []
    refused = api.post("/v1/jobs", body)
    assert (refused.status_code, refused.json()["errors"][0]["field"]) == (422, "gather")
