"""Addresses and keys, the small calls, pickling, and what an import costs."""

from __future__ import annotations

import base64
import subprocess
import sys
from base64 import b64encode

import pytest

from tests.client.conftest import Ask
from tests.client.fake_service import FakeService
from trueward import AsyncClient, Client
from trueward.client.address import find_address
from trueward.errors import InvalidRequest


def test_url_and_key_come_from_the_environment(url: str, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEWARD_URL", url + "/")
    monkeypatch.setenv("TRUEWARD_API_KEY", " tw_secret\n")
    with Client() as client:
        client.verify([{}], verifier="exact")
    assert service.received[0].headers["authorization"] == "Bearer tw_secret"


def test_arguments_win_over_the_environment(url: str, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEWARD_URL", "http://127.0.0.1:1")
    monkeypatch.setenv("TRUEWARD_API_KEY", "other")
    with Client(url, api_key="mine") as client:
        client.verify([{}], verifier="exact")
    assert service.received[0].headers["authorization"] == "Bearer mine"


def test_user_info_of_the_url_is_sent(url: str, service: FakeService) -> None:
    with Client(url.replace("://", "://user:pass@")) as client:
        client.verify([{}], verifier="exact")
    expected = base64.b64encode(b"user:pass").decode()
    assert service.received[0].headers["authorization"] == f"Basic {expected}"


def test_without_a_key_nothing_is_sent(client: Client, service: FakeService) -> None:
    client.verify([{}], verifier="exact")
    assert "authorization" not in service.received[0].headers


@pytest.mark.parametrize("bad", [None, "", "localhost:8421", "ftp://x", "http://", "http://[::1"])
def test_a_url_that_is_none_is_refused_with_what_to_do(bad: str | None) -> None:
    for kind in (Client, AsyncClient):
        with pytest.raises(InvalidRequest) as refusal:
            kind(bad)
        assert refusal.value.errors[0].field == "url"


@pytest.mark.parametrize(
    ("url", "api_key"),
    [("", "a\nb"), ("/k/a%0Ab", None), ("/k/a%C3%A9", None), ("/?key=a%0D%0AX-Other:%20b", None)],
)
def test_a_key_that_no_header_can_carry_is_refused(url: str, api_key: str | None) -> None:
    with pytest.raises(InvalidRequest, match="printable"):
        Client(f"http://127.0.0.1:1{url}", api_key=api_key)


@pytest.mark.parametrize(
    ("url", "api_key", "plain", "authorization"),
    [
        ("http://host:8421/k/tw_secret/", None, "http://host:8421", "Bearer tw_secret"),
        ("http://host/base/k/tw_secret", None, "http://host/base", "Bearer tw_secret"),
        ("http://host/?key=tw_secret", None, "http://host", "Bearer tw_secret"),
        ("http://user:pass@host:8421/k/tw_secret/?key=tw_secret", "tw_key", "http://host:8421", "Bearer tw_key"),
        ("http://tw_user:tw%40secret@host", None, "http://host", f"Basic {b64encode(b'tw_user:tw@secret').decode()}"),
    ],
)
def test_a_credential_of_the_url_becomes_a_header(
    url: str, api_key: str | None, plain: str, authorization: str
) -> None:
    address = find_address(url, api_key)
    assert (address.shown, address.headers) == (plain, {"Authorization": authorization})
    assert "tw" not in str(address.url) + repr(address) + repr(Client(url, api_key=api_key))


@pytest.mark.parametrize("form", ["{0}/k/tw_secret", "{0}?key=tw_secret", "http://user:tw_secret@{1}"])
def test_no_log_of_a_trainer_shows_a_credential(
    form: str, service: FakeService, url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    with Client(form.format(url, url.removeprefix("http://"))) as client:
        client.verify([{"response": "a", "reference": "a"}], verifier="exact")
    assert "/v1/verify" in caplog.text
    assert "tw_secret" not in caplog.text


@pytest.mark.parametrize(
    ("url", "trusted"), [("http://127.0.0.1:1", False), ("http://[::1]:1", False), ("http://a.b", True)]
)
def test_a_proxy_is_never_asked_for_this_machine(url: str, trusted: bool) -> None:
    assert find_address(url, None).trust_env is trusted


def test_a_path_of_the_url_is_kept(service: FakeService, url: str) -> None:
    from starlette.applications import Starlette
    from starlette.routing import Mount

    from tests.client.fake_service import Served

    class Mounted(FakeService):
        def app(self) -> Starlette:
            return Starlette(routes=[Mount("/rewards", app=service.app())])

    with Served(Mounted()) as url, Client(f"{url}/rewards") as client:
        assert client.verify([{"response": "a", "reference": "a"}], verifier="exact")[0].score == 1.0


def test_small_calls(ask: Ask) -> None:
    assert [info.name for info in ask("verifiers")] == ["exact"]
    assert [run.id for run in ask("runs", after="r0", limit=5)] == ["r/1"]
    assert ask("run", "r 1?").id == "r 1?"
    assert ask("health").ready


def test_a_service_that_is_not_ready_reports_why(ask: Ask, service: FakeService) -> None:
    from tests.client.fake_service import Fault

    report = '{"ready": false, "checks": [{"name": "ledger", "ok": false, "detail": "disk full"}]}'
    service.faults = [Fault(503, report, {"content-type": "application/json"})]
    readiness = ask("health")
    assert not readiness.ready
    assert readiness.checks[0].detail == "disk full"


def test_importing_trueward_loads_neither_http_nor_retries() -> None:
    script = "import sys, trueward; print([name for name in ('httpx2', 'stamina', 'typer') if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_unknown_names_of_the_package_are_attribute_errors() -> None:
    import trueward

    with pytest.raises(AttributeError, match="no attribute 'Clientele'"):
        _ = trueward.Clientele
