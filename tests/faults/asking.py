"""Questions beside a load: a service at work may refuse them for a moment, and is asked again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import httpx2

BODY = {"verifier": "exact", "samples": [{"id": "a", "response": "4", "reference": "4"}]}
PATIENCE_S = 30.0
SLEEPER = "```python\nimport time\ntime.sleep(60)\nprint(input())\n```"
SLEEP = {
    "verifier": "code",
    "deadline_s": 4.0,
    "samples": [{"response": SLEEPER, "reference": {"stdio": [{"stdin": "1\n", "stdout": "1\n"}]}}],
}


def judged(http: httpx2.Client, body: object, **headers: str) -> dict[str, Any]:
    """The answer. Sent again while the service refuses work beside the load, as every client does."""
    refused_until = time.monotonic() + PATIENCE_S
    while (answer := http.post("/v1/verify", json=body, headers=headers)).status_code == 503:
        assert time.monotonic() < refused_until, answer.text
        time.sleep(float(answer.headers["Retry-After"]))
    assert answer.status_code == 200, answer.text
    told: dict[str, Any] = answer.json()
    return told


@contextmanager
def asked(http: httpx2.Client, body: object) -> Iterator[Future[dict[str, Any]]]:
    """The answer to a question that is on its way in the block, and there at its end."""
    with ThreadPoolExecutor(1) as thread:
        question = thread.submit(judged, http, body)
        yield question
        question.result(timeout=2 * PATIENCE_S)
