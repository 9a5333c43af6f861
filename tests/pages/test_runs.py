"""The pages of runs: the same numbers as the API's, at the right steps, whatever the run is called."""

from __future__ import annotations

from statistics import fmean
from typing import Any
from urllib.parse import quote

import httpx2
import pytest
from playwright.sync_api import Browser, expect

from app.pages.paths import run_path
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert

RUN = "tests/of runs?#1"


def price(http: httpx2.Client, run: str, step: int | None, answers: list[str], **fields: Any) -> list[dict[str, Any]]:
    samples = [
        {"id": str(number), "prompt": "1 + 1?", "group": f"g{number // 2}", "response": answer, "reference": "2"}
        for number, answer in enumerate(answers)
    ]
    said = http.post("/v1/rewards", json={"recipe": "exact", "run": run, "step": step, "samples": samples, **fields})
    assert said.status_code == 200, said.text
    rewards: list[dict[str, Any]] = said.json()["rewards"]
    return rewards


@pytest.fixture(scope="module")
def http(site: str) -> Any:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def priced(http: httpx2.Client) -> list[list[dict[str, Any]]]:
    """Four steps, with a checkpoint at the third and a pin moved before the last."""
    steps = [["2", "3", "2", "2"], ["2", "2", "3", "3"], ["2", "22", "2", "2"]]
    rewards = [price(http, RUN, step, answers, policy=f"v{step // 2}") for step, answers in enumerate(steps)]
    http.put(f"/v1/runs/{quote(RUN, safe='')}", json={"strict": True, "reason": "no surprises"}).raise_for_status()
    return [*rewards, price(http, RUN, 3, ["2", "2"], policy="v1")]


def shown(http: httpx2.Client, run: str) -> dict[str, Any]:
    said = http.get(run_path(run), headers={"Accept": "application/json"})
    assert said.status_code == 200, said.text
    view: dict[str, Any] = said.json()
    return view


def test_rewards_are_those_that_the_api_gave(http: httpx2.Client, priced: list[list[dict[str, Any]]]) -> None:
    points = shown(http, RUN)["series"]["points"]
    assert [point["first_step"] for point in points] == [0, 1, 2, 3]
    assert [point["records"] for point in points] == [4, 4, 4, 2]
    assert [point["score"] for point in points] == [fmean(one["reward"] for one in step) for step in priced]
    assert [point["components"] for point in points] == [
        {"exact": fmean(one["components"]["exact"] for one in step)} for step in priced
    ]


def test_evaluations_are_told_apart_from_training(http: httpx2.Client) -> None:
    run = "evaluated now and then"
    price(http, run, 0, ["2", "3"])
    price(http, run, 0, ["2"] * 6, split="eval")
    series = shown(http, run)["series"]
    [point] = series["points"]
    assert (series["counted"], series["evaluated"], point["records"], point["score"]) == (2, 6, 2, 0.5)
    for path, records in ((point["path"], 2), (series["evaluations"], 6)):
        listed = http.get(path, headers={"Accept": "application/json"}).json()
        assert len(listed["rows"]) == records, listed
    assert "6 records of evaluations" in http.get(run_path(run), headers={"Accept": "text/html"}).text


def test_groups_and_lengths_are_counted(http: httpx2.Client, priced: object) -> None:
    points = shown(http, RUN)["series"]["points"]
    assert [point["zero_variance"] for point in points] == [0.5, 1.0, 0.5, 1.0]
    assert [point["length"] for point in points] == [1.0, 1.0, 1.25, 1.0]


def test_marks_stand_at_their_steps(http: httpx2.Client, priced: object) -> None:
    view = shown(http, RUN)
    assert [(mark["kind"], mark["step"]) for mark in view["marks"]] == [("policy", 2), ("pin", 3)]
    assert [place for place, _ in view["series"]["figures"][0]["marks"]] == [2.0, 3.0]
    assert view["marks"][1]["text"] == "strict, no surprises"


def test_a_policy_that_never_rests_is_said_and_not_marked(http: httpx2.Client, priced: object) -> None:
    run = "another policy at each step"
    for step in range(4):
        price(http, run, step, ["2", "3"], policy=f"step-{step}")
    view = shown(http, run)
    assert (view["marks"], view["series"]["restless"], shown(http, RUN)["series"]["restless"]) == ([], True, False)
    assert "another one at most of the points" in http.get(run_path(run)).text


def test_what_is_pinned_is_what_the_api_says(http: httpx2.Client, priced: object) -> None:
    view = shown(http, RUN)
    said = http.get(f"/v1/runs/{quote(RUN, safe='')}").json()
    assert view["run"] == said
    assert view["recipe_name"] == "exact"


def test_a_budget_stands_beside_what_is_spent(http: httpx2.Client) -> None:
    """Before anything is."""
    recipe = {"terms": "exact", "budget": {"calls": 1500, "tokens": 20}}
    body = {"recipe": recipe, "run": "budgeted", "samples": [{"response": "2", "reference": "2"}]}
    http.post("/v1/rewards", json=body).raise_for_status()
    page = http.get(run_path("budgeted")).text
    assert "0 tokens, 0 calls" in page
    assert "20 tokens, 1,500 calls" in page


def test_missing_scores_are_shown_by_cause(http: httpx2.Client) -> None:
    body = {"verifier": "exact", "run": "tests/missing", "step": 1, "samples": [{"response": "2"}, {"response": ""}]}
    http.post("/v1/verify", json=body).raise_for_status()
    view = shown(http, "tests/missing")
    [point] = view["series"]["points"]
    assert point["missing"] == 0.5
    assert set(point["causes"]) == {"missing: no_reference", "invalid: empty"}
    assert view["series"]["priced"] is False
    assert "Missing scores and invalid responses" in [figure["title"] for figure in view["series"]["figures"]]


NAMES = ("a/b", "/a/", "a//b", ".", "../a", "a/../b", "%2e", "a b", "\u00fc\U0001f600", "a\nb", "a\\..\\b", "?x=1", "#")


@pytest.mark.parametrize("name", [*NAMES, PAYLOADS[4]])
def test_a_run_of_any_name_has_a_page(http: httpx2.Client, name: str) -> None:
    if name != PAYLOADS[4]:
        price(http, name, 1, ["2"])
    assert shown(http, name)["run"]["id"] == name
    listed = http.get("/ui/runs", params={"name": name, "format": "json"}).json()["runs"]
    assert name in http.get(listed[-1]["path"], headers={"Accept": "application/json"}).json()["run"]["id"]


def test_a_browser_reaches_a_run_whose_name_is_a_way_out(http: httpx2.Client, open_page: OpenPage) -> None:
    price(http, "../../way out", 1, ["2"])
    page = open_page("/ui/runs?name=../../way")
    page.get_by_role("link", name="way out").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Run ../../way out"


def listed(http: httpx2.Client, path: str = "/ui/runs", **asked: Any) -> dict[str, Any]:
    said = http.get(path, params=asked or None, headers={"Accept": "application/json"})
    assert said.status_code == 200, said.text
    view: dict[str, Any] = said.json()
    return view


def test_the_list_is_paged_newest_first(http: httpx2.Client) -> None:
    for number in range(52):
        http.put(f"/v1/runs/page-{number:03d}", json={"reason": "to be there"}).raise_for_status()
    first = listed(http, name="page-")
    assert [first["runs"][0]["id"], first["runs"][-1]["id"]] == ["page-051", "page-002"]
    rest = listed(http, first["next"])
    assert ([run["id"] for run in rest["runs"]], rest["next"]) == (["page-001", "page-000"], None)
    assert listed(http, after="nobody")["runs"] == []


def test_each_column_sorts_both_ways_and_goes_on_behind_a_page(http: httpx2.Client) -> None:
    for number, answers in enumerate((["2"], ["3", "3"], ["2", "2", "3"])):
        price(http, f"sorted-{number}", 5 - number, answers)
    orders = {"reward": [0, 2, 1], "records": [2, 1, 0], "step": [0, 1, 2], "activity": [2, 1, 0], "name": [2, 1, 0]}
    for key, expected in orders.items():
        falling = listed(http, name="sorted-", sort=key, order="descending")["runs"]
        assert [run["id"] for run in falling] == [f"sorted-{number}" for number in expected], key
        rising = listed(http, name="sorted-", sort=key, order="ascending")["runs"]
        assert [run["id"] for run in rising] == [run["id"] for run in reversed(falling)]
        behind = listed(http, name="sorted-", sort=key, order="descending", after=falling[0]["id"])["runs"]
        assert [run["id"] for run in behind] == [run["id"] for run in falling[1:]]
    turned = {one["key"]: one for one in listed(http, sort="step")["columns"]}["step"]
    assert (turned["sorted"], turned["path"]) == ("descending", "/ui/runs?sort=step&order=ascending")
    assert http.get("/ui/runs?sort=colour").status_code == 422


def test_a_row_tells_how_the_run_went(http: httpx2.Client, priced: list[list[dict[str, Any]]]) -> None:
    [row] = listed(http, name=RUN)["runs"]
    assert (row["records"], row["step"], row["missing"]) == (14, 3, 0)
    assert row["mean"] == pytest.approx(fmean(one["reward"] for step in priced for one in step))
    assert row["course"]
    page = http.get("/ui/runs", params={"name": RUN}).text
    assert "just now" in page or "minute" in page
    assert "<polyline" in page or "<circle" in page


def test_what_wants_a_look_stands_in_the_list(http: httpx2.Client) -> None:
    """No reference: every score is null. And a recipe that is frozen."""
    body = {"recipe": {"terms": "exact", "range": [-3, 3]}, "run": "in trouble", "samples": [{"response": "2"}]}
    recipe = http.post("/v1/rewards", json=body).raise_for_status().json()["recipe"]
    http.put(f"/v1/recipes/{recipe}/freeze", json={"reason": "a look at it"}).raise_for_status()
    [row] = listed(http, name="in trouble")["runs"]
    assert (row["mean"], row["missing"], row["frozen"]) == (None, 1.0, True)
    page = http.get("/ui/runs?name=in%20trouble").text
    assert "100% null" in page
    assert "frozen</strong>" in page


def test_runs_of_audits_are_listed_apart(http: httpx2.Client) -> None:
    price(http, "audit:made up", 1, ["2"])
    assert not any(run["id"].startswith("audit:") for run in listed(http)["runs"])
    apart = listed(http, listed(http)["others"])
    assert "audit:made up" in [run["id"] for run in apart["runs"]]
    assert all(run["id"].startswith("audit:") for run in apart["runs"])
    assert apart["others"] == "/ui/runs"


def test_times_are_told_in_the_readers_zone_too(browser: Browser, site: str, priced: object) -> None:
    context = browser.new_context(base_url=site, timezone_id="Asia/Kolkata")
    page = context.new_page()
    page.goto("/ui/runs")
    first = page.locator("tbody time").first
    hours, minutes = (int(part) for part in (first.get_attribute("datetime") or "")[11:16].split(":"))
    here = (60 * hours + minutes + 330) % 1440
    expect(first).to_contain_text(f"{here // 60:02d}:{here % 60:02d} here)")
    context.close()


def test_a_run_that_is_none_is_not_found(http: httpx2.Client) -> None:
    assert http.get("/ui/runs/nobody").status_code == 404


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_pages_are_accessible(open_page: OpenPage, priced: object, theme: Theme, width: str) -> None:
    page = open_page(run_path(RUN), theme, width)
    assert page.locator("svg.plot .curve").count() >= 4
    assert "mean" in (page.locator("svg.plot").first.text_content() or "")
    page.get_by_text("The points as a table").click()
    assert_accessible(page)
    assert_accessible(open_page("/ui/runs", theme, width))


def test_no_payload_runs(open_page: OpenPage) -> None:
    assert_inert(open_page("/ui/runs"))
    page = open_page(f"/ui/runs?name={quote(PAYLOADS[4])}")
    assert_inert(page)
    page.get_by_role("link", name=PAYLOADS[4], exact=True).click()
    assert_inert(page)
    page.get_by_text("The points as a table").click()
    assert page.get_by_role("heading", level=1).inner_text() == f"Run {PAYLOADS[4]}"
    for payload in (PAYLOADS[0], PAYLOADS[38]):
        assert_inert(open_page(run_path(payload)))
    assert_inert(open_page(f"{run_path(PAYLOADS[4])}?since=1&beside={quote(PAYLOADS[0])}"))
