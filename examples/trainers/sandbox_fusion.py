"""SandboxFusion's ``/run_code`` as verl calls it: three tries, but only after 504; whatever else fails is no pass."""

from __future__ import annotations

from trainers.manners import GaveUp, Line, Manners
from trainers.protocol import Client, Heard, Service, Task

SECONDS = 5


async def ask(line: Line, service: Service, task: Task) -> Heard:
    """The client compares what was printed; without an expected output it has nothing to compare."""
    body = {
        "compile_timeout": SECONDS,
        "run_timeout": SECONDS,
        "code": task.response,
        "stdin": "41\n",
        "memory_limit_MB": 1024,
        "language": "python",
        "files": {},
        "fetch_files": [],
    }
    try:
        said = await line.post(f"{service.url}/run_code", body)
    except GaveUp:
        return Heard(0.0)
    ran = said["run_result"] or {}
    passed = said["status"] == "Success" and (ran.get("stdout") or "").strip() == task.reference
    return Heard(float(passed), said["status"] == "SandboxError")


CLIENTS = (
    Client(
        "sandbox-fusion (verl)",
        "program",
        Manners(
            2 * SECONDS + 10.0,
            tries=3,
            pause_s=float,
            again=lambda status: status == 504,
            lost=False,
            keep_alive=False,
            headers={"Accept": "application/json"},
        ),
        ask,
    ),
)
