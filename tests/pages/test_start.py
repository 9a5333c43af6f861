"""The first page and the frame of all pages, in a browser."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, expect

from tests.live import serving
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_first_page_is_accessible_and_inert(open_page: OpenPage, theme: Theme, width: str) -> None:
    page = open_page("/ui/", theme, width)
    assert page.get_by_role("heading", level=1).count() == 1
    assert_accessible(page)
    assert_inert(page)


def shown(site: str) -> dict[str, Any]:
    view: dict[str, Any] = httpx2.get(f"{site}/ui/?format=json", timeout=30.0).json()
    return view


def began(site: str, run: str) -> str:
    """A run that is the newest: other tests of this service begin runs of their own."""
    body = {"verifier": "exact", "run": run, "samples": [{"response": "a", "reference": "b"}]}
    httpx2.post(f"{site}/v1/verify", json=body, timeout=30.0).raise_for_status()
    return run


def test_the_first_page_tells_how_the_newest_runs_go(open_page: OpenPage, site: str) -> None:
    run = began(site, f"{PAYLOADS[4]} on the first page")
    page = open_page("/ui/")
    assert page.get_by_text(run, exact=True).first.is_visible()
    [row] = [row for row in shown(site)["runs"] if row["id"] == run]
    assert (row["records"], row["mean"], row["priced"]) == (1, 0.0, False)


@pytest.mark.parametrize(("theme", "width"), [("light", "phone"), ("dark", "desktop")])
def test_the_catalogue_is_a_page_of_its_own(open_page: OpenPage, theme: Theme, width: str) -> None:
    page = open_page("/ui/", theme, width)
    page.get_by_role("link", name="Catalogue").click()
    page.get_by_role("heading", name="Catalogue", level=1).wait_for()
    for name in ("math", "hostile"):
        assert page.get_by_text(name, exact=True).first.is_visible()
    assert_accessible(page)
    assert_inert(page)


def test_what_there_is_to_paste_works_as_it_stands(site: str) -> None:
    view = shown(site)
    for command in (["bash", "-c", view["curl"]], [sys.executable, "-c", view["python"]]):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        assert "1.0" in done.stdout
    assert "first-run" in [row["id"] for row in shown(site)["runs"]]


def test_what_waits_for_a_person_stands_on_the_first_page(open_page: OpenPage, site: str) -> None:
    run = began(site, "to be labelled")
    asked = {"name": "a draw that waits", "subject": {"verifier": "exact"}, "population": {"run": run}, "rest": 1}
    httpx2.post(f"{site}/v1/labels/draws", json=asked, timeout=30.0).raise_for_status()
    assert ("a draw that waits", 1) in [(draw["name"], draw["progress"]["left"]) for draw in shown(site)["draws"]]
    page = open_page("/ui/")
    page.get_by_role("link", name="a draw that waits").click()
    page.get_by_role("heading", name="a draw that waits").wait_for()


def test_an_empty_service_says_what_to_do_first(browser: Browser, tmp_path: Path) -> None:
    with serving(tmp_path, workers="1", sandbox="off") as service:
        page = browser.new_context(base_url=service.url).new_page()
        page.goto("/ui/")
        expect(page.get_by_role("heading", name="First steps")).to_be_visible()
        expect(page.locator("main ol > li")).to_have_count(3)
        expect(page.locator("#curl")).to_contain_text(f"{service.url}/v1/rewards")
        assert_accessible(page)
        page.goto("/ui/ledger")
        expect(page.get_by_text("No verdict is recorded yet.")).to_be_visible()
        page.goto("/ui/ledger?run=none")
        expect(page.get_by_text("No record matches these filters.")).to_be_visible()
        page.goto("/ui/")
        page.get_by_role("button", name="Copy").first.click()
        expect(page.get_by_role("button", name="Copied")).to_be_visible()
        page.context.close()


def test_a_keyboard_reaches_the_content_first_and_then_the_pages(open_page: OpenPage) -> None:
    page = open_page("/ui/")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.id") == "main"
    page.keyboard.press("Shift+Tab")
    assert page.evaluate("document.activeElement.closest('header') !== null")


def test_a_browser_is_led_to_the_pages_and_a_program_is_not(open_page: OpenPage, site: str) -> None:
    page = open_page("/")
    assert page.url == f"{site}/ui/"
    answer = httpx2.get(f"{site}/", timeout=30.0)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_an_address_that_is_none_is_a_page_for_people(open_page: OpenPage) -> None:
    page = open_page("/ui/<script>window.__ran=1</script>", refusals={404})
    assert page.get_by_role("heading", name="Not found").is_visible()
    assert_accessible(page)
    assert_inert(page)
    assert open_page("/nowhere", refusals={404}).get_by_role("heading", name="Not found").is_visible()


def test_runs_of_audits_are_no_recent_runs(site: str) -> None:
    run, audit = began(site, f"{PAYLOADS[4]} beside an audit"), began(site, "audit:made-up")
    listed = [row["id"] for row in shown(site)["runs"]]
    assert run in listed
    assert audit not in listed
