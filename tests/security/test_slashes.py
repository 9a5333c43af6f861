"""A redirect to the path with a slash more or less names no host, keeps the key in front, and leads nowhere else."""

from __future__ import annotations

import re
from urllib.parse import urljoin

import pytest

from tests.security.conftest import BODY, Target
from tests.security.wire import say

_LOCATION = re.compile(rb"\r\nlocation: ([^\r]*)\r\n", re.IGNORECASE)


@pytest.mark.parametrize(
    ("path", "meant"),
    [
        ("/ui", "/ui/"),
        ("/ui/playground/", "/ui/playground"),
        ("/docs/", "/docs"),
        ("/v1/verify/?run=a%20b", "/v1/verify?run=a%20b"),
        ("/k/KEY/v1/verify/", "/k/KEY/v1/verify"),
    ],
)
def test_the_way_is_told_without_a_host(target: Target, path: str, meant: str) -> None:
    path, meant = path.replace("KEY", target.key), meant.replace("KEY", target.key)
    method = "POST" if "verify" in path else "GET"
    lines = f"{method} {path} HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    heard = say(target.url, lines.encode())
    [location] = _LOCATION.findall(heard.raw)
    assert heard.statuses == [307]
    assert b"evil" not in heard.raw
    assert urljoin(f"https://proxy.example{path}", location.decode()) == f"https://proxy.example{meant}"


@pytest.mark.parametrize(
    "path", ["//evil.example/", "//evil.example", "/evil.example//", "/%2e%2e/", "/v1/nothing/", "/\\evil.example/"]
)
def test_it_leads_to_nothing_that_is_not_there(target: Target, path: str) -> None:
    heard = say(target.url, f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n".encode())
    assert heard.statuses[0] in (400, 404)
    assert not _LOCATION.findall(heard.raw)


def test_a_call_that_follows_it_is_answered(target: Target) -> None:
    answer = target.stranger.post(f"/k/{target.key}/v1/verify/", content=BODY, follow_redirects=True)
    assert answer.json()["verdicts"][0]["outcome"] == "correct"
