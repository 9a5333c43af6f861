"""Recipes correct with what an audit measured: found by id, checked with the recipe, on record with each reward."""

from __future__ import annotations

import asyncio
import json
import time
from typing import Any

import httpx2
import pytest
from pydantic import JsonValue

from app.audits.repository import AuditsRepository
from app.kit.clock import now
from app.kit.db import Database
from app.kit.tokens import new_id
from rewards.noise.rates import Rate, Rates
from trueward.wire.audit import Audit, AuditReport, LabelledAudit, Population, Subject

PLAIN = Rates(source="audit:x", pooled=Rate(false_positive=0.1, false_negative=0.2, right=400, wrong=400))
SLICED = PLAIN.model_copy(
    update={"by": ("rule",), "slices": {"rule=boxed": Rate(false_positive=0.5, false_negative=0)}}
)
RIGHT = {"response": "\\boxed{5}", "reference": "5"}
WRONG = {"response": "The answer is 6", "reference": "5"}


def completed(url: str, rates: Rates | None, verifier: str = "math", *, name: str = "", run: str | None = None) -> str:
    """The id of an audit that another server of the same database has just completed."""

    async def store() -> str:
        audit = Audit(
            id=new_id(),
            name=name,
            spec=LabelledAudit(subject=Subject(verifier=verifier), population=Population(run=run)),
            state="waiting",
            created_at=now(),
        )
        body = None if rates is None else rates.model_dump(mode="json")
        async with Database(url) as db:
            repository = AuditsRepository(db)
            await repository.add(audit, verifier)
            await repository.complete(audit.id, AuditReport(findings={}, rates=body))
        return audit.id

    return asyncio.run(store())


def price(http: httpx2.Client, noise: dict[str, JsonValue], *samples: dict[str, str], run: str) -> httpx2.Response:
    recipe = {"terms": [{"verifier": "math", "noise": noise}]}
    return http.post("/v1/rewards", json={"recipe": recipe, "samples": list(samples), "run": run})


def priced(
    http: httpx2.Client, noise: dict[str, JsonValue], *samples: dict[str, str], run: str
) -> list[dict[str, Any]]:
    """The rewards, once the service knows the audit: within two seconds and a little."""
    deadline = time.monotonic() + 10
    while (answer := price(http, noise, *samples, run=run)).status_code == 422 and time.monotonic() < deadline:
        assert {problem["code"] for problem in answer.json()["errors"]} == {"unknown_audit"}
        time.sleep(0.2)
    assert answer.status_code == 200, answer.text
    rewards: list[dict[str, Any]] = answer.json()["rewards"]
    return rewards


def test_rewards_are_corrected_with_what_an_audit_measured(service: tuple[httpx2.Client, str]) -> None:
    http, url = service
    plain, sliced = completed(url, PLAIN), completed(url, SLICED)
    right, wrong = priced(http, {"audit": plain}, RIGHT, WRONG, run="plain")
    assert [right["reward"], wrong["reward"]] == pytest.approx([(1 - 0.1) / 0.7, -0.1 / 0.7])
    assert right["estimate"] == "audit:x"
    right, wrong = priced(http, {"audit": sliced, "by": ["rule"]}, RIGHT, WRONG, run="sliced")
    assert [right["reward"], wrong["reward"]] == pytest.approx([1.0, -0.1 / 0.7])
    assert right["estimate"] == "audit:x[rule=boxed]"
    for run in ("plain", "sliced"):
        *_, last = http.post(f"/v1/runs/{run}/replay").text.strip().splitlines()
        report = json.loads(last)["report"]
        assert (report["rewards"], report["differ"]) == (2, 0)


def test_what_an_audit_cannot_give_is_refused_with_its_place(service: tuple[httpx2.Client, str]) -> None:
    http, url = service
    known = completed(url, PLAIN)
    cases: list[tuple[dict[str, JsonValue], str, str]] = [
        ({"audit": "01NOTHING"}, "unknown_audit", "GET /v1/audits"),
        ({"audit": completed(url, None)}, "unknown_audit", "measured error rates"),
        ({"audit": completed(url, PLAIN, "numeric")}, "audit_of_another", "'numeric'"),
        ({"audit": known, "by": ["form"]}, "audit_keyed_apart", "no feature"),
    ]
    priced(http, {"audit": known}, RIGHT, run="known")
    priced(http, {"audit": completed(url, PLAIN)}, RIGHT, run="later")  # a second look, so the first one has ended
    for noise, code, words in cases:
        answer = price(http, noise, RIGHT, run="refused")
        assert answer.status_code == 422, answer.text
        [problem] = answer.json()["errors"]
        assert (problem["field"], problem["code"]) == ("recipe.terms.0.noise.audit", code)
        assert words in problem["detail"]
