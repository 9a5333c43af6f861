"""Ctrl-C ends a client that waits for a service which says nothing."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

_VERIFY = "verify([{'response': '1', 'reference': '1'}] * 40, verifier='exact', deadline_s=120)"
PROGRAMS = {
    "with a block": f"from trueward import Client\nwith Client(URL, chunk_samples=10) as client: client.{_VERIFY}",
    "without one": f"from trueward import Client\nClient(URL, chunk_samples=10).{_VERIFY}",
    "the command": "from trueward.cli import main\nmain(['verify', '--verifier=exact', '--file', FILE, '--url', URL])",
}


@pytest.fixture
def silent() -> Iterator[tuple[str, socket.socket]]:
    """A service that takes connections and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}", listener


@pytest.mark.parametrize("program", PROGRAMS.values(), ids=PROGRAMS)
def test_an_interrupt_ends_it(program: str, silent: tuple[str, socket.socket], tmp_path: Path) -> None:
    url, listener = silent
    file = tmp_path / "samples.jsonl"
    file.write_text('{"response": "1", "reference": "1"}\n' * 3000)
    # A shell that runs the suite in the background ignores SIGINT, and children inherit that.
    heeded = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heeded}\nURL, FILE = {url!r}, {str(file)!r}\n{program}"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    with listener.accept()[0], listener.accept()[0]:  # two chunks at least are under way
        began = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert process.returncode not in (0, None)
    assert time.monotonic() - began < 15
