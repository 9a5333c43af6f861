"""Watches through the service: what goes wrong in a run is found, frozen, lifted; clean runs are left alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import httpx2
import pytest

from tests.app.conftest import Api
from tests.app.rewards.asking import Json, eventually, fresh
from tests.services import Project

SIZE, BASE = 32, 3
HUNG = {"terms": [{"verifier": "regex", "params": {"pattern": "(a+)+$", "mode": "search", "scope": "response"}}]}
GAMED = {"terms": [{"verifier": "regex", "params": {"pattern": "[0-9]", "mode": "search", "scope": "response"}}]}


@pytest.fixture(scope="module")
def service(project: Project) -> Iterator[Api]:
    with httpx2.Client(base_url=project.url, timeout=120.0, trust_env=False) as http:
        yield Api(project.url, http)


def _watch(service: Api, run: str, **fields: Any) -> str:
    name = f"watch-{run}"
    body = {"run": run, "every_s": 1, "window": SIZE, "base_windows": BASE, **fields}
    answer = service.http.put(f"/v1/watches/{name}", json=body)
    assert answer.status_code == 200, answer.text
    return name


def _score(service: Api, recipe: object, run: str, step: int, rows: list[Json], status: int = 200) -> Json:
    body = {"recipe": recipe, "run": run, "step": step, "samples": rows, "deadline_s": 60}
    answer = service.post("/v1/rewards", body)
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


def _alarms(service: Api, run: str) -> list[Json]:
    found: list[Json] = service.get(f"/v1/alarms?run={run}&state=open").json()["alarms"]
    return found


def _signals(service: Api, run: str) -> set[tuple[str, str]]:
    return {(alarm["finding"]["signal"], alarm["finding"]["cause"]) for alarm in _alarms(service, run)}


def _rows(step: int, responses: Sequence[str], reference: str = "4") -> list[Json]:
    """Groups of four."""
    return [
        {"prompt": f"{step} {place // 4}?", "group": f"{step}-{place // 4}", "response": one, "reference": reference}
        for place, one in enumerate(responses)
    ]


def _honest(step: int) -> list[str]:
    """Two in three right, by place, so that groups differ."""
    return [
        f"step {step} place {place}: \\boxed{{{4 if (7 * step + 5 * place + place // 4) % 3 else 5}}}"
        for place in range(SIZE)
    ]


def test_a_policy_that_hangs_the_verifier_is_found_and_its_recipe_frozen(service: Api, project: Project) -> None:
    run = fresh()
    name = _watch(service, run, action="freeze", signals={"zero_variance": None})
    for step in range(BASE + 2):
        hangs = step >= BASE
        # equal tasks share one check: a step hangs one worker, not eleven
        slow = "a" * 60 + "!" * (step + 1)
        rows = _rows(step, [slow if hangs and place % 3 == 0 else f"ok {place}" for place in range(SIZE)])
        for row in rows:
            row["prompt"] = str(step)
        digest = _score(service, HUNG, run, step, rows)["recipe"]
    eventually(lambda: ("invalid", "resource_limit") in _signals(service, run))
    eventually(lambda: service.get("/v1/freezes").json()["freezes"] != [])
    refused = _score(service, HUNG, run, 9, _rows(9, ["ok"] * SIZE), status=409)
    assert refused["code"] == "recipe_frozen"
    assert f"DELETE /v1/recipes/{digest}/freeze" in refused["detail"]
    job = service.post("/v1/jobs", {"recipe": HUNG, "samples": _rows(9, ["ok"] * SIZE)}).json()["id"]
    eventually(lambda: service.get(f"/v1/jobs/{job}").json()["state"] == "failed")
    assert "is frozen" in service.get(f"/v1/jobs/{job}").json()["error"]
    assert service.http.delete(f"/v1/recipes/{digest}/freeze").status_code == 422
    lifted = service.http.delete(f"/v1/recipes/{digest}/freeze", params={"reason": "the limit was raised"})
    assert lifted.json()["lift_reason"] == "the limit was raised"
    _score(service, HUNG, run, 9, _rows(9, ["ok"] * SIZE))
    operator = f"{project.service.url}/k/{project.service.admin}"
    assert 'trueward_alarms_total{run="' + run in service.get(f"{operator}/metrics").text
    assert service.http.delete(f"/v1/watches/{name}").json()["action"] == "freeze"


def test_a_format_exploit_is_found_by_its_labels(service: Api) -> None:
    run = fresh()
    _watch(service, run)
    for step in range(BASE + 4):
        # whoever says a number is paid; from BASE on everybody does, and nobody is right any more
        said = [f"{step} {place}" if step >= BASE or place % 2 else "ab"[step % 2] * place for place in range(SIZE)]
        rows = _rows(step, said)
        answer = _score(service, GAMED, run, step, rows)
        labels = [
            {"record": one["record"], "right": step < BASE and place % 2 == 1}
            for place, one in enumerate(answer["rewards"])
        ]
        stored = service.post("/v1/labels", {"labels": labels})
        assert stored.status_code == 200, stored.text
    wanted = {("reward_without_accuracy", "gap"), ("false_positives", "rise")}
    eventually(lambda: wanted <= _signals(service, run))


def test_a_majority_vote_that_collapses_is_found_and_looked_at(service: Api) -> None:
    run = fresh()
    _watch(service, run)
    for step in range(BASE + 3):
        rows = [
            {
                "prompt": f"{step} {place // 4}?",
                "group": f"{step}-{place // 4}",
                "response": f"\\boxed{{{7 if step >= BASE else step * 100 + place // 2}}}",
            }
            for place in range(SIZE)
        ]
        _score(service, "ttrl", run, step, rows)
    eventually(lambda: ("collapse", "entropy") in _signals(service, run))
    report = service.get(f"/v1/runs/{run}/watch?window={SIZE}&base_windows={BASE}").json()
    assert [window["base"] for window in report["windows"]] == [True] * BASE + [False] * 3
    assert report["windows"][-1]["entropy"] == 0.0
    assert ("collapse", "entropy") in {(one["signal"], one["cause"]) for one in report["findings"]}


def test_a_clean_run_is_left_alone(service: Api) -> None:
    run = fresh()
    name = _watch(service, run)
    for step in range(BASE + 3):
        _score(service, "math", run, step, _rows(step, _honest(step)))
    evaluated = service.get(f"/v1/watches/{name}").json()["evaluated_at"]
    eventually(lambda: service.get(f"/v1/watches/{name}").json()["evaluated_at"] not in (None, evaluated))
    assert _alarms(service, run) == []
    assert service.get(f"/v1/runs/{run}/watch?window={SIZE}&base_windows={BASE}").json()["findings"] == []


def test_an_alarm_is_closed_with_a_reason(service: Api) -> None:
    run = fresh()
    _watch(service, run)
    rows = _rows(0, ["\\boxed{4}"] * SIZE)
    _score(service, "math", run, 0, [{**row, "metadata": {"canary": True}} for row in rows])
    for step in range(1, BASE + 2):
        _score(service, "math", run, step, _rows(step, _honest(step)))
    eventually(lambda: _signals(service, run) == {("canary", "accepted")})
    [alarm] = _alarms(service, run)
    assert service.post(f"/v1/alarms/{alarm['id']}/close", {"reason": ""}).status_code == 422
    closed = service.post(f"/v1/alarms/{alarm['id']}/close", {"reason": "they were right"}).json()
    assert (closed["state"], closed["close_reason"]) == ("closed", "they were right")
    assert service.get(f"/v1/alarms/{alarm['id']}").json() == closed
    assert service.post(f"/v1/alarms/{alarm['id']}/close", {"reason": "again"}).status_code == 409


@pytest.mark.parametrize(
    "body",
    [
        {"run": ""},
        {"run": "r", "every_s": 0},
        {"run": "r", "signals": {"invalid": {"rise": 2}}},
        {"run": "r", "signals": {"unknown": None}},
        {"run": "r", "webhook": "http://169.254.169.254/"},
        {"run": "r", "webhook": "javascript:alert(1)"},
        {"run": "r", "action": "delete"},
    ],
)
def test_a_wrong_watch_is_refused(service: Api, body: Json) -> None:
    assert service.http.put("/v1/watches/wrong", json=body).status_code == 422
    assert service.get("/v1/watches/wrong").status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/runs/nobody/watch", None),
        ("GET", "/v1/alarms/none", None),
        ("POST", "/v1/alarms/none/close", {"reason": "r"}),
        ("DELETE", "/v1/watches/none", None),
        ("DELETE", "/v1/recipes/sha256:0/freeze?reason=r", None),
        ("PUT", "/v1/recipes/sha256:0/freeze", {"reason": "r"}),
    ],
)
def test_what_is_not_there_is_not_found(service: Api, method: str, path: str, body: Json | None) -> None:
    answer = service.http.request(method, path, json=body)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
