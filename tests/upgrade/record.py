"""Fills a service of some release by HTTP alone, and writes down each call with its answer.

Run it against a service on a fresh data directory, and kill the service with SIGKILL as soon as it ends, so that work
is in flight::

    python tests/upgrade/record.py http://127.0.0.1:8911 calls.jsonl && kill -9 SERVICE

Then pack the database (``sqlite3 trueward.db .dump``) and the calls; ``tests/upgrade/test_upgrade.py`` says where.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Any

import httpx2

RECIPE = {
    "terms": [
        {"verifier": "math", "name": "answer", "weight": 1.0},
        {"verifier": "format", "name": "form", "weight": 0.25, "params": {"tags": ["think", "answer"]}},
        {"verifier": "length", "name": "length", "weight": 0.001},
    ],
    "shaping": [{"method": "clip", "term": "length", "low": 0.0, "high": 100.0}, {"method": "z_score"}],
    "group": {"rules": [{"rule": "dynamic_sampling"}]},
    "range": [0.0, 1.25],
    "invalid": 0.0,
    "missing": "mean",
}
NOISY = {
    "terms": [
        {
            "verifier": "exact",
            "noise": {"method": "backward", "false_positive": 0.02, "false_negative": 0.1},
        }
    ]
}
ANSWERS = (
    "\\boxed{{{n}/2}}",
    "\\boxed{{{n}}}",
    "<think>halve</think><answer>\\boxed{{\\frac{{{n}}}{{2}}}}</answer>",
    "no idea",
)


class Recorder:
    """Calls that are remembered, with their bodies and answers."""

    def __init__(self, url: str) -> None:
        self.http = httpx2.Client(base_url=url, timeout=120.0, trust_env=False)
        self.calls: list[dict[str, Any]] = []

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        answer = self.http.request(method, path, json=body, headers=headers)
        is_json = answer.headers.get("content-type", "").partition(";")[0] == "application/json"
        said = json.loads(answer.text) if is_json else answer.text
        if answer.status_code >= 400:
            raise SystemExit(f"{method} {path}: {answer.status_code} {answer.text[:2000]}")
        self.calls.append(
            {
                "method": method,
                "path": path,
                "body": body,
                "headers": headers,
                "status": answer.status_code,
                "answer": said,
            }
        )
        return said

    def until(self, path: str, *ends: str) -> Any:
        """The resource at ``path`` once its state is one of ``ends``."""
        while True:
            said = json.loads(self.http.get(path).text)
            if said["state"] in ends:
                return said
            time.sleep(0.05)


def samples(step: int) -> list[dict[str, Any]]:
    """Two prompts of four responses each, and one response without a reference."""
    made: list[dict[str, Any]] = [
        {
            "id": f"{step}-{n}-{place}",
            "group": f"{step}-{n}",
            "prompt": f"What is half of {n}?",
            "response": answer.format(n=n),
            "reference": f"{n}/2",
            "data_source": "halves",
            "policy_version": f"ckpt-{step // 2}",
        }
        for n in (2 * step + 1, 2 * step + 3)
        for place, answer in enumerate(ANSWERS)
    ]
    return [*made, {"id": f"{step}-lost", "group": f"{step}-lost", "prompt": "What?", "response": "\\boxed{1}"}]


def fill(record: Recorder) -> None:
    call = record.call
    call("PUT", "/v1/recipes/halves", RECIPE)
    for step in range(6):
        body = {"recipe": "halves", "run": "old/run", "step": step, "samples": samples(step)}
        rewards = call("POST", "/v1/rewards", body)["rewards"]
    call("POST", "/v1/rewards", {"recipe": NOISY, "run": "old/noisy", "step": 0, "samples": samples(0)})
    for verifier in ("math", "exact"):
        whole = [sample for step in range(6) for sample in samples(step)]
        call("POST", "/v1/verify", {"verifier": verifier, "run": "old/verify", "samples": whole})
    repeated = {"recipe": "math", "run": "old/repeated", "samples": samples(1)}
    call("POST", "/v1/rewards", repeated, **{"Idempotency-Key": "step-1"})
    call("POST", "/t/math/openrlhf", {"query": ["q \\boxed{2}"], "prompts": ["q"], "labels": ["2"]})
    call("POST", "/t/math/slime", {"prompt": "q", "response": "\\boxed{2}", "label": "2"})
    call("GET", f"/v1/verdicts/{rewards[0]['record']}/explanation")

    draw = {
        "name": "of old/verify",
        "subject": {"verifier": "exact"},
        "population": {"run": "old/verify"},
        "queries": [{"query": "disagreement", "other": {"verifier": "math"}, "probability": 1.0}],
        "rest": 0.5,
        "seed": 3,
    }
    drawn = call("POST", "/v1/labels/draws", draw)["id"]
    for _ in range(20):
        item = call("POST", f"/v1/labels/draws/{drawn}/next", {"annotator": "ann"})
        right = "/2" in item["response"] or "frac" in item["response"]
        call("POST", f"/v1/labels/draws/{drawn}/items/{item['position']}", {"annotator": "ann", "right": right})
    held = call("POST", f"/v1/labels/draws/{drawn}/next", {"annotator": "ann"})
    assert held, "an item stays held"

    audits = (
        {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": "old/verify"}},
        {
            "kind": "exploit",
            "subject": {"verifier": "math"},
            "given": {"population": {"run": "old/verify"}},
            "probes": ["boxes"],
        },
        {"kind": "metamorphic", "subject": {"verifier": "math"}, "given": {"population": {"run": "old/verify"}}},
        {
            "kind": "reverify",
            "population": {"run": "old/verify"},
            "subject": {"verifier": "math"},
            "before": {"verifier": "exact"},
        },
    )
    for audit in audits:
        started = call("POST", "/v1/audits", {"audit": audit, "name": f"old {audit['kind']}"})
        record.until(f"/v1/audits/{started['id']}", "completed", "failed")
    call("PUT", "/v1/watches/old", {"run": "old/*", "every_s": 3600})
    call(
        "PUT",
        "/v1/references",
        {"record": rewards[3]["record"], "reference": "11/2", "reason": "a slip", "annotator": "ann"},
    )
    call("POST", "/v1/projects", {"name": "second"})
    call("POST", "/v1/keys", {"name": "trainer", "scopes": ["score"], "samples_per_minute": 100000})

    job = {"recipe": "halves", "run": "old/job", "samples": [sample for step in range(3) for sample in samples(step)]}
    done = call("POST", "/v1/jobs", job)["id"]
    record.until(f"/v1/jobs/{done}", "completed")
    for path in PATHS:
        call("GET", path)
    call("GET", f"/v1/jobs/{done}/results")
    symbolic = [
        {
            "id": str(n),
            "prompt": "p",
            "response": f"\\boxed{{\\sqrt{{{n}}} + x^{{{n % 7}}}}}",
            "reference": f"x^{{{n % 7}}}+{n}^{{1/2}}",
        }
        for n in range(2, 402)
    ]
    call("POST", "/v1/jobs", {"verifier": "math", "run": "old/in-flight", "samples": symbolic})
    time.sleep(0.3)


PATHS = (
    "/v1/runs",
    "/v1/runs/old%2Frun",
    "/v1/runs/old%2Frun/watch",
    "/v1/recipes/halves",
    "/v1/recipes/halves/versions",
    "/v1/rewards?run=old%2Frun&step=3",
    "/v1/verdicts?run=old%2Fverify&verifier=exact&limit=20",
    "/v1/labels?limit=20",
    "/v1/labels/draws",
    "/v1/audits",
    "/v1/watches",
    "/v1/references",
    "/v1/jobs",
    "/v1/keys",
    "/v1/projects",
    "/v1/prompts?run=old%2Frun",
)


if __name__ == "__main__":
    recorder = Recorder(sys.argv[1])
    fill(recorder)
    lines = [json.dumps(call, ensure_ascii=False) for call in recorder.calls]
    Path(sys.argv[2]).write_text("\n".join(lines) + "\n", encoding="utf-8")
