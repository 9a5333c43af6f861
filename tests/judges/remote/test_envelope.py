"""What answers tell beside their content: waits, allowances, errors under 200, keys that are of no use."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judges.remote.envelope import Allowance, allowances, retry_after_s, status_of, tokens_of, without_access, words_of


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "2"}, 2.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "-1"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "9"}, 0.25),
        ({"retry-after": "Wed, 01 Jan 2020 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "inf"}, None),
        ({}, None),
    ],
)
def test_when_to_come_back(headers: dict[str, str], wait_s: float | None) -> None:
    assert retry_after_s(headers) == wait_s


@pytest.mark.parametrize(
    ("reset", "reset_s"), [("1s", 1.0), ("6m0s", 360.0), ("120ms", 0.12), ("1h2m3.5s", 3723.5), ("7", 7.0), ("?", 0.0)]
)
def test_what_is_left_as_openai_tells_it(reset: str, reset_s: float) -> None:
    headers = {f"x-ratelimit-{part}-tokens": said for part, said in {"limit": "100", "remaining": "40"}.items()}
    assert allowances({**headers, "x-ratelimit-reset-tokens": reset}) == {"tokens": Allowance(100, 40, reset_s)}


def test_what_is_left_as_anthropic_tells_it() -> None:
    name = "anthropic-ratelimit-requests"
    told = {f"{name}-limit": "50", f"{name}-remaining": "0", f"{name}-reset": "2020-01-01T00:00:00Z"}
    assert allowances(told) == {"requests": Allowance(50, 0, 0.0)}


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ('{"error": {"code": 502}}', 502),
        ('{"error": {"code": "429"}}', 429),
        ('{"error": {"code": "overloaded"}}', 500),
        ('{"error": {"code": 7}}', 500),
        ('{"error": "full"}', 500),
        ('{"choices": []}', 500),
        ('{"choices": null}', 500),
        ('{"choices": [{"message": {"content": "{"}, "finish_reason": "error"}]}', 500),
        ('{"choices": [{"error": {"code": 502}, "message": {"content": ""}, "finish_reason": "stop"}]}', 502),
        ('{"choices": [7]}', 200),
        ('{"choices": {"error": 1}}', 200),
        ('{"error": null, "choices": [{"text": "a"}]}', 200),
        ('{"choices": [{"message": {"content": "{\\"error\\": 1}"}}]}', 200),
        ('["error"]', 200),
        ('{"error"', 200),
    ],
)
def test_an_error_under_200_has_a_status(body: str, status: int) -> None:
    assert status_of(200, body.encode()) == status


@pytest.mark.parametrize(
    ("status", "error", "without"),
    [
        (401, "no", True),
        (402, "pay", True),
        (429, {"code": "insufficient_quota"}, True),
        (400, {"type": "invalid_api_key"}, True),
        (429, {"code": "rate_limit_exceeded"}, False),
        (429, {"message": "insufficient_quota"}, False),
        (403, {"message": "flagged"}, False),
        (500, {"code": "insufficient_quota"}, False),
    ],
)
def test_a_key_without_use_is_known_by_status_and_code_not_by_words(status: int, error: object, without: bool) -> None:
    assert without_access(status, json.dumps({"error": error}).encode()) is without


@settings(deadline=None)
@given(st.binary(max_size=60) | st.text(max_size=60).map(str.encode))
def test_whatever_a_body_is_it_is_read(body: bytes) -> None:
    assert 200 <= status_of(200, body) < 600
    assert isinstance(words_of(body), str)
    assert not without_access(200, body)


@settings(deadline=None)
@given(st.dictionaries(st.sampled_from(["retry-after", "x-ratelimit-reset-tokens"]), st.text(max_size=20)))
def test_whatever_a_header_says_no_wait_is_below_zero(headers: dict[str, str]) -> None:
    told = {"x-ratelimit-limit-tokens": "9", "x-ratelimit-remaining-tokens": "1", **headers}
    assert (retry_after_s(told) or 0.0) >= 0.0
    assert allowances(told)["tokens"].reset_s >= 0.0


def test_tokens_that_are_not_told_are_none() -> None:
    assert tokens_of({"usage": {"prompt_tokens": 3, "completion_tokens": 2}}) == (3, 2)
    assert tokens_of({"usage": {"prompt_tokens": "3"}}) == tokens_of([]) == (0, 0)
