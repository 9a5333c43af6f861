"""The page of a preset: its own audits and models, and nothing of another text under the same name."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect

from app.pages.audits.rates import big_numbers
from app.pages.presets.service import _try_it, verifiers_of
from judges import presets
from tests.judges.openai_server import JudgeServer, Request
from tests.judges.service.conftest import registered
from tests.pages.audited import audited, shown
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert
from trueward import Client
from trueward.wire.audit import AuditReport

RUN = "a preset's page"
MODEL = "page-judge"
HOSTILE = "</td><script>window.__ran=1</script>"


def reply(request: Request) -> str:
    """Accepts what names Oslo, and cannot be read once of each that names Rome."""
    text = str(request["messages"])
    if "Rome" in text and "could not be read" not in text:
        return "I think so."
    return '{"verdict": "%s"}' % ("correct" if "Oslo" in text.rpartition("RESPONSE")[0] else "incorrect")


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def page(http: httpx2.Client, site: str) -> Iterator[dict[str, Any]]:
    """Of ``xverify``'s neighbour ``quality``: no; of ``correctness``, which judged eight labelled responses."""
    with (
        JudgeServer(reply) as server,
        Client(site) as client,
        registered(client, server.entry(MODEL, served_name=HOSTILE)),
    ):
        _judged(http)
        spec: dict[str, Any] = {"kind": "labelled", "population": {"run": RUN}}
        spec["subject"] = {"verifier": "judge", "params": {"preset": "correctness", "model": MODEL}}
        found = audited(http, spec, HOSTILE)
        assert found["state"] == "completed", found["failure"]
        yield {**shown(http, "/ui/presets/correctness"), "audit": found}


def _judged(http: httpx2.Client) -> None:
    cities = ["Oslo", "Oslo", "Oslo", "Paris", "Paris", "Rome", "Oslo or Bergen", "Bergen"]
    samples = [
        {"prompt": f"Which city, {place}? {PAYLOADS[place]}", "response": f"It is {city}.", "reference": "the capital"}
        for place, city in enumerate(cities)
    ]
    asked = {"verifier": "judge", "params": {"preset": "correctness", "model": MODEL}, "run": RUN, "samples": samples}
    said = http.post("/v1/verify", json=asked).raise_for_status().json()["verdicts"]
    labels = [
        {"record": one["record"], "right": "Oslo" in city and "or" not in city, "source": PAYLOADS[0]}
        for one, city in zip(said, cities, strict=True)
    ]
    http.post("/v1/labels", json={"labels": labels}).raise_for_status()


def test_the_rates_are_those_of_the_audit(page: dict[str, Any]) -> None:
    report = AuditReport.model_validate(page["audit"]["report"])
    [found] = [one for one in page["audits"] if one["id"] == page["audit"]["id"]]
    assert found["numbers"] == [one.model_dump(mode="json") for one in big_numbers(report)]
    assert [one["estimate"]["errors"] for one in found["numbers"]] == [1, 0]
    assert found["numbers"][0]["estimate"]["interval"] is not None
    assert found["origins"] == page["audit"]["report"]["origins"] == {PAYLOADS[0]: 8}
    assert (found["model"], found["alone"]) == (MODEL, True)
    assert found["finished_at"] == page["audit"]["finished_at"]


def test_the_models_are_those_that_were_asked_with_their_share_of_unreadable_replies(page: dict[str, Any]) -> None:
    [found] = [one for one in page["used"] if one["model"] == MODEL]
    assert (found["served"], found["verdicts"], found["missing"]) == (HOSTILE, 8, 0)
    assert (found["calls"], found["malformed"]) == (9, 1)
    assert page["counted"] >= 8


def test_it_says_what_is_asked_and_with_which_parameters(page: dict[str, Any]) -> None:
    preset = presets.find("correctness")
    assert page["preset"]["hash"] == preset.hash
    assert [one["text"] for one in page["prompts"]] == [preset.prompt().source]
    assert page["prompts"][0]["slots"] == ["question", "reference", "response"]
    assert page["needs"] == ["prompt", "reference"]
    assert '"verdict"' in page["reply"]
    named = {one["name"]: one["default"] for one in page["params"]}
    assert named["attempts"] == "3"
    assert "preset" not in named
    assert page["try_it"].startswith("/ui/playground#")


def test_another_preset_shows_nothing_of_it(http: httpx2.Client, page: dict[str, Any]) -> None:
    other = shown(http, "/ui/presets/tool_correctness")
    assert [one for one in other["audits"] if one["id"] == page["audit"]["id"]] == []
    assert [one for one in other["used"] if one["model"] == MODEL] == []


@pytest.mark.parametrize("name", presets.names())
def test_every_preset_has_a_page_that_the_catalogue_names(http: httpx2.Client, name: str) -> None:
    listed = http.get("/ui/catalogue").raise_for_status().text
    assert f'href="/ui/presets/{name}"' in listed
    said = http.get(f"/ui/presets/{name}").raise_for_status().text
    assert f"<h1>Preset <bdi>{name}</bdi>" in said


def test_an_audit_of_it_begins_with_its_verdicts_by_the_model_that_was_asked(
    http: httpx2.Client, page: dict[str, Any]
) -> None:
    form = shown(http, page["audit_it"].partition("#")[0])["form"]
    assert (form["judge"], json.loads(form["params"])) == ("verifier:judge", {"preset": "correctness", "model": MODEL})


@pytest.mark.parametrize("name", presets.names())
def test_what_a_preset_is_tried_with_says_something(name: str) -> None:
    """A judge is not asked of a response without a letter or a digit."""
    shared = _try_it(presets.find(name), verifiers_of(presets.find(name).head.mechanism)[0])
    packed = shared.partition("#")[2]
    state = json.loads(base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4)))
    assert any(map(str.isalnum, state["response"]))


def test_an_unknown_preset_is_not_found(http: httpx2.Client) -> None:
    said = http.get("/ui/presets/no-such", params={"format": "json"})
    assert said.status_code == 404
    assert "no preset 'no-such'" in said.json()["detail"]


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_page_is_inert_and_accessible(page: dict[str, Any], open_page: OpenPage, theme: Theme) -> None:
    for width in ("desktop", "phone"):
        opened = open_page("/ui/presets/correctness", theme, width)
        expect(opened.get_by_role("link", name="in the playground")).to_be_visible()
        assert_inert(opened)
        assert_accessible(opened)


def test_the_playground_has_the_preset_filled_in(page: dict[str, Any], open_page: OpenPage) -> None:
    opened = open_page("/ui/presets/correctness")
    opened.get_by_role("link", name="in the playground").click()
    expect(opened.locator("[name=params]")).to_have_value('{\n  "preset": "correctness"\n}')
    expect(opened.locator("[name=judge]")).to_have_value("verifier:judge")
