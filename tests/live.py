"""A real service in a process of its own, for tests that need what only a process has: signals, a port, a log."""

from __future__ import annotations

import os
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

COMMAND = Path(sys.executable).parent / "trueward"
START_S = 300.0
STARTED: list[str] = []
"""The URL of each service that this process has started, for the count in :mod:`tests.durations`."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where it answers, its process, and the file with what it printed."""

    url: str
    process: subprocess.Popen[bytes]
    log: Path

    @property
    def data_dir(self) -> Path:
        return self.log.parent


def free_port() -> int:
    """A port on loopback that nothing listened on a moment ago."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def wait_until_ready(
    url: str,
    start_s: float = START_S,
    alive: Callable[[], bool] = lambda: True,
    trusted: ssl.SSLContext | None = None,
) -> None:
    """Returns when ``/health/ready`` answers 200; fails after ``start_s`` seconds, or when it is dead."""
    deadline = time.monotonic() + start_s
    word = "nothing"
    # one client: to make one reads all certificates, which takes as long as thirty questions
    with httpx2.Client(base_url=url, timeout=5.0, trust_env=False, verify=trusted or True) as http:
        while time.monotonic() < deadline and alive():
            try:
                answer = http.get("/health/ready")
            except httpx2.TransportError as refused:
                word = repr(refused)
            else:
                if answer.status_code == 200:
                    return
                word = answer.text
            time.sleep(0.05)
    raise AssertionError(f"{url} is not ready, its last word: {word}")


@contextmanager
def serving(
    data_dir: Path,
    *,
    port: int | str | None = None,
    prefix: Sequence[str | Path] = (),
    certificate: str | Path | None = None,
    **settings: str,
) -> Iterator[Service]:
    """A ready service on a port of loopback; settings become TRUEWARD_ variables. Ends with the block.

    ``certificate``: it speaks TLS by its settings, and this is the file with its certificate.
    ``prefix`` is a command that runs the service's, such as ``env`` or ``prlimit``: it must become it.
    """
    port = int(port or free_port())
    log = data_dir / "service.log"
    variables = {f"TRUEWARD_{name.upper()}": value for name, value in settings.items()}
    with log.open("ab") as sink:
        process = subprocess.Popen(
            [*prefix, COMMAND, "serve", "--port", str(port), "--data-dir", data_dir],
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            env={**os.environ, **variables},
        )
    scheme, trusted = "http", None
    if certificate is not None:
        scheme, trusted = "https", ssl.create_default_context(cafile=str(certificate))
    service = Service(f"{scheme}://127.0.0.1:{port}", process, log)
    STARTED.append(service.url)
    try:
        try:
            wait_until_ready(service.url, alive=lambda: process.poll() is None, trusted=trusted)
        except AssertionError as dead:
            raise AssertionError(f"{dead}\n{log.read_text(errors='replace')[-3000:]}") from None
        yield service
    finally:
        process.terminate()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def first_key(data_dir: Path) -> str:
    """An administrator's key, made on the machine that has the database."""
    command = [str(COMMAND), "keys", "create", "first", "--scope", "admin", "--data-dir", str(data_dir)]
    made = subprocess.run(command, capture_output=True, text=True, check=True)
    return made.stdout.split()[-1]
