"""Where a key may be, and that logs never show it."""

from __future__ import annotations

import base64
import secrets

import pytest
from starlette.types import Scope

from app.keys.admission import read_key
from app.telemetry.logging import redact_keys


def _scope(path: str = "/v1/verify", query: str = "", authorization: str | None = None) -> Scope:
    headers = [(b"authorization", authorization.encode())] if authorization else []
    return {"type": "http", "path": path, "query_string": query.encode(), "headers": headers}


def _basic(credential: str) -> str:
    return "Basic " + base64.b64encode(credential.encode()).decode()


@pytest.mark.parametrize(
    ("scope", "key"),
    [
        (_scope(), None),
        (_scope(authorization="Bearer tw_1"), "tw_1"),
        (_scope(authorization="bearer tw_1"), "tw_1"),
        (_scope(query="a=b&key=tw_2"), "tw_2"),
        (_scope(query="monkey=tw_2"), None),
        (_scope(authorization=_basic("user:tw_3")), "tw_3"),
        (_scope(authorization=_basic("tw_3:")), "tw_3"),
        (_scope(authorization="Basic !!!"), None),
        (_scope(authorization="Digest x"), None),
    ],
)
def test_a_key_is_found_wherever_a_trainer_can_put_it(scope: Scope, key: str | None) -> None:
    assert read_key(scope) == key


@pytest.mark.parametrize(
    ("path", "query"), [("/k/tw_5/v1/verify", ""), ("/v1/verify", "key=tw_5"), ("/v1/verify", "run=a&key=tw_5&b=c")]
)
def test_logs_do_not_show_keys(path: str, query: str) -> None:
    assert "tw_5" not in redact_keys(path, query)
    assert "v1/verify" in redact_keys(path, query)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("//k/{}/v1/runs", ""),
        ("/K/{}/v1/runs", ""),
        ("/k/k/{}/v1/runs", ""),
        ("/v1/k/{}/runs", ""),
        ("/v1/runs", "KEY={}"),
        ("/v1/runs", "%6bey={}"),
    ],
)
def test_logs_do_not_show_a_key_in_the_wrong_place(path: str, query: str) -> None:
    key = f"tw_{secrets.token_urlsafe(24)}"
    assert key not in redact_keys(path.format(key), query.format(key))
    assert "runs" in redact_keys(path.format(key), query.format(key))
