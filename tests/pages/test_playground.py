"""The playground: one sample on the one path, why it was judged so, and what there is to take along."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import expect

from tests.pages.browser import Theme, assert_accessible
from tests.pages.conftest import OpenPage
from tests.pages.hostile import PAYLOADS, assert_inert

MATHS = "/ui/playground?judge=verifier:math&example=0"


def play(site: str, **fields: str) -> dict[str, Any]:
    """The page's JSON for a posted form, with the token of a browser that asked for it first."""
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False) as http:
        page = http.get("/ui/playground").text
        token = page.split('name="csrf" value="')[1].split('"')[0]
        said = http.post("/ui/playground?format=json", data={"csrf": token, **fields})
        told: dict[str, Any] = said.json()
        return {"status": said.status_code, **told}


@pytest.mark.parametrize(("theme", "width"), [("light", "desktop"), ("dark", "phone")])
def test_a_recipes_reward_is_shown_with_its_arithmetic(open_page: OpenPage, theme: Theme, width: str) -> None:
    page = open_page(MATHS, theme, width)
    page.select_option("#judge", "recipe:math")
    page.get_by_role("button", name="Judge it").click()
    page.get_by_role("heading", name="Reward").wait_for()
    assert page.locator(".steps li").last.inner_text().strip().endswith("reward: 1")
    assert page.get_by_role("row", name="extracted").is_visible()
    assert_accessible(page)


def test_it_works_without_a_script(browser: Any, site: str) -> None:
    page = browser.new_context(base_url=site, java_script_enabled=False).new_page()
    page.goto(MATHS)
    page.get_by_role("button", name="Judge it").click()
    assert page.locator("#result .outcome").first.inner_text() == "correct"
    page.context.close()


def test_a_link_brings_the_sample_to_somebody_else_and_sends_nothing(open_page: OpenPage) -> None:
    page = open_page("/ui/playground?judge=verifier:exact")
    page.get_by_label("Response").fill("an answer \u202e <b>\n\u00e9")
    page.get_by_label("Reference", exact=True).fill("[1, 2]")
    page.get_by_label("JSON", exact=True).check()
    page.get_by_role("button", name="Judge it").click()
    link = page.locator("#link")
    link.wait_for()
    address = link.get_attribute("href")
    assert address is not None
    other = open_page(address)
    assert other.get_by_label("Response").input_value() == "an answer \u202e <b>\n\u00e9"
    assert other.get_by_label("JSON", exact=True).is_checked()
    assert other.locator("#judge").input_value() == "verifier:exact"
    assert other.locator("#result .outcome").count() == 0


@pytest.mark.parametrize("fragment", ["!", "A", "e30", "WzFd", "eyJyZXNwb25zZSI6MX0", "bnVsbA", "A" * 20_000])
def test_a_broken_link_fills_nothing(open_page: OpenPage, fragment: str) -> None:
    page = open_page(f"/ui/playground#{fragment}")
    assert page.get_by_label("Response").input_value() == ""
    assert page.locator("#judge").input_value() == "verifier:math"


def test_another_choice_shows_what_it_is(open_page: OpenPage) -> None:
    page = open_page("/ui/playground")
    page.get_by_label("Verifier or recipe").select_option("verifier:choice")
    page.get_by_text("The option chosen in a multiple-choice question").wait_for()
    page.get_by_role("link", name="example 1").click()
    assert "(B)" in page.get_by_label("Response").input_value()


def test_a_refusal_stands_in_the_notice_and_the_form_stays(open_page: OpenPage) -> None:
    page = open_page(MATHS, refusals={422})
    page.get_by_label("Parameters of the verifier, as JSON").fill("[1]")
    page.get_by_role("button", name="Judge it").click()
    page.locator("#notice").get_by_text("must be a JSON object").first.wait_for()
    assert page.get_by_label("Response").input_value().startswith("It is")
    assert_accessible(page)


def test_neither_an_old_verdict_nor_an_old_refusal_stands_beside_a_new_answer(open_page: OpenPage) -> None:
    page = open_page(MATHS, refusals={422})
    judge, params = (
        page.get_by_role("button", name="Judge it"),
        page.get_by_label("Parameters of the verifier, as JSON"),
    )
    judge.click()
    page.locator("#result .outcome").first.wait_for()
    params.fill("[1]")
    judge.click()
    page.locator("#notice").get_by_text("must be a JSON object").first.wait_for()
    assert page.locator("#result").inner_text() == ""
    params.fill("{}")
    judge.click()
    page.locator("#result .outcome").first.wait_for()
    assert page.locator("#notice").inner_text() == ""


def test_a_call_is_copied(open_page: OpenPage, site: str) -> None:
    page = open_page(MATHS)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Judge it").click()
    page.locator("button[data-copy=curl]").click()
    page.get_by_role("button", name="Copied").wait_for()
    assert page.locator("#curl").inner_text().startswith(f"curl --fail-with-body {site}/v1/verify")


@pytest.mark.parametrize("start", [0, 26])
def test_no_payload_runs_in_any_field(open_page: OpenPage, start: int) -> None:
    page = open_page("/ui/playground?judge=recipe:hostile")
    for number in range(start, start + 26, 2):
        payload = f"{PAYLOADS[number]} {PAYLOADS[number + 1]}"
        for name in ("Prompt", "Response"):
            page.get_by_label(name, exact=True).fill(payload)
        page.get_by_label("Reference", exact=True).fill(payload)
        page.locator("#judge").evaluate(
            "(one, at) => { one.value = at % 4 ? 'recipe:hostile' : 'verifier:choice'; }", number
        )
        with page.expect_response("**/ui/playground"):
            page.get_by_role("button", name="Judge it").click()
        page.locator("#result .outcome").first.wait_for()
        assert_inert(page)


def test_it_is_recorded_as_evaluation_outside_any_run(site: str) -> None:
    record = play(site, judge="recipe:exact", response="a", reference="a")["judged"]["reward"]["record"]
    stored = httpx2.get(f"{site}/v1/verdicts/{record}", timeout=60.0).json()
    assert (stored["split"], stored["run"]) == ("eval", None)


def test_what_is_copied_works_and_says_the_same(site: str, tmp_path: Path) -> None:
    fields = {"response": "it's \\boxed{\u00bd} $HOME `x`", "reference": "1/2"}
    for judge, says in (("verifier:math", '"outcome"'), ("recipe:math", '"reward"')):
        judged = play(site, judge=judge, **fields)["judged"]
        calls = judged["calls"]
        assert all(call.isascii() for call in calls.values())
        assert json.loads(calls["jsonl"]) == fields
        for command in (["bash", "-c", calls["curl"]], [sys.executable, "-c", calls["python"]]):
            ran = subprocess.run(
                command, capture_output=True, text=True, env={**os.environ, "NO_PROXY": "*"}, cwd=tmp_path
            )
            assert ran.returncode == 0, ran.stderr
            assert says in ran.stdout
            assert '"correct"' in ran.stdout


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({"judge": "verifier:nothing"}, "unknown_verifier"),
        ({"judge": "recipe:nothing"}, "unknown_recipe"),
        ({"judge": "verifier:math", "params": '{"x": 1}'}, "invalid_parameters"),
        ({"judge": "verifier:math", "params": "{"}, "invalid_request"),
        ({"judge": "verifier:math", "reference": "{", "reference_is": "json"}, "invalid_request"),
        ({"judge": "verifier:math", "more": '{"prompt": 3}'}, "invalid_request"),
        ({"judge": "nothing"}, "unknown_verifier"),
    ],
)
def test_a_refusal_is_that_of_the_api(site: str, fields: dict[str, str], code: str) -> None:
    said = play(site, **fields)
    assert (said["status"], said["problem"]["code"]) == (422, code)


def test_every_example_fills_the_form(site: str) -> None:
    for verifier in ("code", "instructions", "likelihood", "numeric"):
        state = httpx2.get(f"{site}/ui/playground?judge=verifier:{verifier}&example=1&format=json", timeout=60.0).json()
        assert state["state"]["response"]
    assert httpx2.get(f"{site}/ui/playground?judge=verifier:math&example=99", timeout=60.0).status_code == 404


def test_a_sample_that_is_too_long_to_share_is_judged_all_the_same(site: str) -> None:
    judged = play(site, judge="verifier:math", response="x" * 100_000 + "\\boxed{1}", reference="1")["judged"]
    assert judged["verdicts"]["math"]["outcome"] == "correct"
    assert judged["calls"] == {"link": "", "curl": "", "python": "", "jsonl": ""}


def test_a_refusal_is_seen_from_the_button_that_brought_it(open_page: OpenPage) -> None:
    """On a phone the button stands a screen below the place where refusals are told."""
    page = open_page("/ui/playground?judge=verifier:math&example=0", width="phone", refusals={422})
    page.get_by_label("Parameters of the verifier").fill("{")
    page.get_by_role("button", name="Judge it").click()
    expect(page.locator("#notice .problem")).to_be_in_viewport()
    assert_accessible(page)
