"""What is posted when jobs and audits end and alarms are raised: once, in the transaction in which it became true."""

from __future__ import annotations

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import httpx2
import pytest
from sqlalchemy import select
from standardwebhooks import Webhook

from app.audits import service as audits_module
from app.kit.db import Database
from app.kit.paging import PageRange
from app.path.ledger import Ledger
from app.tables import Delivery as DeliveryTable
from app.tables import Job
from app.telemetry.metrics import Metrics
from app.watch.freezes import FrozenRecipes
from app.watch.service import WatchService
from app.webhooks.outbox import Outbox
from app.webhooks.service import Deliveries
from audits.ports import Work
from tests.app.audits.test_service import FOUND, service
from tests.app.jobs.conftest import Served, served
from tests.app.jobs.test_endpoints import ended, lines, samples
from tests.app.jobs.test_kill import kill_at_random, submit, work_to_the_end
from tests.app.jobs.test_kill import service as jobs_of
from tests.app.watch.recording import record
from tests.app.watch.test_alarms import _steps, _watch
from tests.app.webhooks.receiver import OK, answer, receiver
from tests.live import serving
from trueward.errors import InvalidRequest
from trueward.wire.audit import AuditReport, AuditRequest, AuditSpec, LabelledAudit, Subject
from trueward.wire.watch import Alarm
from trueward.wire.webhook import Delivery

__all__ = ["served"]

SECRET = "whsec_" + "c2Vj" * 8
URL = "http://10.0.0.1/t0ken"
HOOK = {"webhook": URL, "webhook_secret": SECRET}
HEAD = {"verifier": "exact", **HOOK}


async def told(db: Database) -> list[Any]:
    """The rows of the outbox that are due: nobody delivers them here."""
    async with db.read() as connection:
        query = select(DeliveryTable.__table__).where(DeliveryTable.state == "pending")
        return list(await connection.execute(query))


async def stored(db: Database) -> list[Delivery]:
    return list(await Outbox(db).page(PageRange(), None, None))


@pytest.mark.parametrize("as_lines", [False, True], ids=["json", "ndjson"])
async def test_a_job_that_ends_is_announced(served: Served, as_lines: bool) -> None:
    if as_lines:
        headers = {"content-type": "application/x-ndjson"}
        made = await served.http.post("/v1/jobs", content=lines(HEAD, samples(3)), headers=headers)
    else:
        made = await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(3)})
    assert made.status_code == 202
    assert SECRET not in made.text
    view = await ended(served, made.json()["id"])
    [row] = await told(served.db)
    body = json.loads(row.body)
    assert (row.event, row.subject, row.secret, row.url) == ("job.ended", view["id"], SECRET, URL)
    assert (body["type"], body["data"]) == ("job.ended", view)


async def test_the_job_itself_knows_neither_url_nor_secret(served: Served) -> None:
    await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(1)})
    async with served.db.read() as connection:
        [body] = (await connection.execute(select(Job.body))).scalars()
    assert body == {"verifier": "exact"}


async def test_a_job_without_samples_is_announced_too(served: Served) -> None:
    await served.http.post("/v1/jobs", json={**HEAD, "samples": []})
    assert [row.event for row in await told(served.db)] == ["job.ended"]


async def test_a_job_without_a_webhook_leaves_nothing(served: Served) -> None:
    made = await served.http.post("/v1/jobs", json={"verifier": "exact", "samples": samples(1)})
    await ended(served, made.json()["id"])
    assert await stored(served.db) == []


async def test_a_job_that_was_cancelled_and_one_that_failed(served: Served) -> None:
    await served.jobs.stop()
    made = [(await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(1)})).json()["id"] for _ in "ab"]
    await served.http.delete(f"/v1/jobs/{made[0]}")
    await served.http.delete(f"/v1/jobs/{made[0]}")
    await served.jobs._repository.fail(made[1], "it was frozen")
    said = [(row.event, json.loads(row.body)["data"]) for row in await told(served.db)]
    assert sorted((event, data["state"], data["error"]) for event, data in said) == [
        ("job.ended", "cancelled", None),
        ("job.failed", "failed", "it was frozen"),
    ]


async def test_a_job_that_is_sent_again_is_announced_once(served: Served) -> None:
    for _ in range(2):
        key = {"idempotency-key": "k"}
        made = await served.http.post("/v1/jobs", json={**HEAD, "samples": samples(1)}, headers=key)
    await ended(served, made.json()["id"])
    assert len(await stored(served.db)) == 1


@pytest.mark.parametrize(
    ("hook", "named"),
    [
        ({"webhook": "http://169.254.169.254/latest"}, "webhook"),
        ({"webhook": "ftp://a/b"}, "webhook"),
        ({"webhook": URL, "webhook_secret": "whsec_c2hvcnQ="}, "webhook_secret"),
        ({"webhook": URL, "webhook_secret": "c2Vj" * 8}, "webhook_secret"),
        ({"webhook": URL, "webhook_secret": "whsec_" + "?" * 32}, "webhook_secret"),
        ({"webhook_secret": SECRET}, "webhook_secret"),
    ],
)
async def test_a_hook_that_is_none_is_refused_and_leaves_nothing(
    served: Served, hook: dict[str, str], named: str
) -> None:
    refused = await served.http.post("/v1/jobs", json={"verifier": "exact", "samples": samples(1), **hook})
    assert refused.status_code == 422
    assert named in refused.text
    assert hook.get("webhook_secret", "whsec_")[6:] not in refused.text or named != "webhook_secret"
    assert await stored(served.db) == []


async def test_a_refused_job_leaves_no_delivery(served: Served) -> None:
    twice = [*samples(1), *samples(1)]
    assert (await served.http.post("/v1/jobs", json={**HEAD, "samples": twice})).status_code == 422
    assert await stored(served.db) == []


@pytest.mark.parametrize("fails", [False, True])
async def test_an_audit_that_ends_is_announced(db: Database, monkeypatch: pytest.MonkeyPatch, fails: bool) -> None:
    async def carried(spec: AuditSpec, work: Work) -> AuditReport:
        if fails:
            raise InvalidRequest("there is no label")
        return FOUND

    monkeypatch.setattr(audits_module, "carry_out", carried)
    spec = LabelledAudit(subject=Subject(verifier="math"))
    async with service(db) as audits:
        made = await audits.accept(AuditRequest(audit=spec, **HOOK), None)
        async with asyncio.timeout(60):
            while not (found := await audits.show(made.id)).ended:
                await asyncio.sleep(0.02)
        [row] = await told(db)
    body = json.loads(row.body)
    assert body["type"] == row.event == ("audit.failed" if fails else "audit.ended")
    assert (body["data"]["id"], body["data"]["failure"]) == (found.id, "there is no label" if fails else None)
    assert "report" not in body["data"]
    assert SECRET not in found.model_dump_json()


async def test_an_audits_hook_to_a_refused_address_is_refused(db: Database) -> None:
    spec = LabelledAudit(subject=Subject(verifier="math"))
    with pytest.raises(InvalidRequest, match="webhook"):
        await service(db).accept(AuditRequest(audit=spec, webhook="http://169.254.169.254/"), None)
    assert await stored(db) == []


async def test_an_alarm_is_announced_once_and_says_how_that_went(db: Database) -> None:
    watches = WatchService(db, FrozenRecipes(db), Metrics())
    async with receiver(OK) as there:
        shown = await watches.put("w", _watch(webhook=there.url, webhook_secret=SECRET), None)
        assert (shown.webhook, shown.webhook_secret) == ("http://127.0.0.1/***", "whsec_***")
        await record(db, "r", [*_steps(0, 4, broken=False), *_steps(4, 2, broken=True)])
        for _ in range(2):
            await watches.evaluate_due()
        async with Deliveries(db, Metrics()):
            [got] = await there.got(1)
            async with asyncio.timeout(60):
                while (raised := (await watches.alarms(None, None, PageRange())).alarms[0]).webhook is None:
                    await asyncio.sleep(0.02)
    event = Webhook(SECRET).verify(got.body, got.headers)
    assert (event["type"], raised.webhook) == ("alarm.raised", "sent")
    before = raised.model_copy(update={"webhook": None})
    assert Alarm.model_validate(event["data"]) == before
    # as it was posted when alarms were all that was
    assert Alarm.model_validate({name: event[name] for name in Alarm.model_fields}) == before


async def test_kills_before_between_and_after_lose_no_event(db: Database, database_url: str) -> None:
    """The process that ends the job delivers nothing: whoever is killed after the commit looks like that."""
    async with receiver(OK) as there:
        async with Ledger(db, 1000) as ledger:
            [job] = await submit(jobs_of(db, ledger), {"verifier": "exact", "webhook": there.url}, 1)
            for _ in range(3):
                await asyncio.to_thread(kill_at_random, database_url)
            await asyncio.to_thread(work_to_the_end, database_url)
        assert there.posts == []
        async with Deliveries(db, Metrics()):
            [got] = await there.got(1)
    assert json.loads(got.body)["data"]["id"] == job


async def test_a_service_that_is_killed_delivers_after_its_next_start_under_the_same_id(tmp_path: Path) -> None:
    async with receiver(answer("503 Later"), OK) as there:
        with serving(tmp_path) as live:
            body = {"verifier": "exact", "samples": samples(1), "webhook": there.url, "webhook_secret": SECRET}
            async with httpx2.AsyncClient(base_url=live.url, timeout=60.0, trust_env=False) as http:
                job = (await http.post("/v1/jobs", json=body)).json()["id"]
                [first] = await there.got(1)
            os.kill(live.process.pid, signal.SIGKILL)
            await asyncio.to_thread(live.process.wait)
        with serving(tmp_path) as live:
            _, second = await there.got(2)
            async with httpx2.AsyncClient(base_url=live.url, timeout=60.0, trust_env=False) as http:
                async with asyncio.timeout(60):
                    while True:
                        listed = (await http.get("/v1/deliveries", params={"subject": job})).json()["deliveries"]
                        if listed[0]["state"] == "delivered":
                            break
                        await asyncio.sleep(0.05)
        logged = live.log.read_text()
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == listed[0]["id"]
    assert Webhook(SECRET).verify(second.body, second.headers)["data"]["id"] == job
    assert SECRET[6:] not in logged
    assert "t0ken" not in logged
