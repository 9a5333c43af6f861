"""The labelling page in a browser: by keyboard alone, without a script, for every eye, and with hostile items."""

from __future__ import annotations

from typing import Any

import pytest
from playwright.sync_api import Page

from tests.pages.browser import Theme, arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert
from tests.pages.labeller import draw, halves, judge, labels


def begin(open_page: OpenPage, made: str, **how: Any) -> Page:
    """The draw's page, under a name, and from there the first item."""
    page = open_page(f"/ui/labels/{made}", **how)
    page.get_by_label("Your name").fill("ann")
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Label the next item").click()
    arrived(page.get_by_text("The response is"))
    return page


def chosen(page: Page) -> list[str]:
    found: list[str] = page.locator("#answer input:checked").evaluate_all("all => all.map(one => one.value)")
    return found


def test_everything_is_done_by_keyboard(open_page: OpenPage, site: str) -> None:
    made = draw(site, judge(site, halves(4)))
    page = open_page(f"/ui/labels/{made}")
    page.get_by_label("Your name").focus()
    page.keyboard.type("ann")
    page.keyboard.press("Enter")
    arrived(page.locator("button:focus", has_text="Label the next item"))
    page.keyboard.press("Enter")
    arrived(page.get_by_text("The response is"))
    first = page.url

    page.keyboard.press("Enter")
    assert page.locator("#status").inner_text() == "Choose 1, 2 or 3 first."
    page.keyboard.press("1")
    assert page.locator("#status").inner_text() == "Chosen: right. Enter gives the label."
    page.keyboard.press("Backspace")
    assert chosen(page) == []
    page.keyboard.press("2")
    page.keyboard.press("n")
    page.keyboard.type("1, 2? Backspace")
    assert chosen(page) == ["wrong"]
    page.keyboard.press("Control+Enter")
    arrived(page.get_by_role("heading", name="Your label: wrong"))
    assert labels(site, made)[0]["note"] == "1, 2? Backspace"

    page.keyboard.press("Enter")
    arrived(page.get_by_text("The response is"))
    second = page.url
    assert second != first
    page.keyboard.press("Backspace")
    arrived(page.locator("#again[open]"))
    assert page.url == f"{first}#again"
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    arrived(page.get_by_text("Second thought: right"))
    assert [(one["right"], one["after_reveal"]) for one in labels(site, made)] == [(True, True), (False, False)]

    page.keyboard.press("Enter")
    arrived(page.get_by_text("The response is"))
    assert page.url == second
    page.keyboard.press("3")
    page.keyboard.press("Enter")
    arrived(page.get_by_role("heading", name="Your label: cannot tell"))
    page.keyboard.press("ArrowLeft")
    arrived(page.get_by_role("heading", name="Your label: wrong"))
    page.keyboard.press("ArrowRight")
    arrived(page.get_by_role("heading", name="Your label: cannot tell"))
    page.keyboard.press("ArrowRight")
    assert page.locator("#status").inner_text() == "You have labelled nothing after this."


def test_the_help_holds_the_focus_and_gives_it_back(open_page: OpenPage, site: str) -> None:
    made = draw(site, judge(site, halves(2)), guidelines="A half is $\\frac{1}{2}$.")
    page = begin(open_page, made)
    button = page.get_by_role("button", name="Help")
    button.focus()
    page.keyboard.press("?")
    dialog = page.get_by_role("dialog", name="Help")
    dialog.wait_for()
    assert dialog.locator("math").count() == 1
    assert_accessible(page)
    for _ in range(8):
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('#help')")
    page.keyboard.press("1")
    assert chosen(page) == []
    page.keyboard.press("Escape")
    dialog.wait_for(state="hidden")
    assert page.evaluate("document.activeElement.id") == "ask-help"

    button.click()
    page.get_by_label("Use these keys").uncheck()
    page.get_by_role("button", name="Close").click()
    page.keyboard.press("1")
    assert chosen(page) == []
    page.reload()
    page.keyboard.press("1")
    assert chosen(page) == []


def test_it_works_without_a_script(browser: Any, site: str) -> None:
    made = draw(site, judge(site, halves(2)))
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto("/ui/labels")
    page.get_by_label("Your name").fill("ann")
    page.get_by_role("button", name="Use this name").click()
    page.goto(f"/ui/labels/{made}")
    for right in ("right", "cannot tell"):
        page.get_by_role("button", name="next item").click()
        page.get_by_role("radio", name=right).check()
        page.get_by_role("button", name="Give the label").click()
        arrived(page.get_by_role("heading", name=f"Your label: {right}"))
    page.get_by_role("link", name="Previous item").click()
    arrived(page.get_by_role("heading", name="Your label: right"))
    page.get_by_role("button", name="Next item").click()
    arrived(page.get_by_text("All items are done."))
    assert not page.get_by_role("button", name="Help").is_visible()
    page.context.close()


def test_a_double_click_gives_one_label(open_page: OpenPage, site: str) -> None:
    made = draw(site, judge(site, halves(4)))
    page = begin(open_page, made)
    page.keyboard.press("1")
    page.get_by_role("button", name="Give the label").dblclick()
    arrived(page.get_by_role("heading", name="Your label: right"))
    page.get_by_role("button", name="Next item").dblclick()
    arrived(page.get_by_text("The response is"))
    assert len(labels(site, made)) == 1
    assert page.locator("#previous").count() == 1


def test_a_hold_that_runs_out_while_one_looks_is_told(open_page: OpenPage, site: str) -> None:
    made = draw(site, judge(site, halves(2)), hold_s=1.5)
    page = begin(open_page, made)
    page.locator("#lapsed").wait_for(state="visible")
    page.keyboard.press("1")
    page.keyboard.press("Enter")
    arrived(page.get_by_text("had run out before you sent the label"))


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_every_step_is_accessible(open_page: OpenPage, site: str, theme: Theme, width: str) -> None:
    made = draw(site, judge(site, halves(4)), guidelines="Right is *right*.\n" * 40, name="a draw")
    page = open_page("/ui/labels/new", theme=theme, width=width)
    assert_accessible(page)
    page = begin(open_page, made, theme=theme, width=width)
    assert_accessible(page)
    page.keyboard.press("2")
    page.keyboard.press("n")
    assert_accessible(page)
    page.keyboard.press("Control+Enter")
    arrived(page.get_by_role("heading", name="Your label: wrong"))
    assert page.evaluate("scrollY") == 0, "what was said is out of sight"
    assert_accessible(page)
    page.keyboard.press("Backspace")
    arrived(page.locator("#again[open]"))
    assert_accessible(page)
    for path in (f"/ui/labels/{made}", "/ui/labels"):
        page.goto(path)
        assert_accessible(page)


def test_no_payload_runs_in_an_item(open_page: OpenPage, site: str) -> None:
    """Names of draws and of annotators, guidelines, notes, and everything of a sample."""
    shared = {"guidelines": " ".join(PAYLOADS), "name": PAYLOADS[38][:256], "annotators_per_item": 20}
    made = draw(site, PAYLOADS[0], **shared)
    page = open_page(f"/ui/labels/{made}")
    page.get_by_label("Your name").fill(PAYLOADS[3])
    page.keyboard.press("Enter")
    page.get_by_role("button", name="Label the next item").click()
    for number in range(6):
        arrived(page.get_by_text("The response is"))
        assert_inert(page)
        page.keyboard.press(str(number % 3 + 1))
        page.keyboard.press("n")
        page.locator("#note").fill(PAYLOADS[number + 33])
        page.locator("#reference").fill(PAYLOADS[number])
        page.keyboard.press("Control+Enter")
        arrived(page.get_by_role("heading", name="Your label"))
        assert_inert(page)
        page.keyboard.press("Enter")
    arrived(page.get_by_text("The response is"))
    for path in (f"/ui/labels/{made}", "/ui/labels", "/ui/labels/new"):
        page.goto(path)
        assert_inert(page)


def test_prompt_reference_and_response_are_seen_at_once(open_page: OpenPage, site: str) -> None:
    """In this order on a laptop's screen, above what one answers with."""
    prompt = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "How much is it? " * 40}]
    sample = {"prompt": prompt, "response": "so it goes on\n" * 200 + "\\boxed{2}", "reference": "2"}
    page = begin(open_page, draw(site, judge(site, [sample]), guidelines="g"))
    page.set_viewport_size({"width": 1280, "height": 720})
    boxes = [page.locator(f".told-{part}").bounding_box() for part in ("prompt", "reference", "response")]
    foot = page.locator(".foot").bounding_box()
    assert foot is not None
    assert foot["height"] < 80
    for box in boxes:
        assert box is not None
        assert 0 < box["y"] < box["y"] + box["height"] <= foot["y"]
    parts = page.locator(".told > div").evaluate_all("all => all.map(one => one.className)")
    assert parts == ["told-prompt", "told-reference", "told-response"]
