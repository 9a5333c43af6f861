"""`make screenshots`: the pictures of docs/pages, of the demo's data, in light and dark, desktop and phone width."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from app.demo import audits, batch
from app.pages.paths import recipe_path, run_path
from tests.live import serving
from tests.pages.browser import WIDTHS, Theme, chromium
from tests.pages.trained import RECIPE, RUN, train
from trueward import Client

FOLDER = Path(__file__).parents[2] / "docs/pages"
TALLEST = 1600


def nothing(page: Page) -> None:
    """The page as it opens."""


def live(page: Page) -> None:
    """While it is told anew."""
    page.get_by_text("Live.").wait_for()


def diagnose(page: Page) -> None:
    """A run with what the doctor says of it, which is fetched after the page."""
    page.locator("#doctor li, #doctor .note:not(:has(a))").first.wait_for()


def judge(page: Page) -> None:
    """A recipe's reward, line by line."""
    page.select_option("#judge", "recipe:math")
    page.get_by_role("button", name="Judge it").click()
    page.get_by_role("heading", name="Reward").wait_for()


def draw(page: Page) -> None:
    """A draw of the demo's run, and its first item, blind."""
    page.get_by_label("Your name").fill("ann")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="New draw").click()
    page.get_by_label("Name", exact=True).fill("a first look")
    page.get_by_label("Run").fill(batch.RUN)
    page.get_by_label("Guidelines").fill(
        "Right is an answer of the same value as the reference, however it is written."
    )
    page.get_by_label("Share of all responses").fill("0.3")
    page.get_by_role("button", name="Draw").click()
    page.get_by_role("button", name="Label the next item").click()
    page.get_by_text("The response is").wait_for()


def reveal(page: Page) -> None:
    """An item after its label."""
    draw(page)
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Your label").wait_for()


def compare(page: Page) -> None:
    """The demo's verdicts of `math`, judged again by a stricter one."""
    page.get_by_label("Run", exact=True).fill(batch.RUN)
    page.get_by_text("Parameters of verifiers").click()
    page.get_by_label("New parameters").fill('{"form": "simplified"}')
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("heading", name="What flipped").wait_for()


def first_record(page: Page) -> None:
    """The newest record that was found."""
    page.locator(".records tbody a").first.click()
    page.get_by_role("heading", name="Verify again").wait_for()


@dataclass(frozen=True, slots=True)
class Shot:
    name: str
    path: str
    theme: Theme = "light"
    width: str = "desktop"
    prepare: Callable[[Page], None] = nothing


SHOTS = (
    Shot("start", "/ui/"),
    Shot("start-dark-phone", "/ui/", "dark", "phone"),
    Shot("overview", "/ui/overview", prepare=live),
    Shot("overview-dark-phone", "/ui/overview", "dark", "phone", prepare=live),
    Shot("run", run_path(RUN), prepare=diagnose),
    Shot("run-dark-phone", run_path(RUN), "dark", "phone", prepare=diagnose),
    Shot("recipe", f"{recipe_path(RECIPE)}?from=&to="),
    Shot("recipe-dark-phone", f"{recipe_path(RECIPE)}?from=&to=", "dark", "phone"),
    Shot("playground", "/ui/playground?judge=verifier:math&example=0", prepare=judge),
    Shot("playground-dark", "/ui/playground?judge=verifier:math&example=0", "dark", prepare=judge),
    Shot("labels", "/ui/labels", prepare=draw),
    Shot("labels-dark", "/ui/labels", "dark", prepare=reveal),
    Shot("labels-phone", "/ui/labels", width="phone", prepare=draw),
    Shot("labels-dark-phone", "/ui/labels", "dark", "phone", prepare=reveal),
    Shot("playground-phone", "/ui/playground?judge=verifier:math&example=0", width="phone", prepare=judge),
    Shot("audit", "/ui/verifiers/math"),
    Shot("audit-dark-phone", "/ui/verifiers/math", "dark", "phone"),
    Shot("audits-dark", "/ui/audits", "dark"),
    Shot("comparison", "/ui/compare", prepare=compare),
    Shot("comparison-dark-phone", "/ui/compare", "dark", "phone", prepare=compare),
    Shot("ledger", "/ui/ledger?run=demo&verifier=math"),
    Shot("ledger-dark-phone", "/ui/ledger?run=demo&verifier=math", "dark", "phone"),
    Shot("sample", "/ui/ledger?run=demo&verifier=math", prepare=first_record),
    Shot("sample-dark", "/ui/ledger?run=demo&verifier=math", "dark", prepare=first_record),
)


def take(browser: Browser, url: str, shot: Shot, folder: Path) -> Path:
    """One picture, of at most 1,600 pixels of the page."""
    across, down = WIDTHS[shot.width]
    context = browser.new_context(
        base_url=url, viewport={"width": across, "height": down}, color_scheme=shot.theme, reduced_motion="reduce"
    )
    try:
        page = context.new_page()
        page.goto(shot.path)
        shot.prepare(page)
        page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
        tall = min(TALLEST, page.evaluate("document.documentElement.scrollHeight"))
        page.set_viewport_size(
            {"width": across, "height": max(down, tall)}
        )  # what sticks to its end stands where it ends
        target = folder / f"{shot.name}.png"
        page.screenshot(path=target, full_page=True, clip={"x": 0, "y": 0, "width": across, "height": tall})
        return target
    finally:
        context.close()


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data, serving(Path(data)) as service, chromium() as browser:
        with Client(service.url) as client:
            scored = batch.score(client, batch.read_batch())
            audits.label(client, scored)
            list(audits.audit(client, scored))
        train(service.url)
        for shot in SHOTS:
            print(take(browser, service.url, shot, FOLDER).relative_to(FOLDER.parents[1]))


if __name__ == "__main__":
    main()
