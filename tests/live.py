"""A real service in a process of its own, for tests that need what only a process has: signals, a port, a log."""

from __future__ import annotations

import atexit
import functools
import os
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile
from types import MappingProxyType
from typing import BinaryIO, TextIO

import httpx2

from benchmarks.servers import free_port as free_port
from tests.template import Fork, Template

INSTALLED = Path(sys.executable).parent / "trueward"
COMMAND = INSTALLED
START_S = 300.0
STARTED: list[str] = []
"""The URL of each service that this process has started, for the count in :mod:`tests.durations`."""


@dataclass(frozen=True, slots=True)
class Service:
    """Where it answers, its process, and the file with what it printed."""

    url: str
    process: subprocess.Popen[bytes] | Fork
    log: Path

    @property
    def data_dir(self) -> Path:
        return self.log.parent


_TEMPLATE_LOCK = threading.Lock()


def template() -> Template:
    """What the services of this process are forks of. Replicas start in threads, and all are forks of one."""
    with _TEMPLATE_LOCK:
        return _template()


@functools.cache
def _template() -> Template:
    made = Template()
    atexit.register(made.close)
    return made


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


def start(
    args: Sequence[str],
    stdout: BinaryIO,
    stderr: BinaryIO,
    variables: Mapping[str, str] = MappingProxyType({}),
    prefix: Sequence[str | Path] = (),
) -> subprocess.Popen[bytes] | Fork:
    """The command ``trueward`` with these arguments: a fork of the template, where that would import the same."""
    environment = {**os.environ, **variables}
    command = [str(COMMAND), *args]
    if not prefix and COMMAND == INSTALLED and template().serves(environment):
        return template().start(command, environment, stdout.fileno(), stderr.fileno())
    return subprocess.Popen(
        [*prefix, *command], stdin=subprocess.DEVNULL, stdout=stdout, stderr=stderr, env=environment
    )


def run(
    *args: str, timeout_s: float = 120.0, variables: Mapping[str, str] = MappingProxyType({})
) -> subprocess.CompletedProcess[str]:
    """The command to its end, with variables of the environment, and what it printed."""
    with TemporaryFile() as stdout, TemporaryFile() as stderr:
        process = start(args, stdout, stderr, variables)
        try:
            code = process.wait(timeout_s)
        finally:
            process.kill()
        told = []
        for file in (stdout, stderr):
            file.seek(0)
            told.append(file.read().decode())
    return subprocess.CompletedProcess(args, code, *told)


@contextmanager
def victim(module: str, *args: str) -> Iterator[tuple[Fork, TextIO]]:
    """A module of the tests, run in a process of its own, and what it prints; killed at the end of the block."""
    read, write = os.pipe()
    with os.fdopen(read, encoding="utf-8") as printed:
        try:
            process = template().start([module, *args], os.environ, write, 2, module)
        finally:
            os.close(write)
        try:
            yield process, printed
        finally:
            process.kill()
            process.wait()


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
        process = start(["serve", "--port", str(port), "--data-dir", str(data_dir)], sink, sink, variables, prefix)
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
    made = run("keys", "create", "first", "--scope", "admin", "--data-dir", str(data_dir))
    made.check_returncode()
    return made.stdout.split()[-1]
