"""Keyless on loopback, a web page that is open in a browser of this machine is no caller, whatever name it came by; and
what else becomes of a request before its route is found."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from app.http.entrance import Entrance
from app.keys.admission import read_key
from app.settings import Settings
from tests.app.conftest import Api
from tests.live import serving
from tests.security.wire import say
from tests.services import Keyed

BODY = b'{"verifier": "math", "samples": []}'
NAMES_OF_OTHERS = [
    "evil.example",
    "evil.example:8421",
    "evil.xn--p1ai",
    "evil.com2",
    "evil.123a",
    "ai",
    "ai.",
    "bench-of-somebody",
    "[::1].evil.com",
    "127.0.0.1.evil.com",
    "localhost.evil.com",
    "evillocalhost",
    "127.0.0.256",
    "0x7f.1",
    "[127.0.0.1]",
    "%31.evil",
    "",
    ":8421",
]
NO_HOSTS = [
    "[::1",
    "a]b",
    "http://[",
    "[[::1]]",
    "a:b",
    "::1",
    "me@127.0.0.1",
    "127.0.0.1/x",
    "evil example",
    "\xe9vil",
]
PATHS = ["/", "/v1/runs", "/ui/", "/ui/ledger", "/docs", "/openapi.json", "/metrics", "/no/route"]
"""But ``/health/live``, which says the same to everybody, whatever the loop is at."""


@pytest.fixture(scope="module")
def proxied(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving(tmp_path_factory.mktemp("hosts"), allowed_hosts='["Reward.example"]', sandbox="off") as live:
        yield live.url


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example", "content-type": "text/plain"},
        {"origin": "http://127.0.0.1"},
        {"origin": "null"},
        {"origin": "chrome-extension://abcdefgh"},
        {"origin": "file://"},
        {"host": "evil.example", "origin": "http://evil.example"},
        {"host": "evil.example:8421"},
    ],
)
def test_a_request_that_a_browser_sends_for_another_site_is_refused(api: Api, headers: dict[str, str]) -> None:
    for path in ("/v1/verify", "/v1/keys", "/run_code", "/ui/sign-in"):
        answer = api.http.post(path, content=BODY, headers=headers)
        assert (answer.status_code, answer.json()["code"]) == (403, "forbidden")
    assert api.http.get("/v1/runs", headers=headers).status_code == 403


@pytest.mark.parametrize("host", NAMES_OF_OTHERS)
def test_a_name_that_a_page_may_have_made_its_own_leads_nowhere(api: Api, host: str) -> None:
    for path in PATHS:
        for headers in ({"host": host, "accept": "text/html"}, {"host": host, "origin": f"http://{host}"}):
            answer = api.http.get(path, headers=headers)
            assert (answer.status_code, answer.json()["code"]) == (403, "forbidden"), path
            assert "TRUEWARD_ALLOWED_HOSTS" in answer.json()["detail"]
    for path in ("/v1/verify", "/run_code", "/v1/models", "/k/key/v1/keys", "/t/math/openrlhf"):
        assert api.http.post(path, content=BODY, headers={"host": host}).status_code == 403


@pytest.mark.parametrize("host", NO_HOSTS)
def test_what_is_no_host_is_a_malformed_request(api: Api, host: str) -> None:
    for path in PATHS:
        answer = api.http.get(path, headers={b"host": host.encode("latin-1")})
        assert (answer.status_code, answer.json()["code"]) == (400, "request_refused")
        assert answer.json()["errors"][0]["field"] == "header.host"
        assert answer.headers["x-request-id"] == answer.json()["request_id"]


@pytest.mark.parametrize("origin", ["http://[", "http://a]b", "evil", "", "http://a http://b", "http://me@a", "//a"])
def test_what_is_no_origin_is_a_malformed_request(api: Api, keyed: Keyed, origin: str) -> None:
    for path in ("/v1/verify", "/ui/sign-in"):
        answer = api.http.post(path, content=BODY, headers={"origin": origin})
        assert (answer.status_code, answer.json()["errors"][0]["field"]) == (400, "header.origin")
        asked = httpx2.post(f"{keyed.url}{path}", content=BODY, headers={"origin": origin}, trust_env=False)
        assert asked.status_code == 400


@pytest.mark.parametrize(
    ("head", "status"),
    [
        ("GET /v1/runs HTTP/1.1\r\n", 400),
        ("GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: 127.0.0.1\r\n", 400),
        ("GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nHost: evil.example\r\n", 400),
        ("GET /v1/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nOrigin: http://127.0.0.1\r\nOrigin: http://a\r\n", 400),
        ("GET /v1/runs HTTP/1.0\r\nHost: 127.0.0.1\r\n", 200),
        ("GET /v1/runs HTTP/1.0\r\n", 403),
        ("GET http://evil.example/v1/runs HTTP/1.1\r\nHost: evil.example\r\n", 403),
    ],
)
def test_a_request_has_one_host(api: Api, head: str, status: int) -> None:
    heard = say(api.url, f"{head}Connection: close\r\n\r\n".encode())
    assert heard.statuses == [status]
    if status == 400:
        assert b'"field":"header.' in heard.raw


def test_with_keys_it_has_one_too_and_may_have_any_name(keyed: Keyed) -> None:
    two = "GET /v1/runs HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n"
    assert say(keyed.url, two.encode()).statuses == [400]
    for host in ("evil.xn--p1ai", "reward.example:443"):
        answer = httpx2.get(f"{keyed.url}/k/{keyed.admin}/v1/runs", headers={"host": host}, trust_env=False)
        assert answer.status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "127.0.0.1",
        "127.0.0.1.",
        "localhost:8421",
        "LOCALHOST:8421",
        "localhost.",
        "bench.localhost:8421",
        "[::1]:8421",
        "10.0.0.5:80",
        socket.gethostname(),
        socket.gethostname().upper() + ":8421",
    ],
)
def test_the_services_own_page_and_local_clients_are_answered(api: Api, host: str) -> None:
    for headers in ({"host": host}, {"host": host, "origin": f"http://{host.lower()}"}):
        assert api.http.post("/v1/verify", content=BODY, headers=headers).status_code == 200


def test_a_name_that_a_setting_allows_is_answered_with_its_own_pages_alone(proxied: str) -> None:
    for host in ("reward.example", "reward.example:443", "REWARD.example"):
        assert httpx2.get(f"{proxied}/v1/runs", headers={"host": host}, trust_env=False).status_code == 200
    own = {"host": "reward.example", "origin": "https://reward.example"}
    assert httpx2.post(f"{proxied}/v1/verify", content=BODY, headers=own, trust_env=False).status_code == 200
    for headers in ({**own, "origin": "https://evil.example"}, {"host": "www.reward.example"}, {"host": "example"}):
        answer = httpx2.post(f"{proxied}/v1/verify", content=BODY, headers=headers, trust_env=False)
        assert answer.status_code == 403


@pytest.mark.parametrize("host", ["http://x", "x:80", "*", "", "a..b", "m\xfcller.example"])
def test_a_setting_that_names_no_host_is_refused(host: str) -> None:
    with pytest.raises(ValueError, match="is no host name"):
        Settings(allowed_hosts=(host,))


async def test_a_service_that_lets_in_whoever_reaches_it_has_any_name() -> None:
    """Off loopback and without keys: somebody said so, and was warned."""
    passed: list[str] = []

    async def reached(scope: object, receive: object, send: object) -> None:
        passed.append("reached")

    guard = Entrance(reached, Settings(host="0.0.0.0", auth="none"), (), lambda *_: None)
    transport = httpx2.ASGITransport(guard)
    async with httpx2.AsyncClient(transport=transport, base_url="http://trueward:8421") as http:
        with pytest.raises(AssertionError):  # it answers nothing
            await http.get("/v1/runs")
    assert passed == ["reached"]


def test_a_refusal_is_counted_and_logged(api: Api) -> None:
    def refused() -> float:
        lines = api.get("/metrics").text.splitlines()
        return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith("trueward_problems_total{"))

    before = refused()
    assert api.get("/v1/runs", host="evil.xn--p1ai").status_code == 403
    assert refused() == before + 1


def test_settings_ask_for_keys_off_loopback_unless_told_otherwise(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "::", "", "10.0.0.5", "reward.example", "localhost.example", "Localhost", "127.1"):
        assert Settings(host=host, data_dir=tmp_path).needs_keys, host
    for host in ("127.0.0.1", "127.9.9.9", "::1", "localhost"):
        assert not Settings(host=host, data_dir=tmp_path).needs_keys, host
    assert Settings(host="0.0.0.0", auth="none").open_to_all
    with pytest.raises(ValueError, match="would let in whoever reaches"):
        Settings(host="0.0.0.0", auth="none", environment="production", secret="x" * 32)


async def reached_as(**request: object) -> Scope:
    """What the application behind the entrance is called with."""
    seen: list[Scope] = []

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        seen.append(scope)

    async def nothing() -> dict[str, object]:
        return {}

    async def drop(message: object) -> None:
        return None

    headers = [(b"host", b"localhost")]
    asked = {"method": "GET", "path": "/", "query_string": b"", "headers": headers, **request}
    scope = {"type": "http", "http_version": "1.1", **asked}
    await Entrance(app, Settings(), (), lambda *_: None)(scope, nothing, drop)
    return seen[0]


async def test_a_key_before_the_path_is_taken_off_it() -> None:
    seen = await reached_as(path="/k/tw_4/t/math/openrlhf")
    assert seen["path"] == "/t/math/openrlhf"
    assert read_key(seen) == "tw_4"


async def test_no_part_of_the_target_has_a_nul() -> None:
    seen = await reached_as(path="/v1/runs/a\0b", query_string=b"run=%00&step=1")
    assert (seen["path"], seen["query_string"]) == ("/v1/runs/a\ufffdb", b"run=%EF%BF%BD&step=1")
