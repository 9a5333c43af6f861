"""What the doctor says of a run stands at the top of its page, with records to look at, and nothing in it is obeyed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from playwright.sync_api import expect

from app.pages.paths import run_path
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert

RUN = "doctor's/run?#2"
BOXED = {"terms": [{"verifier": "math", "params": {"extract": "boxed"}}]}


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


def sent(http: httpx2.Client, run: str, **fields: Any) -> None:
    samples = [
        {"id": str(n), "prompt": f"{n // 4}?", "response": f"It is <answer>{n}</answer>", "reference": str(n // 2 * 2)}
        | fields
        for n in range(64)
    ]
    http.post("/v1/rewards", json={"recipe": BOXED, "run": run, "samples": samples}).raise_for_status()


@pytest.fixture(scope="module")
def ill(http: httpx2.Client) -> str:
    sent(http, RUN)
    return RUN


def test_the_page_says_what_the_api_says(http: httpx2.Client, ill: str) -> None:
    said = http.get("/ui/doctor", params={"run": ill}, headers={"Accept": "application/json"}).json()
    assert said == http.get("/v1/runs/doctor%27s%2Frun%3F%232/doctor").json()
    assert said["faults"][0]["estimate"]["extract"] == "tag"
    page = http.get("/ui/doctor", params={"run": ill}).text
    for record in said["faults"][0]["records"]:
        assert f'href="/ui/ledger/{record}"' in page
        assert http.get(f"/ui/ledger/{record}").status_code == 200


def test_the_runs_page_leads_to_it_without_a_script(http: httpx2.Client, ill: str) -> None:
    page = http.get(run_path(ill)).text
    assert page.count("/ui/doctor?run=doctor%27s/run%3F%232") == 2


def test_a_run_that_nobody_knows_is_not_found(http: httpx2.Client) -> None:
    assert http.get("/ui/doctor", params={"run": "none such"}).status_code == 404


@pytest.mark.browser
@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", ["desktop", "phone"])
def test_the_runs_page_shows_it_by_itself(open_page: OpenPage, ill: str, theme: Theme, width: str) -> None:
    page = open_page(run_path(ill), theme=theme, width=width)
    expect(page.locator("#doctor li").first).to_contain_text("no_answer: the responses write <answer>")
    expect(page.locator("#doctor li").first).to_contain_text("With extract: tag")
    assert not page.title().startswith("Doctor"), "what is fetched into a page does not name the page"
    assert_accessible(page)
    page.locator("#doctor li a").first.click()
    page.wait_for_url("**/ui/ledger/*")


@pytest.mark.browser
def test_no_payload_runs(http: httpx2.Client, open_page: OpenPage) -> None:
    """Faults quote what a caller wrote, such as a data source."""
    for number, payload in enumerate(PAYLOADS[:6]):
        run = f"hostile doctor {number} {payload}"
        sent(http, run, data_source=payload, reference=None)
        said = http.get("/ui/doctor", params={"run": run, "format": "json"}).json()
        assert payload[:6] in said["faults"][0]["sentence"]
        page = open_page(f"/ui/doctor?run={quote(run, safe='')}")
        expect(page.locator("#doctor li").first).to_be_visible()
        assert_inert(page)
