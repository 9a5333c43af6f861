"""The first page and the frame of all pages, in a browser."""

from __future__ import annotations

import httpx2
import pytest

from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_first_page_is_accessible_and_inert(open_page: OpenPage, theme: Theme, width: str) -> None:
    page = open_page("/ui/", theme, width)
    assert page.get_by_role("heading", level=1).count() == 1
    assert_accessible(page)
    assert_inert(page)


def began(site: str, run: str) -> str:
    """A run that is the newest: other tests of this service begin runs of their own."""
    body = {"verifier": "exact", "run": run, "samples": [{"response": "a", "reference": "b"}]}
    httpx2.post(f"{site}/v1/verify", json=body, timeout=30.0).raise_for_status()
    return run


def test_the_first_page_lists_what_there_is(open_page: OpenPage, site: str) -> None:
    run = began(site, f"{PAYLOADS[4]} on the first page")
    page = open_page("/ui/")
    for name in ("math", "hostile", run):
        assert page.get_by_text(name, exact=True).first.is_visible()


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
    shown = [run["id"] for run in httpx2.get(f"{site}/ui/?format=json", timeout=30.0).json()["runs"]]
    assert run in shown
    assert audit not in shown
