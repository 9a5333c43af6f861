"""From a jump of the reward at step 23 to its cause and a corrected recipe, by mouse and by keyboard."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Locator, Page, expect

from app.pages.paths import run_path
from tests.live import serving
from tests.pages.browser import arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.labeller import written
from tests.pages.suspicious import JUMP, RECIPE, STEPS, train

RUN = "grpo/qwen?a#1"
OTHER = "grpo/strict"
LEAST_DRAWN = 8
_FOCUSED = "document.activeElement"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("suspicious"), workers="2", sandbox="off") as service:
        yield service.url


@pytest.fixture(scope="module")
def truth(site: str) -> dict[str, bool]:
    train(site, OTHER, jump=STEPS, seed=1)
    return train(site, RUN)


def click(here: Locator) -> None:
    here.click()


def press(here: Locator) -> None:
    """Reaches it by the tab key alone, and opens it."""
    page = here.page
    for _ in range(250):
        if here.evaluate(f"one => one === {_FOCUSED}"):
            page.keyboard.press("Enter")
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the tab key does not reach {here}")


def point_by_mouse(page: Page, step: int) -> None:
    spot = page.locator("#figure1 .spots a").nth(step)
    spot.hover()
    expect(page.locator("#figure1 .readout")).to_contain_text(f"step {step},")
    spot.click()


def point_by_keys(page: Page, step: int) -> None:
    page.wait_for_load_state()
    for _ in range(250):
        if page.evaluate(f"{_FOCUSED}.closest('#figure1 .spots') !== null"):
            break
        page.keyboard.press("Tab")
    expect(page.locator("#figure1 .readout")).to_contain_text(f"step {STEPS - 1},")
    for _ in range(STEPS - 1 - step):
        page.keyboard.press("ArrowLeft")
    expect(page.locator("#figure1 .readout")).to_contain_text(f"step {step},")
    page.keyboard.press("Enter")


Pointing = Callable[[Page, int], None]
Opening = Callable[[Locator], None]


@pytest.mark.parametrize(("point", "use"), [(point_by_mouse, click), (point_by_keys, press)], ids=["mouse", "keyboard"])
def test_from_a_jump_to_a_corrected_recipe(
    open_page: OpenPage, site: str, request: pytest.FixtureRequest, point: Pointing, use: Opening
) -> None:
    run = f"journey/{request.node.callspec.id}"  # of its own: what is labelled in one draw is done in the next
    truth = train(site, run, seed=len(run))
    page = open_page(run_path(run))
    expect(page.locator(".headline")).to_contain_text(f"step {JUMP}")

    point(page, JUMP)  # the first click: the samples of the step
    arrived(page.get_by_role("heading", name="Ledger", level=1))
    asked = parse_qs(urlsplit(page.url).query)
    assert (asked["run"], asked["step"], asked["kind"]) == ([run], [str(JUMP)], ["reward"])
    use(page.locator(".records tbody a").first)  # the second: one of them
    arrived(page.get_by_role("heading", name="Verify again"))
    assert f"step={JUMP}" in page.content()

    page.goto(run_path(run))
    use(page.locator(".headline a"))
    arrived(page.get_by_role("heading", name="Words"))
    changed = page.locator("#changes")
    expect(changed).to_contain_text("possible answers")
    expect(changed).to_contain_text("answer: list")
    use(changed.get_by_role("row", name="possible answers").get_by_role("link").first)
    arrived(page.get_by_role("heading", name="Verify again"))
    assert "Possible answers" in page.content()

    page.goto(f"{run_path(run)}?since={JUMP}")
    use(page.get_by_role("button", name="Draw about 20", exact=True).first)
    arrived(page.get_by_label("Your name"))
    page.get_by_label("Your name").fill("ann")
    page.keyboard.press("Enter")
    arrived(page.get_by_text("You label as"))
    use(page.get_by_role("button", name="Label the next item"))
    draw = label(page, truth)
    page.goto(draw)
    use(page.get_by_role("button", name="Audit regex with these labels"))
    arrived(page.get_by_role("heading", name="How often it is wrong"))
    use(page.get_by_role("button", name="Correct it with these rates"))
    arrived(page.get_by_role("heading", name=f"{RECIPE}-corrected", level=1))


def label(page: Page, truth: dict[str, bool]) -> str:
    """Every item by keys, blind; the draw's address."""
    while True:
        arrived(page.get_by_text("The response is"))
        item = page.request.get(page.url, params={"format": "json"}).json()
        page.keyboard.press("1" if truth[written(item, "response")] else "2")
        page.keyboard.press("Enter")
        arrived(page.get_by_role("heading", name="Your label"))
        if item["progress"]["left"] <= 1:
            assert item["progress"]["drawn"] >= LEAST_DRAWN
            return page.url.rsplit("/", 1)[0]
        page.keyboard.press("Enter")


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_a_run_with_all_its_parts_is_accessible(
    open_page: OpenPage, truth: object, theme: str, width: str, tmp_path: Path
) -> None:
    page = open_page(f"{run_path(RUN)}?since={JUMP}&beside={OTHER}", theme, width)
    expect(page.locator("figcaption").first).to_contain_text(OTHER)
    assert page.locator("#beside article").count() >= 2
    page.get_by_text("The points as a table").click()
    assert_accessible(page)


def test_the_phone_shows_the_newest_end_of_a_figure(open_page: OpenPage, truth: object) -> None:
    page = open_page(run_path(RUN), width="phone")
    edge = page.locator("#figure1 .scroll").bounding_box()
    last = page.locator("#figure1 .spots a").last.bounding_box()
    assert edge is not None
    assert last is not None
    assert edge["x"] <= last["x"] <= edge["x"] + edge["width"]


def test_a_run_that_goes_on_is_shown_without_taking_the_focus(open_page: OpenPage, site: str, truth: object) -> None:
    run = "grpo/goes on"
    train(site, run)
    page = open_page(run_path(run))
    page.evaluate("document.getElementById('since').focus()")
    before = page.locator("#steps-part").inner_text()
    train(site, run, seed=5)  # every step has twice as many records
    expect(page.locator("#steps-part")).not_to_have_text(before, use_inner_text=True, timeout=30_000)
    expect(page.locator("#steps-part")).to_contain_text("1,920 records")
    assert page.evaluate("document.activeElement.id") == "since"


def test_names_of_checkpoints_do_not_lie_on_each_other(open_page: OpenPage, truth: object) -> None:
    page = open_page(run_path(RUN))
    boxes = [one.bounding_box() for one in page.locator("#figure1 .mark text").all()]
    assert len(boxes) >= 3
    for place, one in enumerate(boxes):
        for other in boxes[place + 1 :]:
            assert one is not None
            assert other is not None
            apart = one["x"] + one["width"] <= other["x"] or other["x"] + other["width"] <= one["x"]
            assert apart or abs(one["y"] - other["y"]) >= one["height"] * 0.8
