"""URLs and paths that a caller has the service open: only what the service's keeper meant to be opened."""

from __future__ import annotations

import pytest

from tests.security.conftest import Target

CLOSED = (
    "http://169.254.169.254/latest/meta-data/",
    "http://[fe80::1]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::a9fe:a9fe]/",
    "http://100.100.100.200/",
    "http://[fd00:ec2::254]/",
    "http://0.0.0.0/",
    "http://[::]/",
    "http://224.0.0.1/",
)
NO_SERVER = (
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_x",
    "ftp://a/",
    "http://",
    "http:///x",
    "//a/b",
    "javascript:x",
)
OWN = ("http://127.0.0.1:5432/", "http://127.1.2.3/", "http://[::1]/", "http://[::ffff:7f00:1]/")


@pytest.mark.parametrize("url", [*CLOSED, *NO_SERVER, *OWN, "http://user:password@hooks.example.com/"])
def test_a_webhook_leads_to_no_closed_address_nor_to_the_services_own_machine(target: Target, url: str) -> None:
    answer = target.admin.put("/v1/watches/w", json={"run": "r", "webhook": url})
    assert answer.status_code == 422
    assert "webhook" in answer.text


@pytest.mark.parametrize("url", [*CLOSED, *NO_SERVER, "http://user:password@judge.example.com/"])
def test_a_model_server_is_at_no_closed_address(target: Target, url: str) -> None:
    entry = {"name": "m", "kind": "causal", "backend": "vllm", "url": url}
    answer = target.admin.post("/v1/models", json=entry)
    assert answer.status_code == 422
    assert '"field":"url"' in answer.text


@pytest.mark.parametrize("scope", ["score", "view", "label"])
def test_only_an_administrator_names_servers_and_files(target: Target, scope: str) -> None:
    key = {"Authorization": f"Bearer {target.new_key(scope)}"}
    entry = {"name": "m", "kind": "causal", "backend": "vllm", "url": "http://judge.example.com/"}
    assert target.stranger.post("/v1/models", json=entry, headers=key).status_code == 403
    answer = target.stranger.post("/v1/models/m/weights", json={"path": "/etc/passwd"}, headers=key)
    assert answer.status_code == 403


def test_no_parameter_of_a_verifier_is_an_address(target: Target) -> None:
    """Judges name models that an administrator registered: a request cannot bring a server of its own."""
    listed = target.admin.get("/v1/verifiers").json()["verifiers"]
    named = {
        f"{verifier['name']}.{field}"
        for verifier in listed
        for field in verifier["params"].get("properties", {})
        if any(word in field for word in ("url", "endpoint", "host", "address", "path", "file"))
    }
    assert named == set()


@pytest.mark.parametrize(
    "path", ["/etc/passwd", "/", "../../etc", "models/../../etc", "/proc/self/environ", "a\0b", "~root"]
)
def test_with_keys_and_no_roots_no_path_is_opened(target: Target, path: str) -> None:
    answer = target.admin.post("/v1/models", json={"name": "m", "kind": "reward", "path": path})
    assert answer.status_code == 422
    assert "root:" not in answer.text


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../secret", "/etc", "a\0", ".hidden", "-rf", "a\n"])
def test_a_models_name_is_no_path(target: Target, name: str) -> None:
    entry = {"name": name, "kind": "causal", "backend": "vllm", "url": "http://judge.example.com/"}
    answer = target.admin.post("/v1/models", json=entry)
    assert answer.status_code == 422
