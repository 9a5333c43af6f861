"""The pages of runs: the same numbers as the API's, at the right steps, whatever the run is called."""

from __future__ import annotations

from statistics import fmean
from typing import Any
from urllib.parse import quote

import httpx2
import pytest

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
    listed = http.get("/ui/runs", params={"begins": name, "format": "json"}).json()["runs"]
    assert http.get(listed[-1]["path"], headers={"Accept": "application/json"}).json()["run"]["id"].startswith(name)


def test_a_browser_reaches_a_run_whose_name_is_a_way_out(http: httpx2.Client, open_page: OpenPage) -> None:
    price(http, "../../way out", 1, ["2"])
    page = open_page("/ui/runs?begins=../../way")
    page.get_by_role("link", name="way out").click()
    assert page.get_by_role("heading", level=1).inner_text() == "Run ../../way out"


def test_the_list_is_paged_newest_first(http: httpx2.Client) -> None:
    for number in range(102):
        http.put(f"/v1/runs/page-{number:03d}", json={"reason": "to be there"}).raise_for_status()
    first = http.get("/ui/runs?begins=page-&format=json").json()
    assert [first["runs"][0]["id"], first["runs"][-1]["id"]] == ["page-101", "page-002"]
    rest = http.get("/ui/runs", params={"begins": "page-", "before": first["next"], "format": "json"}).json()
    assert ([run["id"] for run in rest["runs"]], rest["next"]) == (["page-001", "page-000"], None)
    assert http.get("/ui/runs?before=nobody&format=json").json()["runs"] == []


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
    page = open_page(f"/ui/runs?begins={quote(PAYLOADS[4])}")
    assert_inert(page)
    page.get_by_role("link", name=PAYLOADS[4]).click()
    assert_inert(page)
    page.get_by_text("The points as a table").click()
    assert page.get_by_role("heading", level=1).inner_text() == f"Run {PAYLOADS[4]}"
    for payload in (PAYLOADS[0], PAYLOADS[38]):
        assert_inert(open_page(run_path(payload)))
    assert_inert(open_page(f"{run_path(PAYLOADS[4])}?since=1&beside={quote(PAYLOADS[0])}"))
