"""Debian's Chromium, looked at by tests: what a page said to the console, whether it is accessible, what it shows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from playwright.sync_api import (
    Browser,
    ConsoleMessage,
    Dialog,
    Locator,
    Page,
    Request,
    Response,
    expect,
    sync_playwright,
)

CHROMIUM = Path("/usr/bin/chromium")
AXE = (Path(__file__).parent / "axe/axe.min.js").read_text(encoding="utf-8")
Theme = Literal["light", "dark"]
WIDTHS = {"desktop": (1280, 900), "phone": (390, 844)}
_RUN_AXE = """
async () => {
  const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const found = await axe.run(document, {runOnly: rules});
  return found.violations.filter(one => ["serious", "critical", "moderate"].includes(one.impact))
    .map(one => `${one.impact} ${one.id}: ${one.nodes.slice(0, 4).map(at => at.html.slice(0, 200)).join(" | ")}`);
}
"""


expect.set_options(timeout=20_000)


def arrived(here: Locator) -> None:
    """Waits until it is there, and the scripts of its page have run: a key that is pressed before is lost."""
    here.wait_for()
    here.page.wait_for_load_state()


@dataclass
class Heard:
    """What a page did that no page of ours may: errors and violations of its policy, dialogs, requests elsewhere.

    ``elsewhere`` is another site that the test itself plays; ``refusals`` are statuses from 400 that it expects.
    """

    origin: str
    elsewhere: str = ""
    problems: list[str] = field(default_factory=list)
    refusals: set[int] = field(default_factory=set)

    def listen(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.problems.append(f"error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning") and not message.text.startswith("Failed to load resource"):
            self.problems.append(f"{message.type}: {message.text}")

    def _dialog(self, dialog: Dialog) -> None:
        self.problems.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        if not request.url.startswith((self.origin, "data:", "about:", "blob:", self.elsewhere or self.origin)):
            self.problems.append(f"request to another site: {request.url}")

    def _response(self, response: Response) -> None:
        if response.status >= 400 and response.status not in self.refusals:
            self.problems.append(f"status {response.status}: {response.url}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A browser that nothing is downloaded for."""
    assert CHROMIUM.exists(), "the tests of the pages need Debian's chromium: make browser"
    arguments = ["--no-sandbox"] if os.geteuid() == 0 else []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=arguments)
        try:
            yield browser
        finally:
            browser.close()


def axe_findings(page: Page) -> list[str]:
    """What axe-core objects to in the page as it is now. Evaluated by the driver, which no page's policy binds."""
    page.evaluate(AXE)
    found: list[str] = page.evaluate(_RUN_AXE)
    return found


def assert_accessible(page: Page) -> None:
    assert axe_findings(page) == []
    overflow = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert overflow <= 0, f"the page is {overflow} pixels wider than its window"
