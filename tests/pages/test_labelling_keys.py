"""Labelling where keys are asked for: the key names the annotator, and one that only labels sees no verdict before."""

from __future__ import annotations

from collections.abc import Iterator

import httpx2
import pytest

from tests.pages.labeller import halves
from tests.services import Project

NAME = "ann \u00fc <b>"


@pytest.fixture(scope="module")
def admin(project: Project) -> Iterator[httpx2.Client]:
    with httpx2.Client(
        base_url=project.service.url,
        timeout=60.0,
        trust_env=False,
        headers={"authorization": f"Bearer {project.key}"},
    ) as http:
        yield http


def holder(admin: httpx2.Client, *scopes: str) -> dict[str, str]:
    made = admin.post("/v1/keys", json={"name": NAME, "scopes": list(scopes)}).raise_for_status().json()
    return {"authorization": f"Bearer {made['key']}", "accept": "application/json"}


@pytest.fixture(scope="module")
def draw(admin: httpx2.Client) -> str:
    admin.post("/v1/verify", json={"verifier": "exact", "samples": halves(4)}).raise_for_status()
    spec = {"subject": {"verifier": "exact"}, "rest": 1, "guidelines": "g"}
    return str(admin.post("/v1/labels/draws", json=spec).raise_for_status().json()["id"])


def test_the_annotator_is_the_name_of_the_key(admin: httpx2.Client, draw: str) -> None:
    key = {**holder(admin, "label"), "cookie": "trueward_annotator=somebody"}
    address = admin.post(f"/ui/labels/{draw}/next", headers=key).headers["location"]
    sent = admin.post(address, headers=key, data={"right": "right", "known": ""})
    assert sent.headers["location"] == address
    [label] = admin.get("/v1/labels", params={"draw": draw}).json()["labels"]
    assert label["annotator"] == NAME


def test_a_key_that_only_labels_sees_what_was_said_after_its_label_alone(admin: httpx2.Client, draw: str) -> None:
    key = holder(admin, "label")
    shown = admin.get(f"/ui/labels/{draw}", headers=key).json()
    assert (shown["spec"], shown["agreement"], shown["notes"], shown["guidelines"]) == (None, None, [], "g")
    assert [one["subject"] for one in admin.get("/ui/labels", headers=key).json()["draws"]] == [None]
    assert admin.get("/ui/labels/new", headers=key).status_code == 403
    assert admin.post("/ui/labels/new", headers=key).status_code == 403
    assert admin.get(f"/ui/labels/{draw}/export/csv", headers=key).status_code == 403
    assert admin.post(f"/ui/labels/{draw}/audit", headers=key).status_code == 403
    address = admin.post(f"/ui/labels/{draw}/next", headers=key).headers["location"]
    admin.post(address, headers=key, data={"right": "wrong", "known": ""})
    [row] = admin.get(address, headers=key).json()["said"]
    page = admin.get(address, headers={**key, "accept": "text/html"}).text
    assert row["said"]["name"] == "exact"
    assert "/ui/ledger/" not in page
    assert "/case/" not in page
    assert admin.get(f"{address}/case/{row['said']['record']}", headers=key).status_code == 403


@pytest.mark.parametrize("path", ["", "/0", "/next", "/new"])
def test_a_key_without_the_scope_does_not_label(admin: httpx2.Client, draw: str, path: str) -> None:
    key = holder(admin, "view", "score")
    place = "/ui/labels/new" if path == "/new" else f"/ui/labels/{draw}{path}"
    ask = admin.post if path == "/next" else admin.get
    assert ask(place, headers=key).status_code == 403


def test_a_record_is_labelled_by_the_name_of_a_key_that_may(admin: httpx2.Client) -> None:
    sample = {"prompt": "by key", "response": "a", "reference": "b"}
    record = admin.post("/v1/verify", json={"verifier": "exact", "samples": [sample]}).json()["verdicts"][0]["record"]
    viewer, labeller = holder(admin, "view"), holder(admin, "view", "label")
    page = f"/ui/ledger/{record}"
    assert admin.get(page, headers=viewer).json()["annotator"] is None
    assert "Keep the label" not in admin.get(page, headers={**viewer, "accept": "text/html"}).text
    assert admin.post(f"{page}/label", headers=viewer, data={"right": "wrong"}).status_code == 403
    assert admin.get(page, headers=labeller).json()["annotator"] == NAME
    assert admin.post(f"{page}/label", headers=labeller, data={"right": "wrong"}).status_code == 303
    [label] = admin.get(page, headers=viewer).json()["labels"]
    assert (label["annotator"], label["right"], label["after_reveal"]) == (NAME, False, True)
