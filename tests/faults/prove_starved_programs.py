"""Programs that are right, on a host that keeps them from running: too busy, standing still, or stopping them."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from functools import partial
from uuid import uuid4

import httpx2
import psutil
import pytest
from pydantic import JsonValue

from tests.faults.test_kill_processes import jails
from tests.live import Service, serving

Victims = Callable[[Service], list[psutil.Process]]
WALL_S, WORK_S = 1.5, 1.0
STOPPED_S = 2 * WALL_S
WORK = f"import time\nuntil = time.process_time() + {WORK_S}\nwhile time.process_time() < until: pass\n"
SQUARE = "def f(n):\n    " + WORK.replace("\n", "\n    ") + "return n * n\n"
INTERACTOR: JsonValue = {"language": "python", "source": "print(7, flush=True)\nassert input() == '49'"}
RIGHT: dict[str, tuple[str, JsonValue]] = {
    "stdio": (f"{WORK}n = int(input())\nprint(n * n)", {"stdio": [{"stdin": "7", "stdout": "49"}]}),
    "calls": (SQUARE, {"calls": [{"function": "f", "args": [7], "expected": 49}]}),
    "assertions": (SQUARE, {"assertions": ["assert f(7) == 49"]}),
    "interactive": (f"{WORK}n = int(input())\nprint(n * n)", {"interactive": {"interactor": INTERACTOR}}),
}


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("service")) as started:
        yield started


@contextmanager
def crowd(service: Service) -> Iterator[None]:
    """Four busy processes for each core."""
    cores = len(os.sched_getaffinity(0))
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(4 * cores)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


def programs(service: Service) -> list[psutil.Process]:
    """What runs in the jails, and nothing of what runs them: server, keepers and slots."""
    running = []
    for process in jails(service.process.pid):
        with suppress(psutil.NoSuchProcess):
            if len(above(service, process)) > 2:
                running.append(process)
    return running


def above(service: Service, process: psutil.Process) -> list[psutil.Process]:
    """Those between the service and it, its parent last."""
    parents = process.parents()
    return parents[: [parent.pid for parent in parents].index(service.process.pid)][::-1]


def itself(service: Service) -> list[psutil.Process]:
    return [psutil.Process(service.process.pid)]


@contextmanager
def stopping(victims: Victims, service: Service, *, whole: bool = False, once: bool = True) -> Iterator[None]:
    """Stops them in the middle of their work for longer than a test may take, ``whole`` with all above them.

    ``once``: each but one time.
    """
    ended = threading.Event()
    before: set[psutil.Process] = set()

    def stop() -> None:
        while not ended.wait(WORK_S / 2):
            found = [process for process in victims(service) if process not in before]
            before.update(found if once else ())
            with suppress(psutil.NoSuchProcess):
                found = [each for one in found for each in (*(above(service, one) if whole else ()), one)]
            _to_all(found, psutil.Process.suspend)
            if found:
                time.sleep(STOPPED_S)
            _to_all(found, psutil.Process.resume)

    thread = threading.Thread(target=stop)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _to_all(processes: Sequence[psutil.Process], act: Callable[[psutil.Process], None]) -> None:
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            act(process)


FAULTS: dict[str, Callable[[Service], AbstractContextManager[None]]] = {
    "a busy host": crowd,
    "programs that are stopped": partial(stopping, programs),
    "jails that are stopped": partial(stopping, programs, whole=True),
    "a service that stands still": partial(stopping, itself, once=False),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_no_right_program_is_told_wrong(
    fault: Callable[[Service], AbstractContextManager[None]],
    service: Service,
    record_property: Callable[[str, object], None],
) -> None:
    samples = [
        {"id": f"{kind}-{number}", "response": f"```python\n{code}\n# {uuid4()}\n```", "reference": reference}
        for number in range(2)
        for kind, (code, reference) in RIGHT.items()
    ]
    body = {"verifier": "code", "params": {"limits": {"wall_s": WALL_S}}, "deadline_s": 240, "samples": samples}
    with fault(service):
        answer = httpx2.post(f"{service.url}/v1/verify", json=body, timeout=300.0, trust_env=False)
    answer.raise_for_status()
    told = {verdict["id"]: (verdict["score"], verdict["reason_code"]) for verdict in answer.json()["verdicts"]}
    record_property("told", sorted(Counter(told.values()).items(), key=str))
    assert {score for score, _ in told.values()} <= {1.0, None}, told
    assert (1.0, "all_passed") in told.values(), told
