"""POST /v1/select under a quota: let in or refused once, charged for what was compared, and never refused for ever."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import httpx2
import pytest

from app.path.caller import Caller
from app.path.path import Path
from app.select.service import Selecting
from tests.services import Keyed
from trueward.errors import Unavailable
from trueward.wire.scoring import VerifyRequest
from trueward.wire.selection import SelectRequest
from trueward.wire.verdict import Verdict

Ask = Callable[[int], httpx2.Response]
Asker = Callable[[float], Ask]


@pytest.fixture
def asker(keyed: Keyed) -> Asker:
    """Makes a key with a quota; what it returns asks for the majority of so many candidates with it."""

    def made(samples_per_minute: float) -> Ask:
        wanted = {"name": "test", "scopes": ["score"], "samples_per_minute": samples_per_minute}
        answer = httpx2.post(f"{keyed.url}/k/{keyed.admin}/v1/keys", json=wanted, trust_env=False)
        url = f"{keyed.url}/k/{answer.json()['key']}/v1/select"

        def ask(count: int) -> httpx2.Response:
            body = {"method": "majority", "verifier": "exact", "candidates": candidates(count)}
            return httpx2.post(url, json=body, timeout=60.0, trust_env=False)

        return ask

    return made


def candidates(count: int) -> list[dict[str, Any]]:
    """Of ten answers."""
    return [{"prompt": "p?", "response": str(place % 10)} for place in range(count)]


@pytest.mark.parametrize(("quota", "count"), [(100, 60), (300, 200), (2, 3), (100, 100)])
def test_a_call_whose_comparisons_are_more_than_the_quota_is_let_in(asker: Asker, quota: float, count: int) -> None:
    ask = asker(quota)
    answer = ask(count)
    assert answer.status_code == 200, answer.text
    assert answer.json()["comparisons"] > count
    refused = ask(count)
    assert (refused.status_code, refused.json()["code"]) == (429, "quota_exceeded")


def test_it_is_charged_for_each_comparison(asker: Asker) -> None:
    ask = asker(600)
    compared = ask(60).json()["comparisons"]
    refused = ask(256)
    assert refused.status_code == 429
    missing = 256 - (600 - compared)
    assert float(refused.headers["retry-after"]) == pytest.approx(missing / 10, abs=2.5)


def test_a_call_that_does_not_fit_costs_nothing_and_fits_when_it_was_told(asker: Asker) -> None:
    ask = asker(600)
    assert ask(60).status_code == 200
    waits = []
    for _ in range(5):
        refused = ask(250)
        assert refused.status_code == 429
        waits.append(float(refused.headers["retry-after"]))
    assert waits == sorted(waits, reverse=True)
    time.sleep(waits[-1])
    assert ask(250).status_code == 200


class Failing:
    """A path that lets everybody in and fails at the second time."""

    planner = SimpleNamespace(verifier=lambda name, params: SimpleNamespace(params=None))

    def __init__(self) -> None:
        self.held: list[bool] = []

    async def verify(self, request: VerifyRequest, caller: Caller) -> list[Verdict]:
        assert caller.bill is not None
        self.held.append(caller.held)
        if len(self.held) == 2:
            raise Unavailable("the database is down")
        caller.bill.charges.append(Charged())
        return [Verdict.correct("equal", "equal") for _ in request.samples]


class Charged:
    given_back = 0

    async def give_back(self) -> None:
        Charged.given_back += 1


async def test_a_call_that_the_service_fails_in_the_middle_costs_nothing() -> None:
    body = {"method": "majority", "verifier": "exact", "candidates": candidates(3)}
    path = Failing()
    with pytest.raises(Unavailable):
        await Selecting(cast(Path, path), SelectRequest.model_validate(body), Caller(), 30.0).select()
    assert (path.held, Charged.given_back) == ([False, True], 1)
