"""Bodies that cost more than they weigh: compressed, deep, of millions of parts, in numbers and texts of no use."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Callable

import pytest

from app.kit.body import MAX_CONTAINERS
from tests.security.conftest import BODY, MAX_BODY_BYTES, Target
from tests.security.wire import say, say_all

MANY = MAX_CONTAINERS + 1


def sample(reference: bytes) -> bytes:
    return b'{"verifier":"exact","samples":[{"response":"a","reference":' + reference + b"}]}"


@pytest.mark.parametrize(
    ("coding", "packed"),
    [("gzip", gzip.compress), ("deflate", zlib.compress), ("br", gzip.compress), ("gzip, gzip", gzip.compress)],
)
def test_nothing_is_unpacked(target: Target, coding: str, packed: Callable[[bytes], bytes]) -> None:
    """The answer says by which header the body cannot be read."""
    bomb = packed(b" " * 2**26 + BODY)
    before = target.memory()
    refusal = target.post(bomb, content_encoding=coding)
    assert refusal.status_code == 422
    assert [error["field"] for error in refusal.json()["errors"]] == ["header.content-encoding"]
    assert target.memory() - before < 50 * 2**20


def test_a_body_over_the_bound_is_refused_whatever_it_says_of_its_length(target: Target) -> None:
    assert target.post(b'{"a":"' + b"a" * MAX_BODY_BYTES + b'"}').status_code == 413
    piece = b"10000\r\n" + b" " * 65_536 + b"\r\n"
    heard = say_all(
        target.url, [target.head("Transfer-Encoding: chunked"), *[piece] * (MAX_BODY_BYTES // 65_536 + 2)], 1
    )
    assert heard.statuses[:1] == [413]


def test_who_promises_a_long_body_is_not_given_room_for_it(target: Target) -> None:
    before = target.memory()
    heard = say(target.url, target.head(f"Content-Length: {2**40}", "Expect: 100-continue"), answers=1)
    assert b"HTTP/1.1 100 " in heard.raw or heard.statuses
    assert target.memory() - before < 50 * 2**20


@pytest.mark.parametrize(
    "body",
    [
        b'{"verifier":"exact","samples":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
        sample(b'"\\ud800",' + b'"metadata":' + b'{"a":' * 900 + b"1" + b"}" * 900),
        sample(b"9" * 1_000_000),
        sample(b"1e999"),
        sample(b"NaN"),
        sample(b"-Infinity"),
        b'{"verifier":"exact","deadline_s":Infinity,"samples":[]}',
        b'{"verifier":"exact","run":"r","step":1180591620717411303424,"samples":[]}',
        b'{"verifier":"exact","' + b"n" * 1_000_000 + b'":1,"samples":[]}',
        b'{"verifier":"' + b"n" * 1_000_000 + b'","samples":[]}',
        sample(b'"\xff\xfe"'),
        BODY.decode().encode("utf-16"),
        BODY.decode().encode("utf-32"),
        b"\xef\xbb\xbf" + BODY,
        b"verifier=exact&samples=",
        b"\0" * 1000,
        b"",
    ],
    ids=[
        "brackets",
        "objects behind a half character",
        "a million digits",
        "beyond a double",
        "NaN",
        "Infinity",
        "an endless deadline",
        "a step beyond 64 bits",
        "an unknown name of a megabyte",
        "a verifier of a megabyte",
        "no UTF-8",
        "UTF-16",
        "UTF-32",
        "a byte order mark",
        "a form",
        "NULs",
        "nothing",
    ],
)
def test_what_is_no_request_is_refused_in_few_words(target: Target, body: bytes) -> None:
    answer = target.post(body)
    assert answer.status_code == 422
    assert len(answer.content) < 10_000
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(
    "body",
    [
        b'{"verifier":"exact","samples":[' + b"{}," * MANY + b"{}]}",
        sample(b'"a","metadata":{"a":[' + b"[]," * MANY + b"[]]}"),
        sample(b'"\\u0000","metadata":{"a":[' + b"[]," * MANY + b"[]]}"),
        b'{"verifier":"exact","samples":[{"response":[' + b"{}," * MANY + b"{}]}]}",
        b'{"verifier":"exact","samples":[' + b"{}," * 100_000 + b"{}]}",
        b"{" + b",".join(b'"n%d":1' % index for index in range(100_000)) + b"}",
    ],
    ids=["samples", "metadata", "metadata with a NUL", "messages", "fewer samples", "names"],
)
@pytest.mark.parametrize("path", ["/v1/verify", "/v1/rewards"])
def test_millions_of_parts_are_refused_before_they_are_made(target: Target, path: str, body: bytes) -> None:
    before = target.memory()
    assert target.post(body, path).status_code == 413
    assert target.memory() - before < 150 * 2**20


def test_thousands_of_wrong_fields_are_counted_not_listed(target: Target) -> None:
    answer = target.post(b'{"verifier":"exact","samples":[{"response":[' + b'{"x":1},' * 50_000 + b"{}]}]}")
    assert answer.status_code == 422
    assert len(answer.content) < 10_000


def test_a_long_name_is_not_copied_for_each_of_its_items(target: Target) -> None:
    name = b"n" * (MAX_BODY_BYTES // 4)
    answer = target.post(sample(b'"\\u0000","metadata":{"' + name + b'":[' + b"1," * 1_000_000 + b"1]}"))
    assert answer.json()["verdicts"][0]["outcome"] == "abstained"


def test_of_a_name_that_repeats_the_last_counts_for_all_who_read_it(target: Target) -> None:
    """What is judged is what is stored: one parser reads the body, once."""
    body = b'{"verifier":"exact","samples":[{"id":"x","id":"y","response":"wrong","response":"a","reference":"a"}]}'
    [verdict] = target.post(body).json()["verdicts"]
    stored = target.admin.get(f"/v1/verdicts/{verdict['record']}").text
    assert (verdict["id"], verdict["outcome"]) == ("y", "correct")
    assert "wrong" not in stored


@pytest.mark.parametrize("text", ["\x00", "\ud800", "\udfff\ud800", "\u202e\u2066", "a\r\nb: c", "\x1b[31m", "\u2028"])
def test_any_text_is_judged_and_kept(target: Target, text: str) -> None:
    body = json.dumps({"verifier": "exact", "samples": [{"id": text, "response": text, "reference": text}]}).encode()
    answer = target.post(body)
    assert answer.status_code == 200
    record = answer.json()["verdicts"][0]["record"]
    assert target.admin.get(f"/v1/verdicts/{record}").status_code == 200


def test_a_job_of_a_million_lines_is_bounded_by_what_it_may_hold(target: Target) -> None:
    head = b'{"verifier":"exact"}\n'
    answer = target.admin.post(
        "/v1/jobs", content=head + b"[" * 3_000_000 + b"\n", headers={"content-type": "application/x-ndjson"}
    )
    assert answer.status_code in (413, 422)
