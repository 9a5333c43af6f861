"""Somebody who labels with a browser's manners, and draws for them to label."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

import httpx2

GOING_ON = re.compile(r"/ui/labels/(\w+)/(\d+)(?:\?note=(\w+))?$")


@dataclass
class Labeller:
    """One browser: it keeps cookies, carries the form's token, and follows where a form leads."""

    http: httpx2.Client
    token: str = ""

    @classmethod
    @contextmanager
    def named(cls, site: str, name: str) -> Iterator[Labeller]:
        """As a service without keys knows them."""
        with httpx2.Client(base_url=site, timeout=60.0, trust_env=False, headers={"accept": "text/html"}) as http:
            made = cls(http)
            made.read_token()
            if name:
                made.send("/ui/labels/annotator", name=name)
            yield made

    def read_token(self) -> None:
        self.token = self.http.get("/ui/labels").text.split("X-CSRF-Token&#34;: &#34;")[1].split("&#34;")[0]

    def send(self, path: str, **fields: str) -> httpx2.Response:
        return self.http.post(path, data={"csrf": self.token, **fields})

    def next(self, draw: str) -> str:
        """The address of the item, or of the draw where there is none."""
        return str(self.send(f"/ui/labels/{draw}/next").headers["location"])

    def look(self, address: str) -> dict[str, Any]:
        told: dict[str, Any] = self.http.get(address, params={"format": "json"}).raise_for_status().json()
        return told

    def label(self, address: str, right: str, **fields: str) -> str:
        """What became of it: ``note`` of where it leads."""
        sent = self.send(address, **{"right": right, "known": "", **fields})
        found = GOING_ON.search(sent.headers["location"])
        assert found is not None, sent.text
        return found[3] or ""


def judge(site: str, samples: Sequence[dict[str, Any]]) -> str:
    """Judges samples by ``math`` and ``exact`` in a run of its own, which is returned."""
    run = f"labelling-{uuid4().hex[:8]}"
    for verifier in ("math", "exact"):
        body = {"verifier": verifier, "run": run, "samples": list(samples)}
        httpx2.post(f"{site}/v1/verify", json=body, timeout=60.0).raise_for_status()
    return run


def halves(count: int) -> list[dict[str, Any]]:
    """Right answers, of which every second is written in another way than the reference: ``exact`` rejects it."""
    return [
        {
            "prompt": f"{n} / 2? {uuid4().hex}",
            "response": f"so \\boxed{{{n / 2 if n % 2 else n // 2}}}",
            "reference": answer,
        }
        for n in range(count)
        for answer in ([f"{n}/2"] if n % 2 else [str(n // 2)])
    ]


def draw(site: str, run: str, **spec: Any) -> str:
    """Everything of a run."""
    body = {"name": "everything", "subject": {"verifier": "exact"}, "population": {"run": run}, "rest": 1.0, **spec}
    made = httpx2.post(f"{site}/v1/labels/draws", json=body, timeout=60.0)
    assert made.status_code == 201, made.text
    return str(made.json()["id"])


def labels(site: str, draw: str) -> list[dict[str, Any]]:
    """Newest first."""
    found: list[dict[str, Any]] = httpx2.get(f"{site}/v1/labels", params={"draw": draw}, timeout=60.0).json()["labels"]
    return found


def written(view: dict[str, Any], part: str) -> str:
    """The prompt or the response that the page of an item shows, its turns one after the other."""
    return "".join(passage["text"] for turn in view["told"][part] for passage in turn["passages"])
