"""A small run whose verdicts and labels are known, with hostile names, and the audits of it."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import httpx2

from tests.pages.hostile import PAYLOADS

AUTHOR = "oracle <img src=x onerror=window.__ran=1>"
FORM = {"authorization": "Bearer none"}
"""No browser sends it by itself, so a form with it needs no token."""
COUNTS = {
    "right_accepted": 30,
    "right_rejected": 3,
    "right_missing": 2,
    "wrong_accepted": 4,
    "wrong_rejected": 20,
    "wrong_missing": 1,
}


@dataclass(frozen=True, slots=True)
class Planted:
    """A run of the verifier ``exact`` with its labels; records by the cell of the matrix that they belong to."""

    run: str
    records: dict[str, list[str]]


def plant(http: httpx2.Client, run: str) -> Planted:
    """Says what is in ``COUNTS`` and labels all of it."""
    cells = [cell for cell, count in COUNTS.items() for _ in range(count)]
    samples = [_sample(run, place, cell) for place, cell in enumerate(cells)]
    said = _ok(http.post("/v1/verify", json={"verifier": "exact", "run": run, "samples": samples}))["verdicts"]
    labels = [
        {"record": one["record"], "right": cell.startswith("right"), "annotator": AUTHOR, "source": AUTHOR}
        for one, cell in zip(said, cells, strict=True)
    ]
    _ok(http.post("/v1/labels", json={"labels": labels}))
    records: dict[str, list[str]] = {}
    for one, cell in zip(said, cells, strict=True):
        records.setdefault(cell, []).append(one["record"])
    return Planted(run, records)


def audited(http: httpx2.Client, spec: dict[str, Any], name: str = "") -> dict[str, Any]:
    """The audit as the API answers it, when it has ended."""
    audit = _ok(http.post("/v1/audits", json={"name": name, "audit": spec}))["id"]
    return ended(http, audit)


def ended(http: httpx2.Client, audit: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while _ok(http.get(f"/v1/audits/{audit}/progress"))["state"] in ("waiting", "running"):
        assert time.monotonic() < deadline, audit
        time.sleep(0.05)
    found: dict[str, Any] = _ok(http.get(f"/v1/audits/{audit}"))
    return found


def shown(http: httpx2.Client, path: str) -> Any:
    """The page's view model."""
    return _ok(http.get(path, headers={"accept": "application/json"}, follow_redirects=True))


def _sample(run: str, place: int, cell: str) -> dict[str, Any]:
    sample = {
        "prompt": f"{PAYLOADS[place % 50]} {run} {place}",
        "response": "yes" if cell.endswith("accepted") else f"no {place}",
        "data_source": PAYLOADS[place % 3],
        "group": f"{run} {place}",
    }
    return sample if cell.endswith("missing") else {**sample, "reference": "yes"}


def _ok(answer: httpx2.Response) -> Any:
    assert answer.status_code < 300, f"{answer.status_code}: {answer.text[:1000]}"
    return answer.json()
