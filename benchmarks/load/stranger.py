"""Somebody who wants little while others want too much: health, and one small verdict, on a new connection each time.

A second load tool beside :mod:`benchmarks.load.generator`: a process of its own with Python's own HTTP client.
``python -m benchmarks.load.stranger PORT SECONDS PID`` prints what it was told as JSON. Where an answer is late, the
kernel knows for how long this process and the main thread of the service, ``PID``, were ready to run meanwhile and had
no core (``/proc/PID/schedstat``): so long it was not the service that kept it waiting.
"""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path

DEADLINE_S = 5.0
PAUSE_S = 0.2
_BODY = json.dumps(
    {"verifier": "exact", "deadline_s": DEADLINE_S, "samples": [{"response": "a", "reference": "a"}]}
).encode()
_CALLS = (
    ("health", "GET", "/health/live", None),
    ("metrics", "GET", "/metrics", None),
    ("verdict", "POST", "/v1/verify", _BODY),
)


@dataclass(slots=True)
class Met:
    """Statuses, seconds from the connecting to the whole answer, and those without a core, by who had none."""

    statuses: list[int] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    starved_s: list[float] = field(default_factory=list)
    service_starved_s: list[float] = field(default_factory=list)

    @property
    def longest(self) -> dict[str, float]:
        """The longest call, and how much of it each was without a core."""
        if not self.seconds:
            return {}
        at = self.seconds.index(max(self.seconds))
        return {
            "seconds": self.seconds[at],
            "stranger_without_core_s": self.starved_s[at],
            "service_without_core_s": self.service_starved_s[at],
        }


def ask(port: int, seconds: float, service: int) -> dict[str, Met]:
    met = {"health": Met(), "metrics": Met(), "verdict": Met()}
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        for name, method, path, body in _CALLS:
            own_s, service_s = _starved_s("self"), _starved_s(str(service))
            _one(port, method, path, body, met[name])
            met[name].starved_s.append(_starved_s("self") - own_s)
            met[name].service_starved_s.append(_starved_s(str(service)) - service_s)
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


def _starved_s(process: str) -> float:
    """Seconds that the first thread of a process was ready to run and had no core, since its start."""
    return int(Path(f"/proc/{process}/schedstat").read_text().split()[1]) / 1e9


class Stranger:
    """Asks beside what the block does; ``met`` is there afterwards."""

    def __init__(self, port: int, seconds: float, service: int) -> None:
        command = [sys.executable, "-m", "benchmarks.load.stranger", str(port), str(seconds), str(service)]
        self.met: dict[str, Met] = {}
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE)

    def wait(self) -> dict[str, Met]:
        told, _ = self._process.communicate(timeout=600)
        if self._process.returncode != 0:
            raise RuntimeError("the stranger failed")
        self.met = {name: Met(**fields) for name, fields in json.loads(told).items()}
        return self.met


if __name__ == "__main__":
    found = ask(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
    print(json.dumps({name: asdict(met) for name, met in found.items()}))
