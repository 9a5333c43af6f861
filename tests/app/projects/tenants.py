"""A service in this process with keys of two projects, and one project's data in every place that has any."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx2
from sqlalchemy import insert
from starlette.types import Receive, Scope, Send

from app.kit.clock import now
from app.kit.tokens import new_id
from app.main import create_app
from app.settings import Settings
from app.state import AppState
from app.tables import Alarm, Prompt
from trueward.wire.key import KeyRequest
from trueward.wire.project import ProjectRequest

SECRET = "quagga"
"""Stands in every text of the first project."""
RUN = "zebra/run"
FIRST, SECOND = "first", "second"
RECIPE = {"name": f"{SECRET}-recipe", "description": SECRET, "terms": [{"verifier": "exact", "name": "own"}]}
"""Of the first project, which sends it inline; no stored recipe has this content."""


@dataclass(frozen=True, slots=True)
class Tenants:
    """``keys``: of ``first`` and ``second`` with all scopes, of ``default`` with all but ``admin``, and ``root``."""

    http: httpx2.AsyncClient
    state: AppState
    keys: Mapping[str, str]

    async def ask(self, who: str, method: str, path: str, **given: Any) -> httpx2.Response:
        headers = {"Authorization": f"Bearer {self.keys[who]}", **given.pop("headers", {})}
        return await self.http.request(method, path, headers=headers, **given)

    async def get(self, who: str, path: str) -> httpx2.Response:
        return await self.ask(who, "GET", path)

    async def done(self, who: str, method: str, path: str, body: object) -> Any:
        answer = await self.ask(who, method, path, json=body)
        assert answer.status_code < 300, f"{method} {path}: {answer.text}"
        return answer.json()


@asynccontextmanager
async def tenants(data_dir: Path, url: str) -> AsyncIterator[Tenants]:
    app = create_app(Settings(data_dir=data_dir, database_url=url, auth="keys", workers=1, sandbox="off"))
    async with app.router.lifespan_context(app) as made:
        state: AppState = made  # type: ignore[assignment]  # what our lifespan yields

        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            await app({**scope, "state": dict(state)}, receive, send)

        for name in (FIRST, SECOND):
            await state["projects"].create(ProjectRequest(name=name), None)
        every = ["score", "view", "label", "admin"]
        wanted = {FIRST: (FIRST, every), SECOND: (SECOND, every), "default": (None, every[:3]), "root": (None, every)}
        keys = {}
        for who, (project, scopes) in wanted.items():
            request = KeyRequest.model_validate({"name": f"key of {who}", "scopes": scopes, "project": project})
            keys[who] = (await state["keys"].create(request)).key
        transport = httpx2.ASGITransport(app=answer)
        async with httpx2.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=60.0) as http:
            yield Tenants(http, state, keys)


async def planted(tenants: Tenants) -> dict[str, str]:
    """What the first project has, by what it is; the values are ids and names."""
    done = tenants.done
    sample = {"prompt": f"{SECRET}?", "response": f"{SECRET} 5", "reference": "5", "group": f"{SECRET} group"}
    scored = {"run": RUN, "step": 1, "samples": [sample, {**sample, "response": f"{SECRET} 6"}]}
    said = await done(FIRST, "POST", "/v1/verify", {"verifier": "exact", **scored})
    paid = await done(FIRST, "POST", "/v1/rewards", {"recipe": RECIPE, **scored})
    verdict = said["verdicts"][0]["record"]
    hook = {"webhook": f"http://{SECRET}.invalid/"}
    job = await done(FIRST, "POST", "/v1/jobs", {"verifier": "exact", "samples": [sample], **hook})
    label = {"record": verdict, "right": True, "annotator": SECRET, "source": SECRET, "note": SECRET}
    await done(FIRST, "POST", "/v1/labels", {"labels": [label]})
    queries = [{"query": "random_stratified", "probability": 1}]
    asked = {"name": SECRET, "subject": {"verifier": "exact"}, "queries": queries}
    draw = await done(FIRST, "POST", "/v1/labels/draws", asked)
    item = await done(FIRST, "POST", f"/v1/labels/draws/{draw['id']}/next", {"annotator": SECRET})
    audit = {"kind": "labelled", "subject": {"verifier": "exact"}, "population": {"run": RUN}}
    audited = await done(FIRST, "POST", "/v1/audits", {"name": SECRET, "audit": audit})
    await done(FIRST, "PUT", f"/v1/watches/{SECRET}", {"run": RUN, "every_s": 3600})
    frozen = await done(FIRST, "PUT", f"/v1/recipes/{paid['recipe']}/freeze", {"reason": SECRET})
    correction = {"record": verdict, "reference": SECRET, "reason": SECRET, "annotator": SECRET}
    reference = await done(FIRST, "PUT", "/v1/references", correction)
    alarm = await _written(tenants.state)
    names = {
        "run": RUN,
        "verdict": verdict,
        "reward": paid["rewards"][0]["record"],
        "recipe": paid["recipe"],
        "job": job["id"],
        "draw": draw["id"],
        "position": str(item["position"]),
        "audit": audited["id"],
        "watch": SECRET,
        "alarm": alarm,
        "freeze": frozen["id"],
        "reference": reference["id"],
        "project": FIRST,
    }
    for path in (f"/v1/jobs/{names['job']}", f"/v1/audits/{names['audit']}"):
        async with asyncio.timeout(60):
            while (await tenants.get(FIRST, path)).json()["state"] not in ("completed", "failed"):
                await asyncio.sleep(0.05)
    names["delivery"] = (await tenants.get(FIRST, "/v1/deliveries")).json()["deliveries"][0]["id"]
    return names


async def _written(state: AppState) -> str:
    """What a watch would write after many more records, and the run's memory after a while."""
    name, at = new_id(), now()
    seen = {"first_seen": at, "last_seen": at, "seen": 1}
    what = {"watch": SECRET, "run": RUN, "signal": "saturation", "cause": SECRET, "state": "open", "record": new_id()}
    finding = {"signal": "saturation", "cause": SECRET, "detail": SECRET, "value": 1.0, "limit": None, "windows": 1}
    finding |= {"first_step": 1, "last_step": 1, "record": what["record"]}
    rates = {"labelled": True, "rates": [0.5], "groups": 1, "streak": 0, "updated_at": at}
    async with state["db"].write() as connection:
        await connection.execute(insert(Alarm).values(id=name, **what, **seen, finding=finding))
        await connection.execute(insert(Prompt).values(run=RUN, prompt=f"{SECRET} prompt", **rates))
    return name
