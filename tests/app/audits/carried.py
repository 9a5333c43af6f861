"""An audit of a live service, waited for."""

from __future__ import annotations

import time
from typing import Any

import httpx2


def audited(http: httpx2.Client, audit: dict[str, Any]) -> dict[str, Any]:
    """The audit once it has ended, completed or failed."""
    answer = http.post("/v1/audits", json={"audit": audit})
    assert answer.status_code == 202, answer.text
    for _ in range(400):
        found: dict[str, Any] = http.get(f"/v1/audits/{answer.json()['id']}").json()
        if found["state"] in ("completed", "failed"):
            return found
        time.sleep(0.05)
    raise AssertionError(found)
