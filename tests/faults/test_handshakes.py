"""Connections that never end their TLS handshake: bounded in number and time, and others are answered."""

from __future__ import annotations

import socket
import ssl
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx2
import pytest

from tests.app.kit.test_tls import OPENSSL, made
from tests.faults.footprint import assert_no_growth, footprint
from tests.live import serving

pytestmark = pytest.mark.skipif(OPENSSL is None, reason="makes its certificate with the openssl command")

CONNECTIONS = 20
READ_S = 3.0
CLIENT_HELLO = b"\x16\x03\x01\x00\xa0"
"""How one begins."""

BODY = {"verifier": "exact", "samples": [{"response": "4", "reference": "4"}]}


@contextmanager
def silent(port: int, count: int) -> Iterator[None]:
    """So many connections, of which every other one begins a handshake."""
    with ExitStack() as stack:
        for number in range(count):
            connection = stack.enter_context(socket.create_connection(("127.0.0.1", port)))
            if number % 2:
                connection.sendall(CLIENT_HELLO)
        yield


def test_handshakes_that_never_end_have_their_time_and_their_number(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    pair = made(tmp_path / "own")
    trusted = ssl.create_default_context(cafile=str(pair.certificate))
    settings = {
        "tls_certificate": str(pair.certificate),
        "tls_key": str(pair.key),
        "sandbox": "off",
        "read_s": str(READ_S),
        "max_connections": str(CONNECTIONS),
    }
    with serving(tmp_path, certificate=pair.certificate, **settings) as service:
        before = footprint(service.process.pid)

        def ask() -> float:
            """Seconds until a new client had its answer."""
            begun = time.monotonic()
            with httpx2.Client(base_url=service.url, verify=trusted, timeout=60.0, trust_env=False) as http:
                assert http.post("/v1/verify", json=BODY).json()["verdicts"][0]["score"] == 1.0
            return time.monotonic() - begun

        record_property("answered beforehand_s", round(ask(), 2))
        with silent(int(service.url.rpartition(":")[2]), 2 * CONNECTIONS):
            waited_s = ask()
            record_property("answered behind them_s", round(waited_s, 2))
            # those before it had their time twice over, half of them at a time
            assert READ_S <= waited_s < 3 * READ_S + 5.0
            assert_no_growth(service.process.pid, before)  # it ended them, they did not
            record_property("answered afterwards_s", round(ask(), 2))
        assert_no_growth(service.process.pid, before)
