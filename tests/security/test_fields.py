"""Fields of a head with values that nobody would send, drawn by chance: each request is answered, and nothing fails."""

from __future__ import annotations

import random

import pytest

from tests.security.conftest import BODY, Target
from tests.security.wire import say

FIELDS = (
    *("Accept", "Authorization", "Content-Encoding", "Content-Type", "Cookie", "Forwarded", "Host", "Idempotency-Key"),
    *("If-Modified-Since", "If-None-Match", "Last-Event-ID", "Origin", "Prefer", "Range", "TE", "X-Forwarded-For"),
    *("X-Forwarded-Host", "X-Forwarded-Proto", "X-HTTP-Method-Override", "X-Request-Id", "traceparent", "tracestate"),
)
VALUES = (
    *(b"", b" ", b"x", b"-1", b"NaN", b"null", b"{}", b"[", b"a,b", b"a;;;=", b"*/*;q=x", b"\xff", b"\xff\xfe=\x80"),
    *(b"a" * 7000, b"[::1", b"a]b", b"x:99999", b"x:abc", b"http://[", b"user@host", b"%00%ff", b"..", b"bytes=9-1"),
    *(b"Bearer", b"Bearer \xff", b"Basic /w==", b"Basic ====", b"Basic " + b"A" * 4000, b"Digest x"),
    *(b"application/json; charset=utf-16", b"application/json; charset=\xff", b"multipart/form-data; boundary=x"),
    *(b"gzip", b"br, gzip", b"00-" + b"0" * 32 + b"-" + b"0" * 16 + b"-01", b'"', b"W/\xff", b"DELETE"),
)
TARGETS = (
    *(("POST", "/v1/verify"), ("POST", "/v1/jobs"), ("POST", "/t/math/openrlhf"), ("POST", "/run_code")),
    *(("GET", "/v1/runs"), ("GET", "/ui/"), ("GET", "/metrics"), ("GET", "/health/live"), ("GET", "/docs")),
)
_EACH = 30


@pytest.mark.parametrize(("method", "path"), TARGETS)
def test_no_field_of_a_head_makes_the_service_fail(target: Target, method: str, path: str) -> None:
    draw = random.Random(path)
    body = BODY if method == "POST" else b""
    wrong = []
    for _ in range(_EACH):
        field, value = draw.choice(FIELDS), draw.choice(VALUES)
        lines = ["Connection: close", *([f"Content-Length: {len(body)}"] if body else [])]
        given = f"{field}: {value.decode('latin-1')}"
        head = target.head(*lines, given, method=method, target=path)
        if field == "Host" and draw.random() < 0.5:  # in the place of the right one, else beside it
            head = head.replace(b"Host: trueward\r\n", b"", 1)
        heard = say(target.url, head, body, answers=1)
        if len(heard.statuses) != 1 or heard.statuses[0] >= 500:
            wrong.append((field, value[:40], heard.raw[:200]))
    assert wrong == []
