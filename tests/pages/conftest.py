"""A live service with a hostile ledger, and a browser to look at it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page

from tests.live import serving
from tests.pages.browser import WIDTHS, Heard, Theme, chromium
from tests.pages.hostile import seed

OpenPage = Callable[..., Page]


@pytest.fixture(scope="session")
def hostile_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The URL of a keyless service that holds what hostile policies and callers sent; tests add to it, no more."""
    with serving(tmp_path_factory.mktemp("site"), workers="1", sandbox="off") as service:
        with httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False) as http:
            seed(http)
        yield service.url


@pytest.fixture(scope="module")
def site(hostile_site: str) -> str:
    """The service that a module's pages are of; a module that changes much overrides it with one of its own."""
    return hostile_site


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    """One a module: its driver occupies the event loop of the thread until it ends."""
    with chromium() as found:
        yield found


@pytest.fixture
def open_page(site: str, browser: Browser) -> Iterator[OpenPage]:
    """``open_page("/ui/", theme="dark", width="phone", refusals={404})``; at the end, no page may have misbehaved."""
    opened: list[tuple[Page, Heard]] = []

    def go(
        path: str,
        theme: Theme = "light",
        width: str = "desktop",
        refusals: set[int] | None = None,
        elsewhere: str = "",
    ) -> Page:
        across, down = WIDTHS[width]
        options: dict[str, Any] = {"viewport": {"width": across, "height": down}, "color_scheme": theme}
        page = browser.new_context(base_url=site, **options).new_page()
        page.set_default_timeout(20_000)
        heard = Heard(site, elsewhere, refusals=refusals or set())
        heard.listen(page)
        opened.append((page, heard))
        page.goto(path)
        return page

    yield go
    problems = [problem for _, heard in opened for problem in heard.problems]
    for page, _ in opened:
        page.context.close()
    assert problems == []
