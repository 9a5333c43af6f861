"""Starts and stops what is measured: Trueward as its users start it, the peers as uvicorn starts them.

Each server is new, on a free port of loopback, with an empty data directory of its own, and ends with its block,
however that ends.
"""

from __future__ import annotations

import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from benchmarks.processes import Tree, crash, stop

ROOT = Path(__file__).parents[1]
START_S = 300.0


@dataclass(slots=True)
class Server:
    """``survivors``: processes that the server left behind when it ended (they were killed then)."""

    port: int
    process: subprocess.Popen[bytes]
    log: Path
    survivors: list[int] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def tree(self) -> Tree:
        return Tree(self.process.pid)

    def get(self, path: str, timeout_s: float = 10.0) -> bytes:
        """Raises OSError where there is no answer of status 200."""
        with urllib.request.urlopen(self.url + path, timeout=timeout_s) as answer:
            body: bytes = answer.read()
            return body

    def crash(self) -> None:
        """kill -9."""
        self.survivors += crash(self.process)


@contextmanager
def trueward(data_dir: Path | None = None, tree: Path = ROOT, /, **settings: float | str) -> Iterator[Server]:
    """The service of a checkout with its settings (``workers=1``), the spinner installed beside it."""
    with tempfile.TemporaryDirectory(prefix="trueward-bench-", ignore_cleanup_errors=True) as scratch:
        port = free_port()
        command = [str(Path(sys.executable).with_name("trueward")), "serve", "--port", str(port)]
        variables = {f"TRUEWARD_{name.upper()}": str(value) for name, value in settings.items()}
        own = (tree / "benchmarks" / "plugin", tree, tree / "client" / "src", tree / "trainer" / "src")
        where = os.pathsep.join([*map(str, own), *filter(None, [os.environ.get("PYTHONPATH")])])
        env = {**os.environ, "TRUEWARD_LOG_LEVEL": "warning", "PYTHONPATH": where, **variables}
        with _started([*command, "--data-dir", str(data_dir or scratch)], port, env, Path(scratch), tree) as server:
            _wait(server, lambda: bool(server.get("/health/ready")))
            yield server


@contextmanager
def peer(app: str, processes: int) -> Iterator[Server]:
    """``benchmarks.peers.<app>`` in as many uvicorn processes."""
    with tempfile.TemporaryDirectory(prefix="trueward-bench-", ignore_cleanup_errors=True) as scratch:
        port = free_port()
        options = ["--port", str(port), "--workers", str(processes), "--log-level", "warning", "--no-access-log"]
        options += ["--timeout-keep-alive", "75"]  # as Trueward: on a busy machine a client comes back after a while
        command = [sys.executable, "-m", "uvicorn", f"benchmarks.peers.{app}:app", *options]
        with _started(command, port, dict(os.environ), Path(scratch)) as server:
            seen: set[int] = set()

            def all_answer() -> bool:
                seen.add(json.loads(server.get("/ready"))["pid"])
                return len(seen) == processes

            _wait(server, all_answer)
            yield server


@contextmanager
def _started(
    command: Sequence[str], port: int, env: dict[str, str], scratch: Path, tree: Path = ROOT
) -> Iterator[Server]:
    log = scratch / "server.log"
    with log.open("wb") as sink:
        process = subprocess.Popen(
            command,
            cwd=tree,
            env=env,
            stdin=subprocess.DEVNULL,
            stdout=sink,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = Server(port, process, log)
    try:
        yield server
    except Exception as failure:  # raised again, with the server's last words
        state = "is alive" if process.poll() is None else f"ended with {process.returncode}"
        failure.add_note(f"the server {state}; its log ends:\n{log.read_text(errors='replace')[-3000:]}")
        raise
    finally:
        server.survivors += stop(process)


class Servers(ExitStack):
    """Starts servers: a new one each time, or, not ``new``, one of each kind that stays to the end of the block."""

    def __init__(self, *, new: bool) -> None:
        super().__init__()
        self._new = new
        self._kept: dict[str, Server] = {}

    @contextmanager
    def started(self, kind: str, start: Callable[[], AbstractContextManager[Server]]) -> Iterator[Server]:
        if self._new:
            with start() as server:
                yield server
            return
        if kind not in self._kept:
            self._kept[kind] = self.enter_context(start())
        yield self._kept[kind]


def _wait(server: Server, ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and server.process.poll() is None:
        with suppress(OSError):
            if ready():
                return
        time.sleep(0.05)
    raise RuntimeError("the server did not start")


def free_port() -> int:
    """A port of loopback that nothing is bound to, and that the kernel gives to no outgoing connection meanwhile."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])  # of outgoing connections
    while True:
        port = lowest // 2 + secrets.randbelow(lowest // 2)
        with socket.socket() as listener, suppress(OSError):
            listener.bind(("127.0.0.1", port))
            return port
