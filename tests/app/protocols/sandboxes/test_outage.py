"""A sandbox that is killed in the middle of a batch costs no program its verdict, or gives none: never a wrong one."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import httpx2
import psutil

from tests.live import serving


def test_killing_the_sandbox_in_the_middle_of_a_batch_makes_nothing_incorrect(tmp_path: Path) -> None:
    program = "```python\nimport time\ntime.sleep(0.2)\nprint(int(input()) + {})\n```"
    samples = [
        {"response": program.format(n), "reference": {"stdio": [{"stdin": "1\n", "stdout": f"{n + 1}\n"}]}}
        for n in range(24)
    ]
    with serving(tmp_path) as live, httpx2.Client(base_url=live.url, timeout=60.0) as client:
        stopped = threading.Event()
        killer = threading.Thread(target=_kill_sandboxes, args=(live.process.pid, stopped))
        killer.start()
        try:
            verdicts = client.post("/v1/verify", json={"verifier": "code", "samples": samples}).json()["verdicts"]
        finally:
            stopped.set()
            killer.join()
        assert {verdict["outcome"] for verdict in verdicts} <= {"correct", "error"}
        assert all(verdict["score"] is None for verdict in verdicts if verdict["outcome"] == "error")
        [after] = client.post("/v1/verify", json={"verifier": "code", "samples": samples[:1]}).json()["verdicts"]
        assert after["outcome"] == "correct"
        assert "trueward_sandbox_failures 0.0" not in client.get("/metrics").text


def _kill_sandboxes(service: int, stopped: threading.Event) -> None:
    """Kills whatever runs the sandbox's server, three times."""
    for _ in range(3):
        time.sleep(0.4)
        for process in psutil.Process(service).children(recursive=True):
            try:
                if "-S" in process.cmdline():
                    process.kill()
            except psutil.Error:
                continue
        if stopped.is_set():
            return
