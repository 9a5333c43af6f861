"""The page of a record: its texts, its neighbours in a search, its label, what it is judged with again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect

from tests.pages.browser import Theme, arrived, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import assert_inert
from tests.pages.labeller import Labeller, draw
from tests.pages.markup import Elements

RUN = "record / run"
THINKING = "<think>Is it 41? " + "On and on. " * 40 + "</think>\n"
ANSWER = "## So\n\n**Six** by seven:\n\n| a | b |\n|---|---|\n| 6 | 7 |\n\n$ 6 \\times 7 = 41 $, so \\boxed{41}."


@pytest.fixture(scope="module")
def http(site: str) -> Iterator[httpx2.Client]:
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as client:
        yield client


def priced(http: httpx2.Client, recipe: Any, run: str, number: int = 1) -> list[str]:
    samples = [
        {
            "id": f"r{n}",
            "group": "g",
            "prompt": "What is $6 \\cdot 7$?",
            "response": THINKING + ANSWER,
            "reference": "42",
        }
        for n in range(number)
    ]
    said = http.post("/v1/rewards", json={"recipe": recipe, "run": run, "step": 1, "samples": samples})
    assert said.status_code == 200, said.text
    return [one["record"] for one in said.json()["rewards"]]


@pytest.fixture(scope="module")
def records(http: httpx2.Client) -> list[str]:
    """Three of one group, in the order of their ids."""
    return priced(http, "math", RUN, 3)


def look(http: httpx2.Client, path: str) -> dict[str, Any]:
    view: dict[str, Any] = http.get(path, headers={"accept": "application/json"}).raise_for_status().json()
    return view


def again(http: httpx2.Client, record: str, judge: str) -> dict[str, Any]:
    token = http.get(f"/ui/ledger/{record}").text.split('name="csrf" value="')[1].split('"')[0]
    answer = http.post(f"/ui/ledger/{record}/again?format=json", data={"csrf": token, "judge": judge})
    said: dict[str, Any] = answer.json()
    return said


def test_thinking_is_folded_and_markdown_read(http: httpx2.Client, records: list[str]) -> None:
    page = Elements(http.get(f"/ui/ledger/{records[0]}").text)
    [folded] = [given for tag, given in page.tags if tag == "details" and given.get("class") == "thinking"]
    assert "open" not in folded
    assert {"strong", "td", "math", "mark"} <= {tag for tag, _ in page.tags}
    assert "| 6 | 7 |" in page.text, "the text as it was written is there, too"


def test_the_answer_is_marked_and_compared_with_the_reference(http: httpx2.Client, records: list[str]) -> None:
    page = http.get(f"/ui/ledger/{records[0]}").text
    assert "<mark><math" in page
    assert "4<del>2</del><ins>1</ins>" in page


def test_the_recorded_content_of_a_recipe_without_a_name_judges_again(http: httpx2.Client) -> None:
    inline = {
        "terms": [{"verifier": "regex", "params": {"pattern": "so .boxed", "mode": "search", "scope": "response"}}]
    }
    [record] = priced(http, inline, f"{RUN} inline")
    view = look(http, f"/ui/ledger/{record}")
    name = view["judge"].removeprefix("recipe:")
    assert name.startswith("inline@sha256:")
    assert name in {one["name"] for one in view["recipes"]}
    said = again(http, record, view["judge"])["again"]
    assert (said["then"]["outcome"], said["now"]["outcome"]) == ("correct", "correct")
    assert said["then"]["reward"] == said["now"]["reward"] == 1.0
    assert view["calls"]["link"] == "", "the playground cannot name it"
    assert '"terms"' in view["calls"]["curl"]


def test_the_recorded_version_of_a_recipe_judges_again(http: httpx2.Client) -> None:
    body = {"terms": [{"verifier": "exact"}]}
    http.put("/v1/recipes/moving", json=body).raise_for_status()
    [record] = priced(http, "moving", f"{RUN} moving")
    assert look(http, f"/ui/ledger/{record}")["judge"] == "recipe:moving"
    http.put("/v1/recipes/moving", json={"terms": [{"verifier": "math"}]}).raise_for_status()
    view = look(http, f"/ui/ledger/{record}")
    assert view["judge"] == f"recipe:moving@{view['detail']['recipe']}"
    page = http.get(f"/ui/ledger/{record}").text
    assert f'<option value="{view["judge"]}" selected>' in page
    assert again(http, record, view["judge"])["again"]["made_now"].startswith("exact ")


def test_the_records_beside_are_those_of_the_search(http: httpx2.Client, records: list[str]) -> None:
    """Of the run where the address names no search."""
    query = "kind=reward&run=record%20%2F%20run"
    alone = look(http, f"/ui/ledger/{records[1]}")["beside"]
    assert alone["newer"] == f"/ui/ledger/{records[2]}?{query}"
    assert alone["older"] == f"/ui/ledger/{records[0]}?{query}"
    assert alone["back"] == f"/ui/ledger?{query}"
    assert look(http, alone["older"])["beside"]["older"] is None
    none = look(http, f"/ui/ledger/{records[1]}?kind=reward&outcome=correct&run=record%20%2F%20run")["beside"]
    assert (none["newer"], none["older"]) == (None, None)
    verdict = look(http, f"/ui/ledger/{records[1]}")["said"][0]["verdict"]["record"]
    other = look(http, f"/ui/ledger/{verdict}?{query}")["beside"]
    assert other["back"] == "/ui/ledger?run=record%20%2F%20run"
    assert http.get(f"/ui/ledger/{records[1]}?step=x").status_code == 422
    listed = http.get(f"/ui/ledger?{query}&outcome=incorrect").text
    assert f'href="/ui/ledger/{records[1]}?kind=reward&amp;outcome=incorrect&amp;run=record%20%2F%20run"' in listed


def test_a_list_shows_the_answer_and_not_the_thinking(http: httpx2.Client, records: list[str]) -> None:
    rows = look(http, "/ui/ledger?kind=reward&run=record%20%2F%20run")["rows"]
    assert {row["excerpt"][:5] for row in rows} == {"## So"}


def test_the_group_stands_side_by_side_with_its_answers(http: httpx2.Client, records: list[str]) -> None:
    mates = look(http, f"/ui/ledger/{records[1]}")["mates"]
    assert [(mate["id"], mate["answer"], mate["excerpt"][:5], mate["here"]) for mate in mates] == [
        ("r0", "41", "## So", False),
        ("r1", "41", "## So", True),
        ("r2", "41", "## So", False),
    ]


def test_a_list_of_evidence_is_one_table(http: httpx2.Client) -> None:
    example = http.get("/v1/verifiers/instructions").raise_for_status().json()["examples"][1]
    sample = example["sample"]
    said = http.post("/v1/verify", json={"verifier": "instructions", "samples": [sample]}).raise_for_status()
    [verdict] = said.json()["verdicts"]
    lists = [name for name, value in verdict["evidence"].items() if isinstance(value, list)]
    assert lists, verdict
    page = http.get(f"/ui/ledger/{verdict['record']}").text
    for name in lists:
        assert page.count(f"<caption><bdi>{name}</bdi></caption>") == 1
        assert f'<th scope="row"><bdi>{name}</bdi></th>' not in page


def test_a_label_of_somebody_who_has_seen_the_verdict_is_kept_and_never_counted(site: str, http: httpx2.Client) -> None:
    sample = {"prompt": "seen?", "response": "seen answer", "reference": "other", "group": "seen"}
    body = {"verifier": "exact", "run": "seen / run", "samples": [sample]}
    record = http.post("/v1/verify", json=body).raise_for_status().json()["verdicts"][0]["record"]
    with Labeller.named(site, "ann") as ann, Labeller.named(site, "bob") as bob:
        assert "Keep the label" in ann.http.get(f"/ui/ledger/{record}").text
        sent = {"csrf": ann.token, "right": "right", "note": "a synonym"}
        stored = ann.http.post(f"/ui/ledger/{record}/label", data=sent)
        assert (stored.status_code, stored.headers["location"]) == (303, f"/ui/ledger/{record}#labels")
        [label] = look(http, f"/ui/ledger/{record}")["labels"]
        kept = {name: label[name] for name in ("annotator", "right", "note", "record", "source")}
        assert kept == {"annotator": "ann", "right": True, "note": "a synonym", "record": record, "source": "human"}
        assert (label["draw"], label["probability"], label["after_reveal"]) == (None, None, True)
        case = http.post(f"/v1/labels/{label['id']}/case", json={})
        assert case.status_code == 200, case.text
        made = draw(site, "seen / run")
        assert ann.next(made) == f"/ui/labels/{made}?waiting=true", "no blind label is to be had from ann"
        assert bob.next(made) == f"/ui/labels/{made}/0"
        assert ann.http.post(f"/ui/ledger/{record}/label", data={**sent, "right": "maybe"}).status_code == 422
        assert ann.http.post("/ui/ledger/nothing/label", data=sent).status_code == 404
        assert ann.http.post(f"/ui/ledger/{record}/label", data={**sent, "csrf": "x"}).status_code == 403


def test_a_label_needs_a_name(http: httpx2.Client, records: list[str]) -> None:
    page = http.get(f"/ui/ledger/{records[0]}").text
    assert "Use this name" in page
    token = page.split('name="csrf" value="')[1].split('"')[0]
    answer = http.post(f"/ui/ledger/{records[0]}/label", data={"csrf": token, "right": "right"})
    assert answer.status_code == 422
    assert "annotator" in answer.text


def test_the_rest_of_a_long_passage_ends_where_it_ends(http: httpx2.Client) -> None:
    thinking, answer = f"<think>{'t' * 9000}</think>", "a" * 9000
    body = {"verifier": "exact", "samples": [{"response": thinking + answer, "reference": "b"}]}
    record = http.post("/v1/verify", json=body).raise_for_status().json()["verdicts"][0]["record"]
    page = Elements(http.get(f"/ui/ledger/{record}").text)
    rest = [given["hx-get"] for tag, given in page.tags if tag == "button" and "hx-get" in given]
    pieces = [Elements(http.get(address or "").text).text.strip() for address in rest]
    assert pieces == [thinking[4000:], answer[4000:]]


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_a_record_goes_on_by_key_to_the_next_one(
    open_page: OpenPage, records: list[str], theme: Theme, width: str
) -> None:
    page = open_page(f"/ui/ledger/{records[1]}", theme, width)
    arrived(page.get_by_role("link", name="Older"))
    assert_accessible(page)
    assert_inert(page)
    for key, record in (("j", 0), ("k", 1), ("ArrowLeft", 2), ("ArrowRight", 1)):
        page.keyboard.press(key)
        page.wait_for_url(f"**/ui/ledger/{records[record]}?**")
        arrived(page.get_by_role("heading", name="Verify again"))
    page.get_by_label("with", exact=True).focus()
    page.keyboard.press("j")
    page.get_by_label("keys j, k").uncheck()
    page.locator("h1").click()
    page.keyboard.press("k")
    page.wait_for_timeout(200)
    assert records[1] in page.url


def test_a_record_works_without_a_script(browser: Any, site: str, records: list[str]) -> None:
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto(f"/ui/ledger/{records[1]}")
    thinking = page.get_by_text("On and on.").first
    expect(thinking).to_be_hidden()
    page.locator("summary", has_text="Thinking").click()
    expect(thinking).to_be_visible()
    page.locator("summary", has_text="As written").last.click()
    expect(page.locator(".told").get_by_text("| 6 | 7 |")).to_be_visible()
    page.get_by_role("link", name="Older").click()
    page.wait_for_url(f"**/ui/ledger/{records[0]}?**")
    page.context.close()
