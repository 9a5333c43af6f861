"""The ledger's explorer and the page of a sample: filters, paging, every verdict and line, and nothing that runs."""

from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect

from tests.pages.browser import Theme, arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert
from tests.pages.markup import Elements

RUN = "explorer / run"
STEPS = 30
"""With four verdicts and four rewards each."""


@pytest.fixture(scope="module")
def scored(site: str) -> list[dict[str, Any]]:
    """The rewards of the last step: two right answers of four, the first of them in messages."""
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as http:
        for step in range(STEPS):
            samples = [
                {
                    "id": f"s{step}-{number}",
                    "group": f"g{step}",
                    "prompt": [
                        {"role": "system", "content": "Be brief."},
                        {"role": "user", "content": "What is 6 * 7?"},
                    ],
                    "response": f"In step {step}: $x = \\frac{{84}}{{2}}$, so \\boxed{{{42 - number // 2}}}",
                    "reference": "42",
                }
                for number in range(4)
            ]
            body = {"recipe": "math", "run": RUN, "step": step, "policy": f"v{step}", "samples": samples}
            said = http.post("/v1/rewards", json=body)
            assert said.status_code == 200, said.text
        rewards: list[dict[str, Any]] = said.json()["rewards"]
        label = {"record": rewards[2]["record"], "right": True, "source": "human", "note": "<b>it is</b>"}
        http.post("/v1/labels", json={"labels": [label]}).raise_for_status()
        return rewards


def asked(site: str, path: str, **query: str | int) -> dict[str, Any]:
    said = httpx2.get(f"{site}{path}", params=query or None, headers={"accept": "application/json"}, timeout=60.0)
    told: dict[str, Any] = said.json()
    return {"status": said.status_code, **told}


def again(site: str, record: str, judge: str) -> dict[str, Any]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as http:
        token = http.get(f"/ui/ledger/{record}").text.split('name="csrf" value="')[1].split('"')[0]
        said = http.post(f"/ui/ledger/{record}/again?format=json", data={"csrf": token, "judge": judge})
        told: dict[str, Any] = said.json()
        return {"status": said.status_code, **told}


def test_filters_are_in_the_address_and_so_are_the_pages(site: str, scored: list[dict[str, Any]]) -> None:
    first = asked(site, "/ui/ledger", run=RUN, verifier="", text="  ")
    assert (len(first["rows"]), first["count"], first["newest"], first["newer"]) == (50, 120, None, None)
    seen = [row["record"] for row in first["rows"]]
    page = first
    while page["older"] is not None:
        page = asked(site, page["older"])
        seen += [row["record"] for row in page["rows"]]
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == len(seen) == 120
    assert page["newest"] == "/ui/ledger?run=explorer%20%2F%20run"
    back = asked(site, page["newer"])
    assert [row["record"] for row in back["rows"]] == seen[50:100]
    assert back["older"].endswith(f"after={seen[99]}")
    one = asked(site, "/ui/ledger", run=RUN, step=7, outcome="correct", score_min=1, text="step 7:")
    assert {row["step"] for row in one["rows"]} == {7}
    assert (len(one["rows"]), one["count"]) == (2, None)
    assert asked(site, "/ui/ledger", run=RUN, text="be BRIEF", step=7, kind="reward")["rows"][0]["by"] == "math"


@pytest.mark.parametrize(
    ("query", "word"),
    [
        ("score_min=x", "score_min"),
        ("outcome=fine", "outcome"),
        ("kind=reward&verifier=math", "rewards are found by recipe"),
        ("after=a&before=b", "one record"),
        (f"after={'a' * 100}", "one record"),
        ("since=yesterday", "since"),
        ("step=30-x", "step"),
        ("step=30-20", "write the lower one first"),
        ("order=up", "order"),
        ("stepp=3", "did you mean step?"),
        ("step_minimum_of_all=3", "there is no such parameter"),
    ],
)
def test_what_cannot_be_asked_is_refused_in_words(site: str, query: str, word: str) -> None:
    said = asked(site, f"/ui/ledger?{query}")
    assert said["status"] == 422
    assert word in said["problem"]["detail"]


def test_a_wrong_filter_keeps_the_form_and_is_told_once(open_page: OpenPage) -> None:
    page = open_page("/ui/ledger?run=a%20run&score_min=much", refusals={422})
    expect(page.get_by_label("Run", exact=True)).to_have_value("a run")
    wrong = page.get_by_label("Score from")
    expect(wrong).to_have_value("much")
    expect(wrong).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("valid number")).to_have_count(1)
    assert_accessible(page)
    wrong.fill("0.5")
    page.get_by_role("button", name="Find").click()
    expect(page.get_by_role("heading", name="0 records on this page")).to_be_visible()


def test_a_range_of_steps_and_the_oldest_first(site: str, scored: list[dict[str, Any]]) -> None:
    found = asked(site, "/ui/ledger", run=RUN, step="7-9")
    assert (found["count"], {row["step"] for row in found["rows"]}) == (12, {7, 8, 9})
    assert (found["rows"][0]["step"], found["form"]["step"]) == (9, "7-9")
    turned = asked(site, found["turned"])
    assert [row["record"] for row in turned["rows"]] == [row["record"] for row in found["rows"]][::-1]
    page, seen = asked(site, "/ui/ledger", run=RUN, order="oldest"), []
    while True:
        seen += [row["record"] for row in page["rows"]]
        if page["older"] is None:
            break
        page = asked(site, page["older"])
    assert seen == sorted(seen)
    assert len(set(seen)) == 120
    back = asked(site, page["newer"])
    assert [row["record"] for row in back["rows"]] == seen[50:100]


def test_a_row_tells_answer_reference_and_length(site: str, scored: list[dict[str, Any]]) -> None:
    for kind in ("verdict", "reward"):
        rows = asked(site, "/ui/ledger", run=RUN, step=29, kind=kind)["rows"]
        assert sorted(row["extracted"] for row in rows) == ["41", "41", "42", "42"]
        assert {row["reference"] for row in rows} == {"42"}
        assert {row["length"] for row in rows} == {len("In step 29: $x = \\frac{84}{2}$, so \\boxed{41}")}


def posted(site: str, path: str, **fields: Any) -> httpx2.Response:
    """A form of the ledger's page, with its token."""
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as http:
        token = http.get("/ui/ledger").text.split('name="csrf" value="')[1].split('"')[0]
        return http.post(path, data={"csrf": token, **fields})


def test_selected_records_and_all_that_are_found_leave_as_a_file(site: str, scored: list[dict[str, Any]]) -> None:
    records = [one["record"] for one in scored[:2]]
    said = posted(site, "/ui/ledger/export", kind="reward", record=records, **{"as": "jsonl"})
    assert said.headers["content-disposition"] == 'attachment; filename="rewards.jsonl"'
    lines = [json.loads(line) for line in said.text.splitlines()]
    assert {line["record"] for line in lines} == set(records)
    assert {line["response"] for line in lines} == {"In step 29: $x = \\frac{84}{2}$, so \\boxed{42}"}
    assert lines[0]["prompt"][0] == {"role": "system", "content": "Be brief."}
    assert {line["extracted"] for line in lines} == {"42"}
    found = posted(site, "/ui/ledger/export", run=RUN, step="1-9", which="found", **{"as": "csv"})
    rows = list(csv.DictReader(io.StringIO(found.text)))
    assert len(rows) == 36
    assert {int(row["step"]) for row in rows} == set(range(1, 10))


def test_an_export_that_a_spreadsheet_opens_is_no_formula(site: str) -> None:
    body = {"verifier": "exact", "run": "formulas", "samples": [{"response": '=HYPERLINK("x")', "reference": "@a"}]}
    httpx2.post(f"{site}/v1/verify", json=body, timeout=30.0).raise_for_status()
    said = posted(site, "/ui/ledger/export", run="formulas", which="found", **{"as": "csv"})
    [row] = csv.DictReader(io.StringIO(said.text))
    assert (row["response"], row["reference"]) == ('\'=HYPERLINK("x")', "'@a")


def test_selected_records_become_a_draw_of_just_these(site: str, scored: list[dict[str, Any]]) -> None:
    """Of two contents that were judged twice each, one item each."""
    records = {row["extracted"]: row["record"] for row in asked(site, "/ui/ledger", run=RUN, step=3)["rows"]}
    said = posted(site, "/ui/ledger/draw", run=RUN, record=[records["41"], records["42"]])
    assert said.status_code == 303
    draw = httpx2.get(f"{site}/v1/labels/draws/{said.headers['location'].rpartition('/')[2]}", timeout=30.0).json()
    assert (draw["drawn"], draw["spec"]["subject"]["verifier"], draw["spec"]["population"]["run"]) == (2, "math", RUN)
    assert draw["spec"]["queries"][0]["probability"] == 1


@pytest.mark.parametrize(
    ("fields", "word"),
    [
        ({"run": RUN}, "No record is selected:"),
        ({"record": "nothing"}, "has none of these records"),
        ({"which": "found"}, "filter by one"),
        ({"record": "x" * 100}, "each by its id"),
        ({"which": "found", "colour": "red"}, "no such parameter"),
    ],
)
def test_what_cannot_be_drawn_is_told_beside_the_form(
    site: str, scored: list[dict[str, Any]], fields: dict[str, str], word: str
) -> None:
    said = posted(site, "/ui/ledger/draw", **fields)
    assert said.status_code == 422
    assert word in said.text
    assert 'id="filters"' in said.text
    assert "csrf" not in posted(site, "/ui/ledger/draw?format=json", **fields).json()["form"]


def test_nothing_is_exported_or_drawn_without_the_forms_token(site: str) -> None:
    for path in ("export", "draw"):
        said = httpx2.post(f"{site}/ui/ledger/{path}", data={"which": "found"}, timeout=30.0)
        assert said.status_code == 403


def test_a_page_is_selected_and_labelled_by_keyboard(
    open_page: OpenPage, site: str, scored: list[dict[str, Any]]
) -> None:
    page = open_page("/ui/ledger?run=explorer%20%2F%20run&step=5")
    page.get_by_role("button", name="Select this page").focus()
    page.keyboard.press("Enter")
    expect(page.locator("input[name=record]:checked")).to_have_count(4)
    page.get_by_role("button", name="Label them").focus()
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="4 records of math").wait_for()


def test_a_reward_is_shown_with_all_that_it_rests_on(site: str, scored: list[dict[str, Any]]) -> None:
    record = scored[2]["record"]
    view = asked(site, f"/ui/ledger/{record}")
    assert [turn["role"] for turn in view["told"]["prompt"]] == ["system", "user"]
    assert [one["text"] for one in view["told"]["extracted"]] == ["41"]
    assert view["arithmetic"]["lines"][-1] == "reward: 0"
    assert view["arithmetic"]["agrees"] is True
    assert [one["verdict"]["reason_code"] for one in view["said"]] == ["unequal_rational"]
    assert [(mate["id"], mate["score"], mate["answer"], mate["here"]) for mate in view["mates"]] == [
        (f"s{STEPS - 1}-{number}", 1.0 if number < 2 else 0.0, str(42 - number // 2), number == 2)
        for number in range(4)
    ]
    assert [label["note"] for label in view["labels"]] == ["<b>it is</b>"]
    assert view["calls"]["link"].startswith("/ui/playground#")
    # the two wrong answers are the same content
    assert len(view["verdicts"]) == len(view["rewards"]) == 2


def test_a_verdict_leads_to_the_reward_that_it_went_into(site: str, scored: list[dict[str, Any]]) -> None:
    verdict = asked(site, f"/ui/ledger/{scored[3]['record']}")["said"][0]["verdict"]["record"]
    view = asked(site, f"/ui/ledger/{verdict}")
    assert view["arithmetic"]["record"] == scored[3]["record"]
    assert [mate["here"] for mate in view["mates"]].count(True) == 1
    assert len(view["mates"]) == 4
    alone = asked(site, "/ui/ledger", verifier="choice")["rows"][0]["record"]
    assert asked(site, f"/ui/ledger/{alone}")["unexplained"] == "No recipe priced this verdict."


def test_a_record_says_how_to_label_it(site: str, scored: list[dict[str, Any]]) -> None:
    record = scored[1]["record"]
    page = httpx2.get(f"{site}/ui/ledger/{record}", timeout=60.0, trust_env=False).text
    [line] = [line for line in page.splitlines() if "labels import -" in line]
    shown = re.sub("<[^>]+>", "", line)
    assert shown.startswith(f"""echo '{{"record": "{record}", "right": true""")


def test_a_sample_is_verified_again_outside_any_run(site: str, scored: list[dict[str, Any]]) -> None:
    said = again(site, scored[2]["record"], "verifier:exact")["again"]
    assert (said["then"]["outcome"], said["now"]["outcome"]) == ("incorrect", "incorrect")
    assert said["made_then"] != said["made_now"]
    stored = httpx2.get(f"{site}/v1/verdicts/{said['now']['record']}", timeout=60.0).json()
    assert (stored["split"], stored["run"]) == ("eval", None)
    assert again(site, scored[0]["record"], "recipe:math")["again"]["now"]["reward"] == 1.0
    refused = again(site, scored[0]["record"], "verifier:nothing")
    assert (refused["status"], refused["problem"]["code"]) == (422, "unknown_verifier")


def test_a_record_that_is_none_is_not_found(site: str) -> None:
    assert asked(site, "/ui/ledger/nothing")["status"] == 404


def test_no_payload_becomes_markup_on_any_page_of_a_sample(site: str) -> None:
    """Of every other payload the reward, of those between the verdict."""
    rewards = asked(site, "/ui/ledger", kind="reward", run=PAYLOADS[4])["rows"]
    verdicts = asked(site, "/ui/ledger", verifier="regex")["rows"]
    rows = rewards[::2] + verdicts[1::2]
    assert len(rows) == 50
    paths = ["/ui/ledger", "/ui/ledger?kind=reward", *(f"/ui/ledger/{row['record']}" for row in rows)]
    for path in paths:
        for tag, attributes in Elements(httpx2.get(f"{site}{path}", timeout=60.0).text).tags:
            assert tag not in {"iframe", "object", "embed", "base", "img", "svg", "style", "video", "audio"} or (
                tag == "img" and str(attributes["src"]).startswith("/ui/assets/")
            )
            assert tag != "script" or str(attributes.get("src")).startswith("/ui/assets/")
            assert not [name for name in attributes if name.startswith(("on", "hx-on", "data-hx"))]
            for name in ("href", "src", "action", "hx-get", "hx-post"):
                assert (attributes.get(name) or "/").startswith(("/", "#"))


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_the_explorer_and_a_sample_are_accessible_and_inert(
    open_page: OpenPage, site: str, scored: list[dict[str, Any]], theme: Theme, width: str
) -> None:
    page = open_page("/ui/ledger", theme, width)
    assert_accessible(page)
    assert_inert(page)
    hostile = asked(site, "/ui/ledger", kind="reward", run=PAYLOADS[4])["rows"]
    for record in (scored[2]["record"], hostile[-3]["record"], hostile[0]["record"]):
        page.goto(f"/ui/ledger/{record}")
        assert_accessible(page)
        assert_inert(page)


def test_records_are_found_and_opened_by_keyboard(open_page: OpenPage, site: str, scored: list[dict[str, Any]]) -> None:
    page = open_page("/ui/ledger")
    page.get_by_label("Run", exact=True).focus()
    page.keyboard.type(RUN)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="120 records").wait_for()
    assert page.url == f"{site}/ui/ledger?run=explorer%20%2F%20run"
    page.get_by_role("link", name="Older").focus()
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Newest").wait_for()
    assert page.url.startswith(f"{site}/ui/ledger?run=explorer%20%2F%20run&after=")
    page.go_back()
    page.get_by_role("link", name="Newest").wait_for(state="detached")
    page.get_by_role("heading", name="120 records").wait_for()
    page.locator(".records tbody a").first.focus()
    page.keyboard.press("Enter")
    arrived(page.get_by_role("heading", name="Verify again"))
    assert page.locator("math mfrac").count() >= 1
    page.get_by_label("with", exact=True).select_option("recipe:math")
    page.get_by_role("button", name="Verify again").focus()
    page.keyboard.press("Enter")
    page.get_by_text("The outcome is the same.").wait_for()
    assert_accessible(page)


def test_the_explorer_works_without_a_script(browser: Any, site: str, scored: list[dict[str, Any]]) -> None:
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto("/ui/ledger")
    page.get_by_label("Run", exact=True).fill(RUN)
    page.get_by_label("Outcome").select_option("incorrect")
    page.get_by_role("button", name="Find").click()
    expect(page.locator(".records .outcome")).to_have_text(["incorrect"] * 50)
    page.get_by_role("link", name="Older").click()
    expect(page.locator(".records tbody tr")).to_have_count(10)
    older = page.url
    page.locator("input[name=record]").first.check()
    page.get_by_role("button", name="Label them").click()
    page.get_by_role("heading", name="1 record of math").wait_for()
    page.goto(older)
    page.locator(".records tbody a").first.click()
    page.get_by_label("with", exact=True).select_option("verifier:exact")
    page.get_by_role("button", name="Verify again").click()
    expect(page.locator("#again .outcome")).to_have_text(["incorrect", "incorrect"])
    page.context.close()
