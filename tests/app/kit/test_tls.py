"""HTTPS by two settings: the service speaks it while it starts and afterwards, and bad files are named."""

from __future__ import annotations

import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from pydantic import ValidationError

from app.kit.tls import tls_context
from app.settings import Settings
from tests.live import START_S, free_port, run, start
from trueward.errors import Unusable

OPENSSL = shutil.which("openssl")
pytestmark = pytest.mark.skipif(OPENSSL is None, reason="makes its certificates with the openssl command")
HELD = {"input": ["1+1?"], "query": ["1+1? \\boxed{2}"], "prompts": ["1+1?"], "labels": ["2"]}


@dataclass(frozen=True, slots=True)
class Pair:
    certificate: Path
    key: Path


def made(folder: Path, *options: str) -> Pair:
    """A certificate that signs itself, for this machine."""
    folder.mkdir()
    pair = Pair(folder / "certificate.pem", folder / "key.pem")
    files = ["-keyout", str(pair.key), "-out", str(pair.certificate)]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1"]
    kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-days", "2"]
    command = [str(OPENSSL), "req", "-x509", *kind, *files, *names, *(options or ("-nodes",))]
    subprocess.run(command, check=True, capture_output=True)
    return pair


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Pair:
    return made(tmp_path_factory.mktemp("tls") / "own")


@pytest.fixture(scope="module")
def secure(pair: Pair, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port of a service that begins to start, and its log."""
    folder, port = tmp_path_factory.mktemp("secure"), free_port()
    variables = {
        "TRUEWARD_TLS_CERTIFICATE": str(pair.certificate),
        "TRUEWARD_TLS_KEY": str(pair.key),
        "TRUEWARD_SANDBOX": "off",
    }
    with (folder / "log").open("wb") as log:
        process = start(["serve", "--port", str(port), "--data-dir", str(folder / "data")], log, log, variables)
    try:
        yield port, folder / "log"
    finally:
        process.terminate()
        process.wait(timeout=60)


def test_https_is_spoken_from_the_first_answer_on(secure: tuple[int, Path], pair: Pair) -> None:
    port, log = secure
    trusted = ssl.create_default_context(cafile=str(pair.certificate))
    with httpx2.Client(base_url=f"https://localhost:{port}", verify=trusted, trust_env=False, timeout=60.0) as http:
        deadline = time.monotonic() + START_S
        while True:
            try:
                first = http.get("/health/live")
                break
            except httpx2.ConnectError:
                assert time.monotonic() < deadline, log.read_text()
                time.sleep(0.05)
        assert first.json() == {"status": "live"}
        # a trainer's call, which is kept until the service is there
        assert http.post("/t/math/openrlhf", json=HELD).json()["rewards"] == [1.0]
        assert http.get("/health/ready").status_code == 200
        own = {"origin": f"https://localhost:{port}"}
        body = {"verifier": "exact", "samples": [{"response": "a", "reference": "a"}]}
        assert http.post("/v1/verify", json=body, headers=own).json()["verdicts"][0]["score"] == 1.0
        [cookie] = http.get("/ui/playground").headers.get_list("set-cookie")
        assert "Secure" in cookie
    assert f'"url": "https://127.0.0.1:{port}"' in log.read_text()
    with pytest.raises(httpx2.TransportError):
        httpx2.get(f"http://localhost:{port}/health/live", trust_env=False)


def test_bad_files_are_named(pair: Pair, tmp_path: Path) -> None:
    other = made(tmp_path / "other")
    secret = made(tmp_path / "encrypted", "-passout", "pass:words")
    with pytest.raises(Unusable, match=r"TRUEWARD_TLS_KEY: .*nothing\.pem: No such file"):
        tls_context(pair.certificate, tmp_path / "nothing.pem")
    with pytest.raises(Unusable, match=r"TRUEWARD_TLS_CERTIFICATE: .*: Is a directory"):
        tls_context(tmp_path, pair.key)
    for certificate, key in (
        (pair.certificate, other.key),
        (pair.key, pair.certificate),
        (secret.certificate, secret.key),
    ):
        with pytest.raises(Unusable, match="are no certificate and its key") as refusal:
            tls_context(certificate, key)
        assert "\n" not in refusal.value.detail


def test_one_without_the_other_is_refused_with_the_settings(pair: Pair) -> None:
    for given in ({"tls_certificate": pair.certificate}, {"tls_key": pair.key}):
        with pytest.raises(ValidationError, match="set both, or neither"):
            Settings.model_validate(given)


def test_a_start_with_a_bad_file_ends_in_one_line(pair: Pair, tmp_path: Path) -> None:
    variables = {"TRUEWARD_TLS_CERTIFICATE": str(pair.certificate), "TRUEWARD_TLS_KEY": str(tmp_path / "nothing")}
    done = run("serve", "--port", str(free_port()), "--data-dir", str(tmp_path), variables=variables)
    assert done.returncode == 4
    assert done.stderr.startswith("trueward: TRUEWARD_TLS_KEY: ")
    assert len(done.stderr.splitlines()) == 1
