"""How a client reaches its service: headers, time, certificates, the key's file, and an HTTP client of one's own."""

from __future__ import annotations

import asyncio
import shutil
import ssl
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx2
import pytest

import trueward
from tests.app.kit.test_tls import Pair, made
from tests.client.fake_service import FakeService, Served
from trueward import AsyncClient, Client
from trueward.errors import ConnectionFailed, InvalidRequest

SAMPLE = {"response": "a", "reference": "a"}
Verify = Callable[..., Any]


def _verify(url: str, **options: Any) -> None:
    with Client(url, **options) as client:
        client.verify([SAMPLE], verifier="exact")


def _verify_async(url: str, **options: Any) -> None:
    async def ask() -> None:
        async with AsyncClient(url, **options) as client:
            await client.verify([SAMPLE], verifier="exact")

    asyncio.run(ask())


both = pytest.mark.parametrize("verify", [_verify, _verify_async])


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    if shutil.which("openssl") is None:
        pytest.skip("makes its certificates with the openssl command")
    return made(tmp_path_factory.mktemp("tls") / "own")


@both
def test_the_service_sees_the_version_and_the_headers_that_are_given(
    verify: Verify, url: str, service: FakeService
) -> None:
    verify(url, headers={"X-Team": "maths", "Authorization": "other"}, api_key="mine")
    headers = service.received[0].headers
    assert headers["user-agent"] == f"trueward/{trueward.__version__}"
    assert (headers["x-team"], headers["authorization"]) == ("maths", "Bearer mine")


def test_a_header_may_name_another_agent(url: str, service: FakeService) -> None:
    _verify(url, headers={"User-Agent": "trainer/1"})
    assert service.received[0].headers["user-agent"] == "trainer/1"


@both
def test_a_silent_service_is_given_up_after_the_time_that_is_allowed(
    verify: Verify, url: str, service: FakeService
) -> None:
    service.latency_s["0"] = 30.0
    started = time.monotonic()
    with pytest.raises(ConnectionFailed):
        verify(url, timeout_s=0.2, attempts=1)
    assert time.monotonic() - started < 10


def test_the_key_is_read_from_a_file(
    url: str, service: FakeService, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "key").write_text("tw_from_a_file\n")
    _verify(url, key_file=tmp_path / "key")
    monkeypatch.setenv("TRUEWARD_API_KEY_FILE", str(tmp_path / "key"))
    _verify(url)
    _verify(url, api_key="tw_argument")
    monkeypatch.setenv("TRUEWARD_API_KEY", "tw_variable")
    _verify(url)
    sent = [one.headers["authorization"] for one in service.received]
    assert sent == [f"Bearer tw_{key}" for key in ("from_a_file", "from_a_file", "argument", "variable")]


def test_a_file_that_cannot_be_read_is_named(url: str, tmp_path: Path) -> None:
    for name, field in (("key_file", "key_file"), ("verify", "verify"), ("certificate", "certificate")):
        options: dict[str, Any] = {name: tmp_path / "nothing"}
        with pytest.raises(InvalidRequest, match="nothing" if name != "certificate" else "cannot be read") as refusal:
            Client(url, **options)
        assert refusal.value.errors[0].field == field


@both
def test_authorities_and_a_certificate_of_the_client_are_taken(verify: Verify, pair: Pair) -> None:
    tls = {"ssl_certfile": pair.certificate, "ssl_keyfile": pair.key}
    asking = {"ssl_ca_certs": str(pair.certificate), "ssl_cert_reqs": ssl.CERT_REQUIRED}
    service = FakeService()
    with Served(service, **tls, **asking) as url:
        secure = url.replace("http://", "https://")
        with pytest.raises(ConnectionFailed):
            verify(secure, attempts=1)
        with pytest.raises(ConnectionFailed):
            verify(secure, attempts=1, verify=pair.certificate)
        verify(secure, verify=pair.certificate, certificate=(pair.certificate, pair.key))
    assert len(service.received) == 1


@both
def test_the_environments_authorities_are_trusted_on_loopback_too(
    verify: Verify, pair: Pair, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Served(FakeService(), ssl_certfile=pair.certificate, ssl_keyfile=pair.key) as url:
        secure = url.replace("http://", "https://")
        with pytest.raises(ConnectionFailed, match="SSL_CERT_FILE names a file with yours"):
            verify(secure, attempts=1)
        monkeypatch.setenv("SSL_CERT_FILE", str(pair.certificate))
        verify(secure, attempts=1)
        monkeypatch.setenv("SSL_CERT_FILE", "/nowhere.pem")
        with pytest.raises(InvalidRequest, match=r"/nowhere\.pem, which the environment names"):
            verify(secure, attempts=1)


@both
def test_the_wrong_scheme_is_told(verify: Verify, url: str, pair: Pair) -> None:
    with pytest.raises(ConnectionFailed, match="does the URL begin with http://"):
        verify(url.replace("http://", "https://"), attempts=1)
    with (
        Served(FakeService(), ssl_certfile=pair.certificate, ssl_keyfile=pair.key) as secure,
        pytest.raises(ConnectionFailed, match="does it speak HTTPS"),
    ):
        verify(secure.replace("https://", "http://"), attempts=1)


def test_an_http_client_that_is_given_sends_and_stays_open(url: str, service: FakeService) -> None:
    with httpx2.Client(headers={"X-Proxy": "yes"}, trust_env=False) as http:
        _verify(url, http_client=http, api_key="mine")
        assert not http.is_closed
        with pytest.raises(InvalidRequest, match="http_client"):
            Client(url, http_client=http, verify="authorities.pem")
    headers = service.received[0].headers
    assert (headers["x-proxy"], headers["authorization"]) == ("yes", "Bearer mine")


def test_an_http_client_that_awaits_is_taken_by_the_client_that_awaits(url: str, service: FakeService) -> None:
    async def ask() -> bool:
        async with httpx2.AsyncClient(headers={"X-Proxy": "yes"}, trust_env=False) as http:
            async with AsyncClient(url, http_client=http) as client:
                await client.verify([SAMPLE], verifier="exact")
            return http.is_closed

    assert not asyncio.run(ask())
    assert service.received[0].headers["x-proxy"] == "yes"
