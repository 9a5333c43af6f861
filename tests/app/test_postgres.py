"""The whole service on PostgreSQL: the same answers, and what only PostgreSQL refuses."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from app.rewards.examples import BODY
from tests.live import Service

pytestmark = pytest.mark.postgres


@pytest.fixture(scope="module")
def http(on_postgres: Service) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=on_postgres.url, timeout=60.0, trust_env=False) as client:
        yield client


def test_rewards_runs_keys_and_jobs_work_as_on_sqlite(http: httpx2.Client) -> None:
    answer = http.post("/v1/rewards", json=BODY, headers={"Idempotency-Key": "k"})
    assert [reward["reward"] for reward in answer.json()["rewards"]] == [1.0, 0.0]
    assert http.post("/v1/rewards", json=BODY, headers={"Idempotency-Key": "k"}).json() == answer.json()
    assert http.get(f"/v1/verdicts/{answer.json()['rewards'][0]['record']}").status_code == 200
    assert http.get(f"/v1/runs/{BODY['run']}").json()["recipe"] == answer.json()["recipe"]
    made = http.post("/v1/keys", json={"name": "n", "scopes": ["view"]}).json()
    assert http.delete(f"/v1/keys/{made['id']}").json()["revoked_at"] is not None
    job = http.post("/v1/jobs", json=BODY).json()["id"]
    for _ in range(100):
        if http.get(f"/v1/jobs/{job}").json()["state"] == "completed":
            break
    assert len(http.get(f"/v1/jobs/{job}/results").text.splitlines()) == 2


@pytest.mark.parametrize(
    "target",
    ["/v1/runs/%00", "/v1/runs?after=%00", "/v1/verdicts/%00", "/v1/verdicts?run=%00", "/v1/jobs/%00"],
)
def test_a_nul_in_a_target_is_no_failure_of_ours(http: httpx2.Client, target: str) -> None:
    assert http.get(target).status_code in (200, 404)


def test_nul_and_surrogates_in_a_body_are_stored(http: httpx2.Client) -> None:
    raw = b'{"verifier": "exact", "run": "r", "samples": [{"response": "a\\u0000b\\ud800", "reference": "x\\u0000"}]}'
    [verdict] = http.post("/v1/verify", content=raw).json()["verdicts"]
    assert "a\ufffdb\ufffd" in http.get(f"/v1/verdicts/{verdict['record']}").text
