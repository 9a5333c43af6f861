"""Paths, hosts and keys in unusual places: none leads to what the plain request would not."""

from __future__ import annotations

import pytest

from tests.security.conftest import Target
from tests.security.wire import say

ELSEWHERE = (
    "//v1/keys",
    "/v1//keys",
    "/v1/keys%00",
    "/v1/keys;a=b",
    "/V1/keys",
    "/%2e%2e/v1/keys",
    "/ui/..%2fv1/keys",
    "/v1/recipes/..%2fkeys",
    "/k/x/../v1/keys",
    "/k//v1/keys",
    "/k/k/v1/keys",
    "/k/%2e%2e/v1/keys",
    "/health/live/../../v1/keys",
    "/health/live%2f..%2f..%2fv1/keys",
    "/v1/%6beys",
    "http://trueward/v1/keys",
)
FILES = (
    "/docs/assets/../endpoints.py",
    "/docs/assets/%2e%2e/endpoints.py",
    "/docs/assets/..%2fendpoints.py",
    "/docs/assets/..%252fendpoints.py",
    "/docs/assets/%5c..%5cendpoints.py",
    "/docs/assets//etc/passwd",
    "/ui/assets/x/..%2f..%2fassets.py",
    "/v1/recipes/..%2f..%2f..%2fetc%2fpasswd",
    "/v1/recipes/%2fetc%2fpasswd",
    "/v1/models/..%2f..%2fsecret",
    "/v1/verdicts/..%2f..%2fsecret",
)


@pytest.mark.parametrize("path", ELSEWHERE)
def test_no_way_around_the_key(target: Target, path: str) -> None:
    heard = say(target.url, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert heard.statuses[0] in (400, 401, 404)
    assert b'"keys"' not in heard.raw


@pytest.mark.parametrize("path", FILES)
def test_no_way_to_files(target: Target, path: str) -> None:
    heard = say(target.url, target.head("Connection: close", method="GET", target=path))
    assert heard.statuses[0] in (400, 404)
    assert b"import" not in heard.raw
    assert b"root:" not in heard.raw


@pytest.mark.parametrize(
    "header",
    [
        {"X-Forwarded-For": "127.0.0.1"},
        {"Forwarded": "for=127.0.0.1;host=localhost;proto=https"},
        {"X-Forwarded-Host": "127.0.0.1", "X-Forwarded-Proto": "https"},
        {"X-Original-URL": "/health/live"},
        {"X-Rewrite-URL": "/health/live"},
        {"X-HTTP-Method-Override": "GET"},
        {"X-Forwarded-User": "admin"},
        {"Host": "127.0.0.1"},
        {"Host": "localhost"},
        {"Host": ""},
        {"Authorization": "Bearer"},
        {"Authorization": "Basic !!!"},
        {"Authorization": "Basic " + "A" * 40_000},
        {"Authorization": "Bearer " + "a" * 40_000},
        {"Authorization": "Bearer null"},
        {"Cookie": "trueward_session=a.b.c"},
        {"Cookie": "trueward_session=" + "." * 3000},
    ],
    ids=lambda header: " ".join(f"{name}: {value[:20]}" for name, value in header.items()),
)
@pytest.mark.parametrize("path", ["/v1/keys", "/ui/runs"])
def test_no_header_stands_for_a_key(target: Target, path: str, header: dict[str, str]) -> None:
    answer = target.stranger.get(path, headers=header)
    assert answer.status_code == 401
    assert "evil" not in answer.text


def test_of_several_keys_the_first_counts(target: Target) -> None:
    right, wrong = f"Authorization: Bearer {target.key}", "Authorization: Bearer tw_wrong"
    plain = "GET /v1/keys HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
    assert say(target.url, f"{plain}{wrong}\r\n{right}\r\n\r\n".encode()).statuses == [401]
    assert say(target.url, f"{plain}{right}\r\n{wrong}\r\n\r\n".encode()).statuses == [200]
    assert target.stranger.get(f"/v1/keys?key=wrong&key={target.key}").status_code == 401
    assert target.stranger.get(f"/k/wrong/v1/keys?key={target.key}").status_code == 401


@pytest.mark.parametrize("host", ['evil"><script>', "evil.example", "x" * 10_000])
def test_a_foreign_host_is_in_no_answer(target: Target, host: str) -> None:
    for path in ("/ui/sign-in", "/v1/keys", "/docs", "/openapi.json"):
        heard = say(target.url, f"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n".encode())
        assert host.encode() not in heard.raw


@pytest.mark.parametrize("method", ["TRACE", "PUT", "DELETE", "PATCH", "OPTIONS", "PROPFIND"])
def test_other_methods_are_refused_and_nothing_is_echoed(target: Target, method: str) -> None:
    answer = target.admin.request(method, "/v1/verify", headers={"X-Secret": "do not echo"})
    assert answer.status_code == 405
    assert "do not echo" not in answer.text


def test_the_path_of_a_refusal_adds_no_header(target: Target) -> None:
    answer = target.admin.get("/%0d%0aSet-Cookie:%20a=b")
    assert (answer.status_code, answer.headers.get("set-cookie")) == (404, None)
