"""A service of the demo's own, on a free port, in a process of its own."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType
from typing import NoReturn

from rich.console import Console

from trueward import Client
from trueward.errors import TruewardError

_START_S = 300.0
"""A busy machine takes minutes; a process that ends is noticed at once."""


@contextmanager
def serving(data_dir: Path) -> Iterator[str]:
    """Its URL, once it is ready; it ends with the block, which a SIGTERM ends as Ctrl-C does. For the main thread."""
    before = signal.signal(signal.SIGTERM, _leave)
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [sys.executable, "-m", "trueward.cli", "serve", "--port", str(port), "--data-dir", str(data_dir)]
    quiet = {**os.environ, "TRUEWARD_LOG_LEVEL": "warning"}
    process = subprocess.Popen(command, env=quiet, start_new_session=True)  # noqa: S603 - our own command
    url = f"http://127.0.0.1:{port}"
    try:
        _wait_until_ready(url, process)
        yield url
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(timeout=30)
        signal.signal(signal.SIGTERM, before)


@contextmanager
def stoppable() -> Iterator[None]:
    """Ctrl-C in the block ends the program with a word, where Python would print where it was."""
    try:
        yield
    except KeyboardInterrupt:
        print("\nStopped.", file=sys.stderr)
        raise SystemExit(128 + signal.SIGINT) from None


def stay(console: Console, pages: str) -> None:
    """On a terminal, waits for Ctrl-C and says what can be looked at meanwhile."""
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        console.print("\nThe demo's service ends here (on a terminal it stays); `make serve` runs your own.")
        return
    console.print(f"\n{pages}\nCtrl-C stops it.")
    try:
        signal.pause()
    except KeyboardInterrupt:
        console.print("Stopped.")


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    raise SystemExit(128 + number)


def _wait_until_ready(url: str, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + _START_S
    with Client(url, attempts=1) as client:
        while time.monotonic() < deadline and process.poll() is None:
            # it answers while it starts, too: that it is not ready
            with suppress(TruewardError):
                if client.health().ready:
                    return
            time.sleep(0.1)
    raise SystemExit("the service did not become ready; its output is above")
