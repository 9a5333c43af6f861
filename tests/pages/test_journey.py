"""The whole way in a browser: demo data, a disagreement, twenty labels by keyboard, rates that move, exports."""

from __future__ import annotations

import json
from typing import NamedTuple
from uuid import uuid4

import httpx2
import pytest
from playwright.sync_api import Page

from app.demo.batch import DemoCase, read_batch
from tests.pages.browser import arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.labeller import written
from verifiers.legible import legible

FIRST, ALL = 4, 20
Truth = dict[str, bool]


@pytest.fixture(scope="module")
def cases() -> list[DemoCase]:
    """The demo's answers to questions of mathematics, each response once."""
    cases = [case for case in read_batch() if case.verifier == "math" and not case.params]
    return list({str(case.sample.response): case for case in cases}.values())


@pytest.fixture(scope="module")
def run(site: str, cases: list[DemoCase]) -> str:
    """Judged by ``math`` and ``exact`` in a run of its own."""
    run = f"journey-{uuid4().hex[:8]}"
    samples = [case.sample.model_dump(mode="json", exclude_none=True) for case in cases]
    for verifier in ("math", "exact"):
        body = {"verifier": verifier, "run": run, "samples": samples}
        with httpx2.Client(base_url=site, timeout=60.0, headers={"content-type": "application/json"}) as http:
            http.post("/v1/verify", content=json.dumps(body)).raise_for_status()
    return run


def label(page: Page, truth: Truth, number: int) -> None:
    """From a blind item to the next one, by three keys."""
    for _ in range(number):
        arrived(page.get_by_text("The response is"))
        item = page.request.get(page.url, params={"format": "json"}).json()
        page.keyboard.press("1" if truth[written(item, "response")] else "2")
        page.keyboard.press("Enter")
        arrived(page.get_by_role("heading", name="Your label"))
        page.keyboard.press("Enter")
    arrived(page.get_by_text("The response is"))


def audited(page: Page) -> list[str]:
    """The two big numbers of the draw's audit, with their intervals."""
    page.get_by_role("button", name="Audit exact with these labels").click()
    arrived(page.get_by_role("heading", name="How often it is wrong"))
    return page.locator(".card.big").all_inner_texts()


class Rates(NamedTuple):
    """By the exact interval: labels, the two rates, and the widths of their intervals together."""

    labels: float
    rates: list[float | None]
    width: float


def newest(site: str, count: int) -> list[Rates]:
    """Of the newest audits, oldest first."""
    listed = httpx2.get(f"{site}/v1/audits", params={"limit": count}, timeout=60.0).json()["audits"]
    found = []
    for one in reversed(listed):
        report = httpx2.get(f"{site}/v1/audits/{one['id']}", timeout=60.0).json()["report"]
        estimates = [*report["false_positives"], *report["false_negatives"]]
        exact = [each for each in estimates if each["method"] == "clopper_pearson"]
        spans = [each["interval"] or [0, 1] for each in exact]
        found.append(
            Rates(
                sum(each["items"] for each in exact),
                [each["rate"] for each in exact],
                sum(high - low for low, high in spans),
            )
        )
    return found


def test_twenty_labels_move_the_rates(open_page: OpenPage, site: str, run: str, cases: list[DemoCase]) -> None:
    truth = {legible(str(case.sample.response)): case.right for case in cases}
    page = open_page("/ui/")
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_label("Your name").fill("ann")
    page.keyboard.press("Enter")
    arrived(page.get_by_text("You label as ann"))

    page.get_by_role("link", name="New draw").click()
    page.get_by_label("Name", exact=True).fill("where exact and math disagree")
    page.get_by_label("Verdicts of").select_option("verifier:exact")
    page.get_by_label("Run").fill(run)
    page.get_by_label("Second verifier or recipe").select_option("verifier:math")
    page.get_by_label("Probability where the two disagree").fill("1")
    page.get_by_label("Probability of the rest").fill("0.5")
    page.get_by_role("button", name="Draw").click()
    page.get_by_role("button", name="Label the next item").click()
    arrived(page.get_by_text("The response is"))
    draw = page.url.rsplit("/", 1)[0]

    label(page, truth, FIRST)
    page.goto(draw)
    early = audited(page)
    page.goto(draw)
    arrived(page.locator("button:focus", has_text="Label the next item"))
    page.keyboard.press("Enter")
    label(page, truth, ALL - FIRST)
    page.goto(draw)
    late = audited(page)
    assert_accessible(page)
    assert early != late
    first, last = newest(site, 2)
    assert (first.labels, last.labels) == (FIRST, ALL)
    assert first.rates != last.rates
    assert last.width < first.width

    page.goto(draw)
    page.get_by_role("button", name="Label the next item").click()
    arrived(page.get_by_text("The response is"))
    while page.locator("tr.differs").count() == 0:  # back to an item on which a verifier and the label disagree
        page.keyboard.press("ArrowLeft")
        arrived(page.get_by_role("heading", name="Your label"))
    with page.expect_download() as download:
        page.get_by_role("link", name="is wrong: contract case").first.click()
    case = json.loads(download.value.path().read_text(encoding="utf-8"))
    assert truth[case["sample"]["response"]] == (case["outcome"] == "correct")
    page.get_by_role("link", name="sample", exact=True).first.click()
    page.wait_for_url("**/ui/ledger/*")

    page.goto(draw)
    with page.expect_download() as download:
        page.get_by_role("link", name="JSON Lines").click()
    lines = download.value.path().read_text(encoding="utf-8").splitlines()
    assert len(lines) == ALL
    assert {json.loads(line)["annotator"] for line in lines} == {"ann"}
