"""Signing in by key: what the cookie opens and what it does not, and the forms that other sites may not send."""

from __future__ import annotations

import re
from collections.abc import Iterator

import httpx2
import pytest
from playwright.sync_api import Page

from tests.pages.browser import assert_accessible
from tests.pages.conftest import OpenPage
from tests.services import Keyed

SCOPES = ("score", "view", "label", "admin")


@pytest.fixture(scope="module")
def site(keyed: Keyed) -> str:
    return keyed.url


@pytest.fixture(scope="module")
def admin(keyed: Keyed) -> str:
    return keyed.admin


@pytest.fixture
def http(site: str) -> Iterator[httpx2.Client]:
    """A browser's manners, without a browser: it keeps cookies, asks for HTML, and says where a form is from."""
    headers = {"accept": "text/html", "origin": site}
    with httpx2.Client(base_url=site, timeout=60.0, trust_env=False, headers=headers) as client:
        yield client


def made_key(http: httpx2.Client, admin: str, scope: str, **more: str) -> dict[str, str]:
    answer = http.post(
        "/v1/keys",
        json={"name": f"<b>{scope}</b>", "scopes": [scope], **more},
        headers={"authorization": f"Bearer {admin}", "accept": "application/json"},
    )
    made: dict[str, str] = answer.json()
    return made


def token(page: str) -> str:
    found = re.search(r'name="csrf" value="(\w+)"', page)
    assert found is not None
    return found[1]


def sign_in(http: httpx2.Client, key: str, **fields: str) -> httpx2.Response:
    form = {"csrf": token(http.get("/ui/sign-in").text), "key": key, **fields}
    return http.post("/ui/sign-in", data=form)


def test_without_a_key_a_browser_gets_the_form_and_a_program_a_problem(http: httpx2.Client) -> None:
    page = http.get("/ui/")
    assert (page.status_code, 'name="key"' in page.text) == (401, True)
    said = http.get("/ui/?format=json")
    assert (said.status_code, said.json()["code"]) == (401, "unauthorized")


def test_the_cookie_is_kept_from_scripts_and_other_sites_and_has_no_key_in_it(http: httpx2.Client, admin: str) -> None:
    answer = sign_in(http, admin)
    assert (answer.status_code, answer.headers["location"]) == (303, "/ui/")
    [cookie] = [one for one in answer.headers.get_list("set-cookie") if one.startswith("trueward_session=")]
    assert {"HttpOnly", "SameSite=strict", "Path=/ui"} <= {part.strip() for part in cookie.split(";")}
    assert "Secure" not in cookie
    assert admin not in cookie
    assert http.get("/ui/").status_code == 200


def test_behind_https_the_cookie_is_secure(http: httpx2.Client, admin: str) -> None:
    http.headers["x-forwarded-proto"] = "https"
    form = http.get("/ui/sign-in")
    assert "Secure" in form.headers["set-cookie"]


@pytest.mark.parametrize("path", ["/v1/verifiers", "/v1/keys", "/v1/runs", "/metrics"])
def test_the_cookie_opens_nothing_but_the_pages(http: httpx2.Client, admin: str, path: str) -> None:
    sign_in(http, admin)
    cookie = "; ".join(f"{name}={value}" for name, value in http.cookies.items())
    assert http.get(path, headers={"cookie": cookie, "accept": "application/json"}).status_code == 401


@pytest.mark.parametrize("scope", SCOPES)
def test_a_page_opens_for_its_scope(http: httpx2.Client, admin: str, scope: str) -> None:
    sign_in(http, made_key(http, admin, scope)["key"])
    assert http.get("/ui/").status_code == (200 if scope in ("view", "admin") else 403)
    playground = http.get("/ui/playground")
    assert playground.status_code == (200 if scope in ("score", "admin") else 403)
    assert ("<b>" not in playground.text, f"&lt;b&gt;{scope}" in playground.text) == (True, True)


@pytest.mark.parametrize(
    ("scope", "first"), [("view", "/ui/"), ("score", "/ui/playground"), ("label", "/ui/labels"), ("admin", "/ui/")]
)
def test_signing_in_and_a_refusal_lead_to_a_page_that_the_key_opens(
    http: httpx2.Client, admin: str, scope: str, first: str
) -> None:
    assert sign_in(http, made_key(http, admin, scope)["key"]).headers["location"] == first
    refused = http.get("/ui/playground" if scope == "view" else "/ui/" if scope != "admin" else "/ui/runs/none")
    assert refused.status_code in (403, 404)
    assert f'<a href="{first}">Go to the first page</a>' in refused.text
    assert http.get(first).status_code == 200


def test_an_address_that_is_none_leaves_the_navigation_to_whoever_is_signed_in(http: httpx2.Client, admin: str) -> None:
    sign_in(http, admin)
    shown = http.get("/ui/no-such-page")
    assert (shown.status_code, 'href="/ui/runs"' in shown.text, "Sign out" in shown.text) == (404, True, True)
    assert "set-cookie" not in shown.headers
    with httpx2.Client(base_url=http.base_url, trust_env=False, headers=http.headers) as stranger:
        assert 'href="/ui/runs"' not in stranger.get("/ui/no-such-page").text


def test_the_frame_names_the_project_of_the_key_and_the_form_who_is_signed_in(http: httpx2.Client, admin: str) -> None:
    http.post("/v1/projects", json={"name": "sums"}, headers={"authorization": f"Bearer {admin}"}).raise_for_status()
    sign_in(http, made_key(http, admin, "view", project="sums")["key"])
    assert "project <bdi>sums</bdi>" in http.get("/ui/").text
    assert "You are signed in as" in http.get("/ui/sign-in").text
    sign_in(http, admin)
    assert "project <bdi>" not in http.get("/ui/").text


@pytest.mark.parametrize(("cookie", "ended"), [("trueward_session=a.1.b.c", True), ("_xsrf=of-a-notebook", False)])
def test_only_whoever_had_a_session_is_told_that_it_ended(site: str, cookie: str, ended: bool) -> None:
    """What tells programs where to put a key is of no use in a browser."""
    shown = httpx2.get(f"{site}/ui/", headers={"cookie": cookie, "accept": "text/html"}, timeout=60.0)
    assert (shown.status_code, "This session has ended" in shown.text) == (401, ended)
    assert ('id="refusal"' in shown.text, "Authorization: Bearer" in shown.text) == (ended, False)


@pytest.mark.parametrize("cookie", ["trueward_session=a.1.b.c", "nothing=any-more"])
def test_a_page_that_follows_a_run_is_told_that_its_session_ended(site: str, cookie: str) -> None:
    """A browser deletes the cookie of a session at its end."""
    headers = {"cookie": cookie, "accept": "text/html", "hx-request": "true"}
    piece = httpx2.get(f"{site}/ui/runs", headers=headers, timeout=60.0)
    assert (piece.status_code, "This session has ended" in piece.text) == (401, True)
    assert '<a href="/ui/sign-in">Sign in</a>' in piece.text


def test_a_revoked_key_ends_its_sessions(http: httpx2.Client, admin: str) -> None:
    made = made_key(http, admin, "view")
    sign_in(http, made["key"])
    assert http.get("/ui/").status_code == 200
    http.delete(f"/v1/keys/{made['id']}", headers={"authorization": f"Bearer {admin}"})
    assert http.get("/ui/").status_code == 401


def test_signing_out_takes_the_session_from_the_browser(http: httpx2.Client, admin: str) -> None:
    sign_in(http, admin)
    answer = http.post("/ui/sign-out", data={"csrf": token(http.get("/ui/").text)})
    assert answer.status_code == 303
    assert "trueward_session" not in http.cookies
    assert http.get("/ui/").status_code == 401


@pytest.mark.parametrize("change", ["expiry", "id", "signature", "nothing of ours", "empty parts"])
def test_a_forged_or_expired_session_is_none(http: httpx2.Client, admin: str, change: str) -> None:
    sign_in(http, admin)
    key_id, expiry, nonce, signature = http.cookies["trueward_session"].split(".")
    forged = {
        "expiry": f"{key_id}.{int(expiry) + 999}.{nonce}.{signature}",
        "id": f"{key_id[::-1]}.{expiry}.{nonce}.{signature}",
        "signature": f"{key_id}.{expiry}.{nonce}.{signature[::-1]}",
        "nothing of ours": "x" * 5000,
        "empty parts": "...",
    }[change]
    assert httpx2.get(http.base_url.join("/ui/"), headers={"cookie": f"trueward_session={forged}"}).status_code == 401


@pytest.mark.parametrize("key", ["tw_wrong", "", "x" * 301, "\u202e"])
def test_a_wrong_key_is_refused_and_begins_nothing(http: httpx2.Client, key: str) -> None:
    answer = sign_in(http, key)
    assert answer.status_code in (401, 422)
    assert "trueward_session" not in http.cookies


@pytest.mark.parametrize(
    "target",
    [
        "https://evil.invalid/",
        "//evil.invalid/",
        "/\\evil.invalid",
        "/ui/../v1/keys\n",
        "javascript:alert(1)",
        "/v1/keys",
    ],
)
def test_signing_in_leads_to_no_other_site(http: httpx2.Client, admin: str, target: str) -> None:
    assert sign_in(http, admin, next=target).headers["location"] == "/ui/"


def test_signing_in_leads_back_to_the_page_that_was_asked_for(http: httpx2.Client, admin: str) -> None:
    asked = "/ui/playground?judge=verifier:exact&example=0"
    shown = http.get(asked)
    assert 'value="/ui/playground?judge=verifier:exact&amp;example=0"' in shown.text
    assert sign_in(http, admin, next=asked).headers["location"] == asked


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.invalid"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
    ],
)
def test_no_other_site_can_sign_anybody_in_or_out(http: httpx2.Client, admin: str, headers: dict[str, str]) -> None:
    form = {"csrf": token(http.get("/ui/sign-in").text), "key": admin}
    assert http.post("/ui/sign-in", data=form, headers=headers).status_code == 403
    sign_in(http, admin)
    form = {"csrf": token(http.get("/ui/").text)}
    assert http.post("/ui/sign-out", data=form, headers=headers).status_code == 403
    assert http.get("/ui/").status_code == 200


def test_a_form_needs_the_token_of_its_own_session(http: httpx2.Client, admin: str, site: str) -> None:
    strangers = token(httpx2.get(f"{site}/ui/sign-in").text)
    assert http.post("/ui/sign-in", data={"csrf": strangers, "key": admin}).status_code == 403
    sign_in(http, admin)
    for wrong in ({}, {"csrf": strangers}, {"csrf": ""}, {"csrf": "\u202e"}):
        assert http.post("/ui/playground", data={"judge": "verifier:exact", **wrong}).status_code == 403
    own = token(http.get("/ui/").text)
    assert http.post("/ui/playground", data={"judge": "verifier:exact", "csrf": own}).status_code == 200


def test_a_program_shows_its_key_to_a_page_and_needs_no_form(site: str, admin: str) -> None:
    headers = {"authorization": f"Bearer {admin}", "accept": "application/json"}
    form = {"judge": "verifier:exact", "response": "a", "reference": "a"}
    said = httpx2.post(f"{site}/ui/playground", data=form, headers=headers, timeout=60.0).json()
    assert said["judged"]["verdicts"]["exact"]["outcome"] == "correct"


def arrive(page: Page, admin: str) -> None:
    page.get_by_label("API key").fill(admin)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Playground").wait_for()


def test_somebody_signs_in_judges_and_signs_out(open_page: OpenPage, admin: str) -> None:
    page = open_page("/ui/playground", "dark", "phone", refusals={401})
    assert_accessible(page)
    arrive(page, admin)
    page.get_by_label("Response").fill("\\boxed{2}")
    page.get_by_label("Reference", exact=True).fill("2")
    page.get_by_role("button", name="Judge it").click()
    page.locator("#result .outcome.correct").first.wait_for()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("heading", name="Sign in").wait_for()


def test_a_link_of_another_site_opens_the_page_of_whoever_is_signed_in(
    open_page: OpenPage, admin: str, site: str
) -> None:
    other = site.replace("127.0.0.1", "localhost")
    page = open_page("/ui/playground", refusals={401}, elsewhere=other)
    arrive(page, admin)
    page.route(
        f"{other}/away", lambda route: route.fulfill(content_type="text/html", body=f"<a href='{site}/ui/'>x</a>")
    )
    page.goto(f"{other}/away")
    page.get_by_role("link", name="x").click()
    page.get_by_role("heading", name="Trueward", level=1).wait_for()
