"""A failure of ours is never a reward, and a failure that the response causes is never free: on the path.

A live service with a plug-in that hangs, crashes and bloats on purpose; each gets the outcome that is due,
the rest of its batch is scored, and the service goes on.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.live import Service, serving

PLUGIN = Path(__file__).parents[2] / "hostile_plugin"
MATH = {"response": r"\boxed{5}", "reference": "5"}
LIMITS = {
    "workers": "2",
    "cpu_limit_s": "0.5",
    "wall_limit_s": "1.5",
    "worker_memory_bytes": str(2**30),
    "worker_capacity": "40",
}


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("promise")


@pytest.fixture(scope="module")
def service(data_dir: Path) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(PLUGIN))
        with serving(data_dir, **LIMITS) as live:
            yield live


@pytest.fixture
def http(service: Service) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=service.url, timeout=120.0, trust_env=False) as client:
        yield client


def _hostile(response: str, reference: str = "fine", prompt: str = "") -> dict[str, str]:
    return {"response": response, "reference": reference, "prompt": prompt}


def _verify(http: httpx2.Client, *samples: dict[str, str], deadline_s: float = 60) -> list[dict[str, Any]]:
    body = {"verifier": "hostile", "samples": list(samples), "deadline_s": deadline_s}
    answer = http.post("/v1/verify", json=body)
    assert answer.status_code == 200, answer.text
    verdicts: list[dict[str, Any]] = answer.json()["verdicts"]
    return verdicts


def _said(verdicts: list[dict[str, Any]]) -> list[tuple[str, str, float | None]]:
    return [(verdict["outcome"], verdict["reason_code"], verdict["score"]) for verdict in verdicts]


EXHAUSTED = ("invalid", "resource_limit", 0.0)


@pytest.mark.parametrize("doing", ["spin", "sleep", "bloat", "nest"])
def test_a_response_that_exhausts_a_limit_is_the_policys_doing(http: httpx2.Client, doing: str) -> None:
    assert _said(_verify(http, _hostile(doing))) == [EXHAUSTED]


@pytest.mark.parametrize("doing", ["spin", "sleep", "bloat"])
def test_a_reference_that_exhausts_a_limit_is_not(http: httpx2.Client, doing: str) -> None:
    [(outcome, code, score)] = _said(_verify(http, _hostile("fine", reference=doing)))
    assert (outcome, code, score) == ("abstained", "reference_resource_limit", None)


CRASHES = [("crash", "worker_crashed"), ("raise", "verifier_crashed")]
UNJUDGEABLE = ("invalid", "unjudgeable_response", 0.0)


@pytest.mark.parametrize(("doing", "code"), CRASHES)
def test_a_response_that_crashes_us_is_priced_and_named_as_our_bug(
    service: Service, http: httpx2.Client, doing: str, code: str
) -> None:
    [verdict] = _verify(http, _hostile(doing))
    assert _said([verdict]) == [UNJUDGEABLE]
    assert verdict["evidence"] == {"failure": code}
    assert "unjudgeable_response" in service.log.read_text()


@pytest.mark.parametrize(("doing", "code"), CRASHES)
def test_a_reference_that_crashes_us_has_no_score(http: httpx2.Client, doing: str, code: str) -> None:
    assert _said(_verify(http, _hostile("fine", reference=doing))) == [("error", code, None)]


def test_the_rest_of_the_batch_is_scored(http: httpx2.Client) -> None:
    fine = [_hostile("fine", prompt=str(index)) for index in range(20)]
    said = _said(_verify(http, *fine[:5], _hostile("spin"), *fine[5:12], _hostile("crash"), *fine[12:]))
    survived = ("correct", "survived", 1.0)
    assert said == [*[survived] * 5, EXHAUSTED, *[survived] * 7, UNJUDGEABLE, *[survived] * 8]


def test_rewards_of_such_a_batch_are_priced_or_null_and_never_invented(http: httpx2.Client) -> None:
    recipe = {"name": "hostile", "range": [-1, 1], "terms": [{"verifier": "hostile"}]}
    samples = [_hostile(doing, prompt="p") for doing in ("fine", "spin", "crash", "raise")]
    body = {"recipe": recipe, "samples": samples, "deadline_s": 60}
    answer = http.post("/v1/rewards", json=body).json()
    assert [reward["reward"] for reward in answer["rewards"]] == [1.0, -1.0, -1.0, -1.0]
    assert [(group["size"], group["scored"]) for group in answer["groups"]] == [(4, 4)]


def test_a_deadline_is_ours(http: httpx2.Client) -> None:
    start = time.monotonic()
    said = _said(_verify(http, _hostile("sleep", prompt="deadline"), _hostile("fine"), deadline_s=0.4))
    assert said[0] == ("timeout", "deadline", None)
    assert said[1][2] in (1.0, None)
    assert time.monotonic() - start < 10


def test_a_full_queue_is_ours(http: httpx2.Client) -> None:
    fill = [_hostile("slow:0.3", prompt=f"full {index}") for index in range(60)]
    with ThreadPoolExecutor(1) as thread:
        filled = thread.submit(_verify, http, *fill, deadline_s=8)
        time.sleep(0.5)
        late = [_hostile("fine", prompt="late"), _hostile("sleep", prompt="late")]
        answer = http.post("/v1/verify", json={"verifier": "hostile", "samples": late, "deadline_s": 0.5})
        if answer.status_code == 503:  # a slow machine knows before it reads them
            assert answer.json()["code"] == "overloaded"
        else:
            assert _said(answer.json()["verdicts"]) == [("timeout", "queue_full", None)] * 2
        survived = {("correct", "survived", 1.0), ("timeout", "deadline", None), ("timeout", "queue_full", None)}
        assert set(_said(filled.result())) <= survived


def test_a_worker_killed_from_outside_costs_no_verdict(service: Service, http: httpx2.Client) -> None:
    samples = [_hostile("slow:0.2", prompt=f"killed {index}") for index in range(8)]
    with ThreadPoolExecutor(1) as thread:
        answer = thread.submit(_verify, http, *samples)
        time.sleep(0.3)
        for worker in _workers(service):
            with suppress(psutil.NoSuchProcess):  # one that has just ended by itself
                worker.kill()
        said = _said(answer.result())
    assert said == [("correct", "survived", 1.0)] * 8


def test_a_database_that_cannot_be_written_is_ours(data_dir: Path, http: httpx2.Client) -> None:
    body = {"recipe": "math", "samples": [MATH], "deadline_s": 1.0}
    [store] = data_dir.glob("*.db")
    with sqlite3.connect(store, isolation_level=None) as blocker:
        blocker.execute("BEGIN EXCLUSIVE")
        reward = http.post("/v1/rewards", json=body).json()["rewards"][0]
        verdict = http.post("/v1/verify", json={"verifier": "math", "samples": [MATH], "deadline_s": 1.0}).json()
        numbers = http.post("/t/math/openrlhf", json={"query": [], "prompts": [], "labels": []}).json()
        blocker.execute("ROLLBACK")
    assert (reward["reward"], reward["outcome"], reward["reason_code"]) == (None, "error", "ledger_unavailable")
    assert reward["record"] is None
    assert _said(verdict["verdicts"]) == [("error", "ledger_unavailable", None)]
    assert numbers["rewards"] == []
    for _ in range(50):
        if http.post("/v1/rewards", json={**body, "deadline_s": 20}).json()["rewards"][0]["reward"] == 1.0:
            break
        time.sleep(0.1)
    else:
        pytest.fail("the service did not come back after the database did")


def test_after_all_of_it_the_pool_is_at_full_strength(service: Service, http: httpx2.Client) -> None:
    deadline = time.monotonic() + 20
    while len(_workers(service)) != 2 and time.monotonic() < deadline:
        time.sleep(0.1)
    assert len(_workers(service)) == 2
    assert _said(_verify(http, _hostile("fine", prompt="at last"))) == [("correct", "survived", 1.0)]
    shown = http.get("/metrics").text
    assert "trueward_unjudgeable_responses 0.0" not in shown
    assert 'trueward_missing_scores_total{cause="ledger_unavailable",run=""}' in shown


def _workers(service: Service) -> list[psutil.Process]:
    """The worker processes: the fork server's children."""
    children = psutil.Process(service.process.pid).children()
    [fork_server] = [child for child in children if "multiprocessing.forkserver" in " ".join(child.cmdline())]
    return [worker for worker in fork_server.children() if worker.status() != psutil.STATUS_ZOMBIE]
