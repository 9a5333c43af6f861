"""The pages of recipes: the text that the API takes, what versions differ in, and who uses them."""

from __future__ import annotations

from typing import Any

import httpx2
import pytest

from app.pages.paths import recipe_path
from app.pages.recipes.diff import MOST_LINES, side_by_side
from tests.pages.browser import Theme, arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert

YAML = {"Content-Type": "application/yaml"}


@pytest.fixture(scope="module")
def http(site: str) -> Any:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def hashes(http: httpx2.Client) -> list[str]:
    """Of two contents that ``pages-two`` stood for, the older first; a run is pinned to the newer."""
    found = []
    for weight in (0.1, 0.2):
        terms = [{"verifier": "exact"}, {"verifier": "format", "weight": weight}]
        body = {"terms": terms, "description": PAYLOADS[0]}
        found.append(http.put("/v1/recipes/pages-two", json=body).raise_for_status().json()["hash"])
    asked = {"recipe": "pages-two", "run": "uses/two", "samples": [{"response": "1", "reference": "1"}]}
    http.post("/v1/rewards", json=asked).raise_for_status()
    return found


def shown(http: httpx2.Client, reference: str, **query: str) -> dict[str, Any]:
    said = http.get(recipe_path(reference), params={**query, "format": "json"})
    assert said.status_code == 200, said.text
    view: dict[str, Any] = said.json()
    return view


@pytest.mark.parametrize("name", ["math", "dapo", "hostile"])
def test_the_text_is_what_the_api_takes(http: httpx2.Client, name: str) -> None:
    view = shown(http, name)
    again = http.put("/v1/recipes/written-again", content=view["text"], headers=YAML)
    assert again.status_code == 200, again.text
    assert again.json()["hash"] == view["hash"] == http.get(f"/v1/recipes/{name}").json()["hash"]


def test_the_lists_name_the_verifiers_of_a_recipe_with_and_without_routes(http: httpx2.Client) -> None:
    routed = {"routes": [{"when": {"data_source": "a"}, "terms": ["exact"]}], "terms": ["math", "numeric"]}
    http.put("/v1/recipes/routed-list", json=routed).raise_for_status()
    for path in ("/ui/recipes", "/ui/catalogue"):
        view = http.get(path, headers={"Accept": "application/json"}).raise_for_status().json()
        terms = {one["name"]: one["terms"] for one in view["recipes"]}
        assert (terms["exact"], terms["routed-list"]) == (["exact"], ["exact", "math", "numeric"])


def test_versions_and_their_difference_are_those_of_the_api(http: httpx2.Client, hashes: list[str]) -> None:
    view = shown(http, "pages-two", **{"from": hashes[0], "to": hashes[1]})
    assert view["versions"] == http.get("/v1/recipes/pages-two/versions").json()["versions"]
    said = http.get("/v1/recipes/pages-two/diff").json()
    assert view["diff"]["changes"] == said["changes"]
    changed = [(row["kind"], row["before"], row["after"]) for row in view["diff"]["rows"] if row["kind"] != "same"]
    assert changed == [("changed", "  weight: 0.1", "  weight: 0.2")]


def test_an_earlier_content_says_that_it_is_one(http: httpx2.Client, hashes: list[str]) -> None:
    assert shown(http, f"pages-two@{hashes[0]}")["current"] is False
    assert shown(http, "pages-two")["current"] is True
    assert shown(http, hashes[0])["hash"] == hashes[0]


def test_runs_that_use_it_are_listed(http: httpx2.Client, hashes: list[str]) -> None:
    [use] = shown(http, "pages-two")["runs"]
    assert (use["run"], use["recipe"], use["path"]) == ("uses/two", hashes[1], "/ui/runs/uses%2Ftwo")


def test_a_recipe_that_only_came_in_a_request_is_known_by_its_hash(http: httpx2.Client) -> None:
    terms = [{"verifier": "exact", "weight": 0.75}]
    asked = {"recipe": {"terms": terms}, "run": "inline", "samples": [{"response": "1", "reference": "1"}]}
    digest = http.post("/v1/rewards", json=asked).raise_for_status().json()["recipe"]
    view = shown(http, digest)
    assert (view["stored"], view["versions"], [use["run"] for use in view["runs"]]) == (False, [], ["inline"])


def test_a_freeze_stands_on_the_page(http: httpx2.Client) -> None:
    body = {"terms": [{"verifier": "exact", "weight": 0.125}]}
    digest = http.put("/v1/recipes/pages-cold", json=body).raise_for_status().json()["hash"]
    http.put(f"/v1/recipes/{digest}/freeze", json={"reason": "it pays for nothing"}).raise_for_status()
    assert shown(http, "pages-cold")["freeze"]["reason"] == "it pays for nothing"


@pytest.mark.parametrize("reference", ["nothing", "sha256:" + "0" * 64, "math@sha256:0", "..", "a" * 250])
def test_what_is_no_recipe_is_not_found(http: httpx2.Client, reference: str) -> None:
    assert http.get(recipe_path(reference)).status_code == 404


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_a_comparison_is_accessible(
    open_page: OpenPage, http: httpx2.Client, hashes: list[str], theme: Theme, width: str
) -> None:
    page = open_page("/ui/recipes/pages-two", theme, width)
    page.get_by_role("button", name="Compare").click()
    page.get_by_role("cell", name="weight: 0.2").wait_for()
    assert page.get_by_label("Before").input_value() == hashes[0]
    assert_accessible(page)
    assert_inert(page)
    link = page.get_by_role("link", name="Compare the two on recorded samples")
    assert http.get(link.get_attribute("href") or "").status_code == 200
    assert_accessible(open_page("/ui/recipes", theme, width))


def test_no_payload_runs(open_page: OpenPage) -> None:
    page = open_page("/ui/recipes")
    assert_inert(page)
    page.get_by_role("link", name="hostile", exact=True).click()
    arrived(page.get_by_text(PAYLOADS[0] + PAYLOADS[38], exact=True))
    assert_inert(page)


def test_lines_stand_beside_their_like() -> None:
    rows = side_by_side("a\nb\nc\n", "a\nx\ny\nc\n")
    told = [(row.kind, row.before_line, row.before, row.after_line, row.after) for row in rows]
    assert told == [
        ("same", 1, "a", 1, "a"),
        ("changed", 2, "b", 2, "x"),
        ("added", None, None, 3, "y"),
        ("same", 3, "c", 4, "c"),
    ]


def test_equal_lines_far_from_a_change_are_left_out() -> None:
    lines = [f"line {number}" for number in range(40)]
    rows = side_by_side("\n".join(lines), "\n".join([*lines[:20], "new", *lines[20:]]))
    assert [row.kind for row in rows] == ["left_out", *["same"] * 4, "added", *["same"] * 4, "left_out"]


def test_texts_that_are_too_long_are_not_laid_side_by_side() -> None:
    assert side_by_side("a\n" * (MOST_LINES + 1), "b") == []
