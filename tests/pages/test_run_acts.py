"""What is done from a run's page within one's scopes: alarms closed, recipes frozen and thawed, responses drawn."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import uuid4

import httpx2
import pytest

from app.pages.paths import run_path
from tests.live import serving
from tests.pages.labeller import Labeller
from tests.services import Keyed


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("acts"), workers="1", sandbox="off") as service:
        yield service.url


@pytest.fixture(scope="module")
def run(site: str) -> str:
    """Without a single reward, for its samples have no reference, and with a watch that finds it."""
    name = f"acts/{uuid4().hex[:8]}?"
    samples = [{"prompt": f"{n % 8}?", "group": f"g{n % 8}", "response": f"{n}"} for n in range(64)]
    with httpx2.Client(base_url=site, timeout=60.0) as http:
        for step in range(6):
            body = {"recipe": "exact", "run": name, "step": step, "samples": samples}
            http.post("/v1/rewards", json=body).raise_for_status()
        http.put("/v1/watches/acts", json={"run": name, "every_s": 1}).raise_for_status()
        deadline = time.monotonic() + 60
        while not http.get("/v1/alarms", params={"run": name}).json()["alarms"]:
            assert time.monotonic() < deadline
            time.sleep(0.2)
    return name


@pytest.fixture
def ann(site: str) -> Iterator[Labeller]:
    with Labeller.named(site, "ann") as ann:
        yield ann


def look(ann: Labeller, run: str) -> dict[str, Any]:
    return ann.look(run_path(run))


def missing(view: dict[str, Any]) -> dict[str, Any]:
    """The alarm of missing scores."""
    found: dict[str, Any] = next(row for row in view["alarms"] if row["alarm"]["finding"]["signal"] == "missing")
    return found


def test_an_alarm_leads_to_the_samples_that_raised_it_and_is_marked_in_the_figures(ann: Labeller, run: str) -> None:
    view = look(ann, run)
    row = missing(view)
    rows = ann.http.get(row["samples"], params={"format": "json"}).json()["rows"]
    assert rows
    assert {one["reason_code"] for one in rows} == {"no_reference"}
    assert {one["run"] for one in rows} == {run}
    assert ann.http.get(row["sample"]).status_code == 200
    finding = row["alarm"]["finding"]
    ranges = [(one["low"], one["high"]) for one in view["series"]["figures"][0]["ranges"]]
    assert (finding["first_step"], finding["last_step"]) in ranges
    assert view["status"]["state"] == "alarm"


def test_an_alarm_is_closed_with_a_reason(ann: Labeller, run: str) -> None:
    alarm = missing(look(ann, run))["alarm"]["id"]
    refused = ann.send(f"/ui/alarms/{alarm}/close", reason="")
    assert (refused.status_code, "reason" in refused.text) == (422, True)
    closed = ann.send(f"/ui/alarms/{alarm}/close", reason="the references came late")
    assert (closed.status_code, closed.headers["location"]) == (303, f"{run_path(run)}#alarms")
    assert missing(look(ann, run))["alarm"]["state"] == "closed"
    assert "the references came late" in ann.http.get(run_path(run)).text
    assert ann.send(f"/ui/alarms/{alarm}/close", reason="again").status_code == 409


def test_a_recipe_is_frozen_and_thawed(ann: Labeller, site: str, run: str) -> None:
    recipe = look(ann, run)["run"]["recipe"]
    body = {"recipe": "exact", "run": run, "step": 9, "samples": [{"response": "1", "reference": "1"}]}
    sent = ann.send("/ui/freezes", run=run, recipe=recipe, act="freeze", reason="it pays for nothing")
    assert sent.status_code == 303
    assert httpx2.post(f"{site}/v1/rewards", json=body, timeout=60.0).status_code == 409
    assert "it pays for nothing" in ann.http.get(run_path(run)).text
    sent = ann.send("/ui/freezes", run=run, recipe=recipe, act="lift", reason="looked at")
    assert sent.status_code == 303
    assert httpx2.post(f"{site}/v1/rewards", json=body, timeout=60.0).status_code == 200
    assert look(ann, run)["freeze"] is None
    assert ann.send("/ui/freezes", run=run, recipe=recipe, act="melt", reason="x").status_code == 422


def test_twenty_responses_are_drawn_from_a_step_on(ann: Labeller, run: str) -> None:
    sent = ann.send("/ui/runs-draw", run=run, verifier="exact", step="4")
    assert sent.status_code == 303, sent.text
    draw = ann.look(sent.headers["location"])
    assert (draw["spec"]["population"]["run"], draw["spec"]["population"]["first_step"]) == (run, 4)
    assert 1 <= draw["progress"]["drawn"] <= 40
    refused = ann.send("/ui/runs-draw", run=run, verifier="exact", step="next")
    assert (refused.status_code, "Step must be a step" in refused.text) == (422, True)


def test_the_form_of_an_audit_is_filled_with_the_run(ann: Labeller, run: str) -> None:
    page = ann.http.get(run_path(run)).text
    [link] = {one.split('"')[0] for one in page.split('href="')[1:] if one.startswith("/ui/audits?judge=")}
    asked = parse_qs(urlsplit(link.replace("&amp;", "&")).query)
    assert (asked["judge"], asked["run"]) == (["verifier:exact"], [run])
    address = link.replace("&amp;", "&").replace("#start", "&format=json")
    form = ann.http.get(address).json()["form"]
    assert (form["judge"], form["run"]) == ("verifier:exact", run)


def test_a_form_without_its_token_does_nothing(ann: Labeller, run: str) -> None:
    recipe = look(ann, run)["run"]["recipe"]
    fields = {"run": run, "recipe": recipe, "act": "freeze", "reason": "another site"}
    assert ann.http.post("/ui/freezes", data=fields).status_code == 403
    assert look(ann, run)["freeze"] is None


@pytest.mark.parametrize(
    ("path", "scopes"),
    [("/ui/alarms/x/close", ["view", "score"]), ("/ui/freezes", ["view", "label"]), ("/ui/runs-draw", ["view"])],
)
def test_a_key_without_the_scope_is_refused(keyed: Keyed, path: str, scopes: list[str]) -> None:
    with httpx2.Client(base_url=keyed.url, timeout=60.0) as http:
        admin = {"authorization": f"Bearer {keyed.admin}"}
        key = http.post("/v1/keys", json={"name": "k", "scopes": scopes}, headers=admin).json()["key"]
        assert http.post(path, data={}, headers={"authorization": f"Bearer {key}"}).status_code == 403
