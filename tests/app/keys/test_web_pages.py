"""Keyless on loopback, a web page that is open in a browser of this machine is no caller."""

from __future__ import annotations

import pytest

from tests.app.conftest import Api

BODY = b'{"verifier": "math", "samples": []}'


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example", "content-type": "text/plain"},
        {"origin": "null"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": "evil.example:8421"},
    ],
)
def test_a_request_that_a_browser_sends_for_another_site_is_refused(api: Api, headers: dict[str, str]) -> None:
    for path in ("/v1/verify", "/v1/keys"):
        answer = api.http.post(path, content=BODY, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert api.http.get("/v1/runs", headers=headers).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:8421", "[::1]:8421", "bench", "10.0.0.5:80"])
def test_the_services_own_page_and_local_clients_are_answered(api: Api, host: str) -> None:
    for headers in ({"host": host}, {"host": host, "origin": f"http://{host}"}):
        assert api.http.post("/v1/verify", content=BODY, headers=headers).status_code == 200
