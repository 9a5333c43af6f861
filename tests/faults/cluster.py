"""A PostgreSQL cluster of the test's own, to be killed, stopped and filled: own data, port and user."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import psutil

from tests.faults.footprint import assert_gone, kill
from tests.live import free_port

_START_S = 60.0
_SETTINGS = "max_connections=60"


@dataclass(frozen=True, slots=True)
class Cluster:
    data: Path
    host: str
    port: int
    _running: list[subprocess.Popen[bytes]] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"postgresql://postgres@{self.host}:{self.port}/postgres"

    @property
    def local_url(self) -> str:
        """By its socket: through whatever becomes of the network."""
        return f"postgresql://postgres@/postgres?host={self.data}&port={self.port}"

    def admit(self, network: str) -> None:
        """Lets a network in, from the next start or reload on."""
        with (self.data / "pg_hba.conf").open("a") as rules:
            rules.write(f"host all all {network} trust\n")
        self.sql("SELECT pg_reload_conf()")

    def start(self) -> None:
        """Returns when it answers; after a kill that is when its crash recovery is through."""
        options: list[str | Path] = [
            "-p",
            str(self.port),
            "-k",
            self.data,
            "-c",
            f"listen_addresses={self.host}",
            "-c",
            _SETTINGS,
        ]
        with (self.data / "server.log").open("ab") as log:
            self._running.append(
                subprocess.Popen(
                    [*_as_postgres(), _program("postgres"), "-D", self.data, *options],
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
            )
        deadline = time.monotonic() + _START_S
        while not self.answers():
            assert time.monotonic() < deadline, (self.data / "server.log").read_text()[-2000:]
            time.sleep(0.1)

    def stop(self, how: signal.Signals) -> None:
        """SIGINT ends its sessions, SIGQUIT does not even write a checkpoint."""
        self._running[-1].send_signal(how)
        self._running[-1].wait(timeout=_START_S)

    def sql(self, statement: str) -> None:
        _command("psql", "-h", self.data, "-p", str(self.port), "-X", "-q", "-c", statement)

    def processes(self) -> list[psutil.Process]:
        """The postmaster first, then all that it started; none where it does not run."""
        if not self._running or self._running[-1].poll() is not None:
            return []
        postmaster = psutil.Process(self._running[-1].pid)
        return [postmaster, *postmaster.children(recursive=True)]

    def kill(self) -> None:
        """kill -9 of everything at once, as a machine that fails does it to them."""
        found = self.processes()
        for process in found:
            kill(process)
        self._running[-1].wait()
        assert_gone(found)

    def answers(self) -> bool:
        """Whether it takes connections."""
        asked: list[str | Path] = [_program("pg_isready"), "-q", "-h", self.data, "-p", str(self.port)]
        return subprocess.run(asked).returncode == 0


@contextmanager
def cluster(host: str = "127.0.0.1", data: Path | None = None) -> Iterator[Cluster]:
    """A running cluster, in ``data`` (an empty directory) or a temporary one; removed at the end."""
    folder = data or Path(tempfile.mkdtemp(prefix="trueward-cluster-"))
    if os.geteuid() == 0:
        shutil.chown(folder, "postgres", "postgres")
    made = Cluster(folder, host, free_port())
    try:
        _command("initdb", "-D", folder, "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "-U", "postgres", "-N")
        made.start()
        yield made
    finally:
        if made.processes():
            made.stop(signal.SIGQUIT)
        if data is None:
            shutil.rmtree(folder)


def _command(name: str, *arguments: str | Path) -> None:
    command = [*_as_postgres(), _program(name), *arguments]
    done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, f"{name} {arguments} ended with {done.returncode}: {done.stderr}"


def _program(name: str) -> Path:
    found = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"))
    assert found, f"PostgreSQL's {name} is missing: run `make postgres`"
    return found[-1]


def _as_postgres() -> list[str]:
    """What becomes the command by PostgreSQL's own user: none of its programs runs as root."""
    return ["setpriv", "--reuid=postgres", "--regid=postgres", "--init-groups"] if os.geteuid() == 0 else []
