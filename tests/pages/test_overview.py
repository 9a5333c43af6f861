"""The overview: the numbers of the metrics, told anew to everybody who looks on, for as long as they may."""

from __future__ import annotations

import re
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import httpx2
import pytest
from playwright.sync_api import Browser, Page

from tests.live import Service, serving
from tests.pages.browser import Theme, arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import assert_inert
from tests.services import Keyed
from trueward.wire.verdict import Outcome

PAGE = "/ui/overview"
EVENTS = "/ui/overview/events"


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


def verify(http: httpx2.Client, count: int) -> None:
    samples = [{"response": f"{time.time_ns()} {number}", "reference": "2"} for number in range(count)]
    http.post("/v1/verify", json={"verifier": "exact", "samples": samples}).raise_for_status()


def metric(text: str, name: str, **labels: str) -> float:
    """The sum of a metric over whatever other labels it has."""
    total = 0.0
    for found in re.finditer(rf"^{name}(?:\{{(.*)\}})? (\S+)$", text, re.MULTILINE):
        given = dict(re.findall(r'(\w+)="([^"]*)"', found.group(1) or ""))
        if labels.items() <= given.items():
            total += float(found.group(2))
    return total


def test_the_numbers_are_those_of_the_metrics(http: httpx2.Client) -> None:
    verify(http, 5)
    http.post("/v1/verify", json={"verifier": "exact", "samples": [{"response": "no reference"}]}).raise_for_status()
    metrics = http.get("/metrics").text
    view = http.get(f"{PAGE}?format=json").json()
    assert view["verdicts"] == metric(metrics, "trueward_verdicts_total")
    assert view["missing"] == metric(metrics, "trueward_missing_scores_total")
    for row in view["outcomes"]:
        for outcome in Outcome:
            counted = metric(metrics, "trueward_verdicts_total", verifier=row["verifier"], outcome=outcome.value)
            assert row["counts"][outcome.value] == counted
    causes = {row["cause"]: row for row in view["causes"]}
    assert causes["no_reference"]["count"] == metric(metrics, "trueward_missing_scores_total", cause="no_reference")
    assert causes["no_reference"]["share"] == pytest.approx(causes["no_reference"]["count"] / view["verdicts"])


def test_latency_is_told_by_lane_and_verifier(http: httpx2.Client) -> None:
    verify(http, 5)
    metrics = http.get("/metrics").text
    rows = {(row["lane"], row["verifier"]): row for row in http.get(f"{PAGE}?format=json").json()["latencies"]}
    exact, lane = rows["inline", "exact"], rows["inline", None]
    assert exact["since_start"]["count"] == metric(metrics, "trueward_verify_seconds_count", verifier="exact")
    assert lane["since_start"]["count"] >= exact["since_start"]["count"]
    assert 0 < exact["since_start"]["p50"] <= exact["since_start"]["p90"] <= exact["since_start"]["p99"]


def test_queues_are_told(http: httpx2.Client) -> None:
    rows = {row["metric"]: row["value"] for row in http.get(f"{PAGE}?format=json").json()["queues"]}
    assert rows["trueward_cpu_workers"] == 1
    assert rows["trueward_waiting_samples"] == 0


def test_open_alarms_lead_to_their_runs(http: httpx2.Client, open_page: OpenPage) -> None:
    """A run all of whose canaries are accepted."""
    canary = {"data_source": "canary", "reference": "2"}
    samples = [{"response": "2", "id": str(number), **canary} for number in range(3)]
    run = "tests/<b>alarmed"
    http.post("/v1/verify", json={"verifier": "exact", "run": run, "step": 1, "samples": samples}).raise_for_status()
    http.put("/v1/watches/pages", json={"run": run, "every_s": 1}).raise_for_status()
    for _ in range(200):
        alarms = http.get(f"{PAGE}?format=json").json()["alarms"]
        if any(alarm["run"] == run for alarm in alarms):
            break
        time.sleep(0.1)
    http.delete("/v1/watches/pages").raise_for_status()
    page = open_page(PAGE)
    page.get_by_role("link", name=run).first.click()
    arrived(page.locator("#alarms-part li", has_text="canar").first)
    assert_inert(page)


def figure(page: Page, label: str) -> int:
    """A number that stands in a card."""
    return int(re.sub(r"\D", "", page.locator(".card", has_text=label).locator(".note").inner_text()))


def test_what_happens_is_told_without_a_reload(http: httpx2.Client, open_page: OpenPage) -> None:
    page = open_page(PAGE)
    page.get_by_text("Live.").wait_for()
    before = figure(page, "Verdicts a second")
    verify(http, 7)
    page.wait_for_function(
        "past => Number(document.querySelector('.card .note').textContent.replace(/\\D/g, '')) >= past + 7", arg=before
    )
    assert_inert(page)


def test_the_series_is_drawn_in_the_pages_colours(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    page.get_by_text("Live.").wait_for()
    drawn = """() => [...document.querySelectorAll('.live canvas')].map(one =>
        new Set(new Uint32Array(one.getContext('2d').getImageData(0, 0, one.width, one.height).data.buffer)).size)"""
    colours = page.evaluate(drawn)
    assert len(colours) == 2
    assert min(colours) > 3


def test_it_can_be_paused(open_page: OpenPage) -> None:
    page = open_page(PAGE)
    page.get_by_role("button", name="Pause").click()
    page.get_by_text("Paused.").wait_for()
    page.get_by_role("button", name="Go on").click()
    page.get_by_text("Live.").wait_for()


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_it_is_accessible_while_it_is_live(open_page: OpenPage, theme: Theme, width: str) -> None:
    page = open_page(PAGE, theme, width)
    page.get_by_text("Live.").wait_for()
    page.get_by_text("The series as a table").click()
    assert_accessible(page)


def test_without_a_script_it_is_a_page_like_others(browser: Browser, site: str) -> None:
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto(PAGE)
    assert page.get_by_role("link", name="exact").first.is_visible()
    assert not page.get_by_role("button", name="Pause").is_visible()
    page.get_by_role("link", name="Reload").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Overview"
    page.context.close()


def test_all_viewers_are_told_the_same(http: httpx2.Client) -> None:
    told: list[str] = []

    def look() -> None:
        with httpx2.stream("GET", f"{http.base_url}{EVENTS}", timeout=60.0, trust_env=False) as answer:
            told.append(next(line for line in answer.iter_lines() if line.startswith("data:")))

    viewers = [threading.Thread(target=look) for _ in range(3)]
    for one in viewers:
        one.start()
    for one in viewers:
        one.join(timeout=60)
    assert len(told) == 3
    assert len(set(told)) < 3


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """A service that asks for keys; the tests that use it come last, for the last of them ends it."""
    with serving(tmp_path_factory.mktemp("guarded"), auth="keys") as service:
        yield Keyed.first(service)


@pytest.fixture(scope="module")
def key(guarded: Keyed) -> str:
    return guarded.key("view")["key"]


@contextmanager
def signed_in(service: Service, key: str) -> Iterator[httpx2.Client]:
    headers = {"accept": "text/html"}
    with httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False, headers=headers) as http:
        said = http.post("/ui/sign-in", data={"csrf": token(http, "/ui/sign-in"), "key": key})
        assert said.status_code == 303, said.text
        yield http


def token(http: httpx2.Client, path: str) -> str:
    return http.get(path).text.split('name="csrf" value="')[1].split('"')[0]


def listening(http: httpx2.Client) -> threading.Event:
    """What is set when a stream that has told something has ended."""
    begun, ended = threading.Event(), threading.Event()

    def read() -> None:
        # a client of its own, for clients are not to be shared by threads
        with httpx2.stream("GET", f"{http.base_url}{EVENTS}", cookies=http.cookies, timeout=60.0) as answer:
            for line in answer.iter_lines():
                if line.startswith("data:"):
                    begun.set()
        ended.set()

    threading.Thread(target=read, daemon=True).start()
    assert begun.wait(60)
    return ended


def test_a_stream_needs_the_scope(guarded: Service) -> None:
    assert httpx2.get(f"{guarded.url}{EVENTS}", timeout=60.0).status_code == 401


def test_signing_out_ends_the_streams_of_the_session_alone(guarded: Service, key: str) -> None:
    with signed_in(guarded, key) as mine, signed_in(guarded, key) as other:
        my_end, other_end = listening(mine), listening(other)
        mine.post("/ui/sign-out", data={"csrf": token(mine, PAGE)})
        assert my_end.wait(60)
        assert not other_end.is_set()
        other.post("/ui/sign-out", data={"csrf": token(other, PAGE)})
        assert other_end.wait(60)


def test_a_server_that_is_told_to_stop_ends_the_streams(guarded: Service, key: str) -> None:
    with signed_in(guarded, key) as http:
        ended = listening(http)
        guarded.process.terminate()
        assert guarded.process.wait(timeout=60) == 0
        assert ended.wait(60)
