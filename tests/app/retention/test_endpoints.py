"""Deletions over HTTP and by the command line: counted, carried out, and 404 afterwards wherever they showed."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from app.keys.admission import Principal
from app.retention.endpoints import within
from tests.live import run
from tests.services import Project
from trueward.errors import NotFound
from trueward.wire.deletion import DeletionRequest

RUN = "doomed"


@pytest.fixture(scope="module")
def http(project: Project) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=project.url, timeout=60.0, trust_env=False) as client:
        yield client


def priced(http: httpx2.Client, run: str, subject: str) -> list[str]:
    metadata = {"subject": subject}
    samples = [{"response": f"{run} {number}", "reference": "x", "metadata": metadata} for number in range(4)]
    answer = http.post("/v1/rewards", json={"recipe": "exact", "run": run, "samples": samples})
    assert answer.status_code == 200, answer.text
    return [reward["record"] for reward in answer.json()["rewards"]]


def carried_out(http: httpx2.Client, body: dict[str, Any]) -> dict[str, Any]:
    asked = http.post("/v1/deletions", json=body)
    assert asked.status_code == 202, asked.text
    for _ in range(300):
        shown: dict[str, Any] = http.get(f"/v1/deletions/{asked.json()['id']}").json()
        if shown["state"] in ("completed", "failed"):
            break
        time.sleep(0.1)
    return shown


def test_a_run_is_counted_deleted_and_not_found(http: httpx2.Client) -> None:
    record, *_ = priced(http, RUN, "ada")
    (kept, *_) = priced(http, "kept", "bob")
    rows = {"verdicts": 4, "rewards": 4, "samples": 4}
    assert http.post("/v1/deletions/count", json={"run": RUN}).json() == {"rows": rows}
    shown = carried_out(http, {"run": RUN})
    assert (shown["state"], {name: shown["rows"][name] for name in rows}) == ("completed", rows)
    for place in (f"/v1/verdicts/{record}", f"/v1/verdicts/{record}/explanation", f"/ui/ledger/{record}"):
        assert http.get(place).status_code == 404, place
    for place in (f"/v1/runs/{RUN}", f"/ui/runs/{RUN}"):
        assert http.get(place).status_code == 404, place
    for place in (f"/v1/verdicts/{kept}/explanation", f"/ui/ledger/{kept}", "/ui/ledger", "/ui/runs", "/ui/runs/kept"):
        assert http.get(place).status_code == 200, place
    assert priced(http, RUN, "ada"), "the name is free"


def test_labels_outlive_their_record(http: httpx2.Client) -> None:
    record, *_ = priced(http, "labelled", "cleo")
    label = {"record": record, "right": True, "annotator": "a"}
    assert http.post("/v1/labels", json={"labels": [label]}).status_code in (200, 201)
    carried_out(http, {"run": "labelled"})
    found = [one for one in http.get("/v1/labels").json()["labels"] if one["record"] == record]
    assert len(found) == 1
    assert http.post(f"/v1/labels/{found[0]['id']}/case", json={}).status_code < 500
    shown = carried_out(http, {"subject": "cleo"})
    assert shown["rows"]["labels"] == 1
    assert http.get("/v1/labels").json()["labels"] == []


@pytest.mark.parametrize("body", [{}, {"run": "r", "subject": "s"}, {"older_than_days": -1}, {"run": ""}])
def test_what_is_not_clear_is_refused(http: httpx2.Client, body: dict[str, Any]) -> None:
    assert http.post("/v1/deletions", json=body).status_code == 422


def test_an_unknown_deletion_is_not_found(http: httpx2.Client) -> None:
    assert http.get("/v1/deletions/nothing").status_code == 404


def test_pruning_beside_the_service_is_done_by_it(http: httpx2.Client, project: Project) -> None:
    priced(http, "pruned", "dan")

    def prune(*also: str) -> str:
        done = run("db", "prune", "--subject", "dan", *also, "--data-dir", str(project.service.data_dir))
        done.check_returncode()
        return done.stdout

    assert "4  verdicts" in prune("--dry-run")
    assert "12  rows would go" in prune("--dry-run")
    assert "12  rows gone" in prune()
    assert "0  rows would go" in prune("--dry-run")


def test_an_administrator_of_a_project_reaches_no_further() -> None:
    own = Principal("k", frozenset({"admin"}), "research")
    assert within(DeletionRequest(run="r"), own).project == "research"
    assert within(DeletionRequest(run="r", project="research"), own).project == "research"
    with pytest.raises(NotFound):
        within(DeletionRequest(run="r", project="default"), own)
    assert within(DeletionRequest(run="r"), Principal("k", frozenset({"admin"}))).project is None
