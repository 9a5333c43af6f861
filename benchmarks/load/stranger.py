"""Somebody who wants little while others want too much: health, and one small verdict, on a new connection each time.

A second load tool beside :mod:`benchmarks.load.generator`: a process of its own with Python's own HTTP client.
``python -m benchmarks.load.stranger PORT SECONDS`` prints what it was told as JSON.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from dataclasses import dataclass, field

DEADLINE_S = 5.0
PAUSE_S = 0.2
_BODY = json.dumps(
    {"verifier": "exact", "deadline_s": DEADLINE_S, "samples": [{"response": "a", "reference": "a"}]}
).encode()


@dataclass(slots=True)
class Met:
    """Statuses, and seconds from the connecting to the whole answer."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)


def ask(port: int, seconds: float) -> dict[str, Met]:
    met = {"health": Met(), "metrics": Met(), "verdict": Met()}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        _one(port, "GET", "/health/live", None, met["health"])
        _one(port, "GET", "/metrics", None, met["metrics"])
        _one(port, "POST", "/v1/verify", _BODY, met["verdict"])
        time.sleep(PAUSE_S)
    return met


def _one(port: int, method: str, path: str, body: bytes | None, met: Met) -> None:
    began = time.perf_counter()
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60.0)
    try:
        connection.request(method, path, body)
        answer = connection.getresponse()
        answer.read()
        met.statuses.append(answer.status)
    finally:
        connection.close()
    met.seconds.append(time.perf_counter() - began)


class Stranger:
    """Asks beside what the block does; ``met`` is there afterwards."""

    def __init__(self, port: int, seconds: float) -> None:
        command = [sys.executable, "-m", "benchmarks.load.stranger", str(port), str(seconds)]
        self.met: dict[str, Met] = {}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)

    def wait(self) -> dict[str, Met]:
        told, _ = self._process.communicate(timeout=600)
        if self._process.returncode != 0:
            raise RuntimeError("the stranger failed")
        self.met = {name: Met(**fields) for name, fields in json.loads(told).items()}
        return self.met


if __name__ == "__main__":
    found = ask(int(sys.argv[1]), float(sys.argv[2]))
    print(json.dumps({name: {"statuses": met.statuses, "seconds": met.seconds} for name, met in found.items()}))
