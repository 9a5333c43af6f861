"""Requests that are broken by chance, byte by byte: whatever is refused says so in a problem document."""

from __future__ import annotations

import random

from tests.security.conftest import BODY, Target
from tests.security.wire import problems, say

COUNT = 200
INSERTED = (
    b"\r",
    b"\n",
    b"\r\n",
    b"\r\n\r\n",
    b"\0",
    b" ",
    b":",
    b"\t",
    b"\xff",
    b"\x7f",
    b",",
    b"chunked",
    b"HTTP/1.1",
)


def broken(draw: random.Random, whole: bytes) -> bytes:
    """One to three bytes of a request are lost, changed, doubled or added."""
    for _ in range(draw.randint(1, 3)):
        place = draw.randrange(len(whole))
        until = place + draw.choice((0, 1, 1, 7))
        put = draw.choice((b"", draw.choice(INSERTED), bytes([draw.randrange(256)]), whole[place:until] * 2))
        whole = whole[:place] + put + whole[until:]
    return whole


def test_whatever_is_refused_is_told_by_a_problem_document(target: Target) -> None:
    draw = random.Random(20_261_129)
    lines = ("Content-Type: application/json", f"Content-Length: {len(BODY)}", "Connection: close")
    refused = []
    for _ in range(COUNT):
        # what follows ends a body that was told too long; a service that is not told of an end may wait for it
        heard = say(target.url, broken(draw, target.head(*lines) + BODY), b"\r\n" * 200, answers=1)
        assert heard.statuses, "there is an answer"
        refused += problems(heard)
    codes = {problem.code for problem in refused}
    assert {"request_refused", "invalid_request", "unauthorized", "not_found"} <= codes, codes
    assert all(problem.status < 500 for problem in refused)
