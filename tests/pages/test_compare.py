"""The pages of comparisons: flips as the audit counts them, and what is promoted."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest

from tests.pages.audited import FORM, audited, ended, shown
from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert
from tests.services import Keyed

OLD = {"terms": [{"verifier": "exact", "params": {"casefold": True}}]}
NEW = {"terms": [{"verifier": "exact", "params": {"ignore_punctuation": True}}]}
RUN = "compared"


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


@pytest.fixture(scope="module")
def hashes(http: httpx2.Client) -> dict[str, str]:
    put = {name: http.put(f"/v1/recipes/{name}", json=body) for name, body in (("old", OLD), ("new", NEW))}
    return {name: answer.json()["hash"] for name, answer in put.items()}


@pytest.fixture(scope="module")
def comparison(http: httpx2.Client, hashes: dict[str, str]) -> dict[str, Any]:
    """Thirty flips one way, five the other; ten stay as they were."""
    responses = ["y.e.s"] * 30 + ["YES"] * 5 + ["yes"] * 5 + ["no"] * 5
    samples = [
        {
            "prompt": f"{PAYLOADS[place % 50]} {place}",
            "response": text,
            "reference": "yes",
            "data_source": PAYLOADS[place % 4],
        }
        for place, text in enumerate(responses)
    ]
    answer = http.post("/v1/rewards", json={"recipe": "old", "run": RUN, "samples": samples})
    assert answer.status_code == 200, answer.text
    spec = {
        "kind": "reverify",
        "subject": {"recipe": "new"},
        "before": {"recipe": "old"},
        "population": {"run": RUN},
    }
    found = audited(http, spec, PAYLOADS[0])
    assert found["state"] == "completed", found["failure"]
    return found


def test_the_numbers_are_those_of_the_audit(http: httpx2.Client, comparison: dict[str, Any]) -> None:
    view = shown(http, f"/ui/compare/{comparison['id']}")
    flips = comparison["report"]["findings"]["flips"]
    counted = view["counted"]
    assert (counted["gained"], counted["lost"], counted["items"]) == (30, 5, 45)
    assert {name: counted[name] for name in ("gained", "lost", "items", "exact", "mid")} == {
        name: flips[name] for name in ("gained", "lost", "items", "exact", "mid")
    }
    assert (counted["change"], counted["interval"]) == (flips["change"]["value"], flips["change"]["interval"])
    assert counted["change"] == pytest.approx(25 / 45)
    assert counted["interval"][0] < counted["change"] < counted["interval"][1]
    assert view["figures"] == comparison["report"]["figures"]


@pytest.mark.parametrize(("way", "now", "count"), [("gained", "accepted", 30), ("lost", "rejected", 5)])
def test_flips_lead_to_both_records_page_by_page(
    http: httpx2.Client, comparison: dict[str, Any], way: str, now: str, count: int
) -> None:
    found: list[tuple[str, str]] = []
    path = f"/ui/compare/{comparison['id']}/flips/{way}"
    while path is not None:
        view = shown(http, path)
        assert (view["flips"]["count"], view["flips"]["listed"]) == (count, count)
        for one in view["flips"]["flips"]:
            found.append((one["before_record"], one["after_record"]))
            assert one["before"]["outcome"] != one["after"]["outcome"]
        path = view["next"]
    listed = comparison["report"]["findings"]["flipped"]
    assert found == [(one["before"], one["after"]) for one in listed if one["now"] == now]
    assert len(found) == count


def test_a_form_starts_a_comparison_of_parameters(http: httpx2.Client, comparison: dict[str, Any]) -> None:
    form = {"before": "verifier:exact", "judge": "verifier:exact", "params": '{"ignore_punctuation": true}', "run": RUN}
    form["before_params"] = '{"casefold": true}'
    answer = http.post("/ui/compare", data=form, headers=FORM)
    assert answer.status_code == 303, answer.text
    found = ended(http, answer.headers["location"].rsplit("/", 1)[1])
    view = shown(http, f"/ui/audits/{found['id']}")  # leads to the comparison
    assert (view["counted"]["gained"], view["counted"]["lost"], view["recipe"]) == (30, 5, None)
    refused = http.get(f"/ui/compare/{found['id']}/promote", params={"run": RUN})
    assert refused.status_code == 409


def test_a_comparison_of_a_score_and_a_reward_is_refused_in_the_form(http: httpx2.Client) -> None:
    form = {"before": "verifier:exact", "judge": "recipe:math"}
    answer = http.post("/ui/compare", data=form, headers={**FORM, "accept": "text/html"})
    assert 400 <= answer.status_code < 500
    assert "a score is no reward" in answer.text


def test_another_kind_of_audit_is_no_comparison(http: httpx2.Client) -> None:
    given = {"samples": [{"prompt": "2 + 2?", "reference": "4"}]}
    spec = {"kind": "exploit", "subject": {"verifier": "exact"}, "given": given, "probes": ["empty"]}
    assert http.get(f"/ui/compare/{audited(http, spec)['id']}").status_code == 404


def test_a_promotion_shows_what_changes_and_moves_the_pin_for_a_reason(
    http: httpx2.Client, comparison: dict[str, Any], hashes: dict[str, str]
) -> None:
    path = f"/ui/compare/{comparison['id']}/promote"
    _pinned(http, "promoted run", "old")
    view = shown(http, f"{path}?run=promoted run")
    assert (view["before"], view["after"], view["already"]) == (hashes["old"], hashes["new"], False)
    assert {"casefold", "ignore_punctuation"} <= {change["place"].split(".")[-1] for change in view["changes"]}
    assert http.post(path, data={"run": "promoted run"}, headers=FORM).status_code == 422
    assert http.get("/v1/runs/promoted run").json()["recipe"] == hashes["old"]
    answer = http.post(path, data={"run": "promoted run", "reason": "fewer misses"}, headers=FORM)
    assert answer.status_code == 303
    run = http.get("/v1/runs/promoted run").json()
    assert run["recipe"] == hashes["new"]
    [mark] = [one for one in run["marks"] if "fewer misses" in str(one)]
    assert comparison["id"] in str(mark)
    assert shown(http, answer.headers["location"])["already"]


def test_a_promotion_takes_the_content_that_was_judged(
    http: httpx2.Client, comparison: dict[str, Any], hashes: dict[str, str]
) -> None:
    """Whatever its name stands for by now."""
    http.put("/v1/recipes/new", json={"terms": [{"verifier": "choice"}]}).raise_for_status()
    try:
        path = f"/ui/compare/{comparison['id']}/promote"
        answer = http.post(path, data={"name": "best", "reason": "it is"}, headers=FORM)
        assert answer.status_code == 303, answer.text
        assert http.get("/v1/recipes/best").json()["hash"] == hashes["new"]
    finally:
        http.put("/v1/recipes/new", json=NEW).raise_for_status()


@pytest.mark.parametrize(
    ("asked", "status"),
    [({}, 422), ({"run": "a", "name": "b"}, 422), ({"run": "no such run"}, 404)],
)
def test_a_promotion_of_nothing_is_refused(
    http: httpx2.Client, comparison: dict[str, Any], asked: dict[str, str], status: int
) -> None:
    assert http.get(f"/ui/compare/{comparison['id']}/promote", params=asked).status_code == status


def test_the_name_of_a_file_is_not_promoted_to(http: httpx2.Client, comparison: dict[str, Any]) -> None:
    path = f"/ui/compare/{comparison['id']}/promote"
    answer = http.post(path, data={"name": "math", "reason": "no"}, headers={**FORM, "accept": "text/html"})
    assert answer.status_code == 409
    assert "file of this service" in answer.text


def test_starting_takes_the_scope_label_and_promoting_admin(keyed: Keyed) -> None:
    for scope, start, promote in (("view", 403, 403), ("label", 422, 403), ("admin", 422, 404)):
        headers = {"authorization": f"Bearer {keyed.key(scope)['key']}"}
        for page in ("audits", "compare"):
            wrong = {"judge": "nobody"}
            answer = httpx2.post(f"{keyed.url}/ui/{page}", data=wrong, headers=headers, timeout=30.0)
            assert (scope, page, answer.status_code) == (scope, page, start)
        path = f"{keyed.url}/ui/compare/none/promote"
        for answer in (
            httpx2.get(path, params={"run": "r"}, headers=headers, timeout=30.0),
            httpx2.post(path, data={"run": "r", "reason": "x"}, headers=headers, timeout=30.0),
        ):
            assert (scope, answer.status_code) == (scope, promote)


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_pages_are_accessible_and_inert(
    open_page: OpenPage, comparison: dict[str, Any], theme: Theme, width: str
) -> None:
    own = f"/ui/compare/{comparison['id']}"
    for path in ("/ui/compare", own, f"{own}/flips/gained", f"{own}/promote?name={PAYLOADS[3]}"):
        page = open_page(path, theme, width)
        assert page.get_by_role("heading", level=1).count() == 1
        assert_accessible(page)
        assert_inert(page)


def test_a_recipe_is_promoted_by_hand(
    open_page: OpenPage, http: httpx2.Client, comparison: dict[str, Any], hashes: dict[str, str]
) -> None:
    _pinned(http, "by hand", "old")
    page = open_page(f"/ui/compare/{comparison['id']}")
    page.get_by_label("Run to move").fill("by hand")
    page.get_by_role("button", name="Preview").first.click()
    page.get_by_label("Why").fill("seen it")
    page.get_by_role("button", name="Promote").click()
    page.get_by_text("Done.").wait_for()
    assert http.get("/v1/runs/by hand").json()["recipe"] == hashes["new"]


def _pinned(http: httpx2.Client, run: str, recipe: str) -> None:
    sample = {"prompt": "p", "response": "yes", "reference": "yes"}
    http.post("/v1/rewards", json={"recipe": recipe, "run": run, "samples": [sample]}).raise_for_status()
