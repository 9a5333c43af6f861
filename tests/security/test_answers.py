"""What an answer carries: headers that keep browsers and caches from misusing it, and no line that a text made."""

from __future__ import annotations

import json
from urllib.parse import quote

import pytest

from tests.security.conftest import BODY, Target
from tests.security.wire import say

API = ("/v1/keys", "/v1/runs", "/v1/verifiers", "/metrics", "/health/live", "/openapi.json", "/nothing")
PAGES = ("/ui/", "/ui/ledger", "/ui/sign-in", "/docs")
BREAKS = ("a\r\nSet-Cookie: x=y", "a\ndata: forged", "a\n\nevent: end\ndata: {}", "a\u2028b", "a\u0085b", "a\x0bb")


@pytest.mark.parametrize("path", [*API, *PAGES])
def test_nothing_is_cached_guessed_or_shared_with_other_sites(target: Target, path: str) -> None:
    answer = target.admin.get(path, headers={"Origin": "https://evil.example", "Accept": "*/*"})
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert answer.headers["cache-control"] == "no-store"
    assert not [name for name in answer.headers if name.startswith("access-control-")]
    assert "server" not in answer.headers


@pytest.mark.parametrize("path", PAGES)
def test_no_other_site_may_frame_a_page(target: Target, path: str) -> None:
    policy = target.admin.get(path, headers={"Accept": "text/html"}).headers["content-security-policy"]
    assert "frame-ancestors 'none'" in policy


def test_a_browser_is_told_nothing_before_it_asks_across_sites(target: Target) -> None:
    asked = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}
    answer = target.stranger.options("/v1/verify", headers=asked)
    assert answer.status_code == 405
    assert "access-control-allow-origin" not in answer.headers


def test_signing_in_across_sites_begins_nothing(target: Target) -> None:
    answer = target.stranger.post(
        "/ui/sign-in",
        data={"key": target.key},
        headers={"Origin": "https://evil.example", "Sec-Fetch-Site": "cross-site"},
    )
    assert answer.status_code == 403
    assert "set-cookie" not in answer.headers


def test_a_cookie_is_for_this_site_and_no_script(target: Target) -> None:
    cookie = target.stranger.get("/ui/sign-in", headers={"Accept": "text/html"}).headers.get("set-cookie", "")
    target.stranger.cookies.clear()
    for word in ("HttpOnly", "SameSite=strict", "Path=/ui"):
        assert word in cookie


@pytest.mark.parametrize("text", BREAKS, ids=ascii)
def test_an_id_ends_no_line_of_a_stream(target: Target, text: str) -> None:
    body = {"recipe": "exact", "samples": [{"id": text, "prompt": "p", "response": "a", "reference": "a"}]}
    answer = target.post(json.dumps(body).encode(), "/v1/rewards", accept="application/x-ndjson")
    assert answer.status_code == 200
    lines = [json.loads(line) for line in answer.text.split("\n") if line]
    assert [next(iter(line)) for line in lines] == ["reward", "group", "end"]
    assert lines[0]["reward"]["id"] == text
    assert "set-cookie" not in answer.headers


@pytest.mark.parametrize("text", BREAKS, ids=ascii)
def test_a_name_of_the_callers_ends_no_line_of_a_log_and_no_header(target: Target, text: str) -> None:
    body = {"verifier": "exact", "run": text, "policy": text, "samples": [{"response": "a", "reference": "a"}]}
    target.post(json.dumps(body).encode(), **{"Idempotency-Key": "k" + str(abs(hash(text)))})
    target.post(json.dumps({"verifier": text, "samples": []}).encode())
    target.admin.get("/v1/nothing/" + quote(text))
    for line in target.service.log.read_text(errors="replace").split("\n"):
        assert not line or line.startswith("{"), line
        assert "Set-Cookie" not in line.partition('"')[0]


def test_the_log_has_no_key_in_it(target: Target) -> None:
    for path in (f"/k/{target.key}/v1/nothing", f"/v1/nothing?key={target.key}", f"//k/{target.key}/x"):
        target.stranger.get(path)
    target.stranger.get("/v1/nothing", headers={"X-Request-Id": target.key[:20] + "\r\n"[:0]})
    assert target.key not in target.service.log.read_text(errors="replace")


@pytest.mark.parametrize("key", ["", "x" * 256, "x" * 30_000, "\xff\xfe", "a b", "a;b,c"])
def test_any_idempotency_key_is_taken_or_refused(target: Target, key: str) -> None:
    head = target.head(f"Content-Length: {len(BODY)}", "Connection: close", f"Idempotency-Key: {key}")
    heard = say(target.url, head, BODY)
    assert heard.statuses[0] in (200, 422)


def test_an_idempotency_key_belongs_to_whoever_used_it(target: Target) -> None:
    """Another's answer is not to be had by guessing the key that it was given under."""
    first, second = ({"Authorization": f"Bearer {target.new_key('score')}", "Idempotency-Key": "same"} for _ in "ab")
    bodies = [{"verifier": "exact", "samples": [{"response": word, "reference": word}]} for word in ("mine", "yours")]
    mine = target.stranger.post("/v1/verify", json=bodies[0], headers=first)
    yours = target.stranger.post("/v1/verify", json=bodies[1], headers=second)
    assert (mine.status_code, yours.status_code) == (200, 200)
    assert "mine" not in yours.text
    assert target.stranger.post("/v1/verify", json=bodies[1], headers=first).status_code == 409
