"""CPU seconds of a reverify audit by a service: stored answers that no algebra is needed for, judged again."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import insert

from app.kit.db import Database
from app.kit.migrate import upgrade
from app.tables import Sample, Verdict
from benchmarks import servers
from benchmarks.ledger_rows import GROUP, Row, sample_row, verdict_row
from benchmarks.processes import billed
from benchmarks.report import Aim, Form, rows
from trueward import Client
from trueward.wire.audit import ReverifyAudit, Subject

SCALES: dict[Form, int] = {"short": 400, "quick": 20_000, "long": 100_000}
VERIFIERS = ("exact", "math")
WITHIN_S, OF_SAMPLES = 20.0, 100_000
AT_ONCE = 4_000


@dataclass(frozen=True, slots=True)
class Again:
    """``cpu_s`` is that of the service and its workers, from the request until the report is there."""

    verifier: str
    samples: int
    cpu_s: float
    wall_s: float

    @property
    def of_all_s(self) -> float:
        return self.cpu_s * OF_SAMPLES / self.samples


def judged_again(form: Form) -> list[Again]:
    """One audit after the other. Raises where a verdict was not the one that was planted."""
    with TemporaryDirectory(prefix="trueward-again-") as name:
        folder = Path(name)
        asyncio.run(_plant(f"sqlite:///{folder / 'trueward.db'}", SCALES[form]))
        settings = {"sandbox": "off", "watch_by_default": "false"}
        with servers.trueward(folder, **settings) as server, Client(server.url) as client:
            return [_measured(server, client, verifier) for verifier in VERIFIERS]


def _measured(server: servers.Server, client: Client, verifier: str) -> Again:
    subject, before = Subject(verifier=verifier), Subject(verifier=verifier, version="1")
    began = time.monotonic()
    with billed(server.tree) as bill:
        audit = client.wait_for_audit(client.start_audit(ReverifyAudit(subject=subject, before=before)).id)
    if audit.report is None:
        raise RuntimeError(audit.failure)
    if audit.report.findings["flipped"]:
        raise RuntimeError(f"{verifier} judged otherwise than was planted")
    samples = audit.report.findings["samples"]
    assert isinstance(samples, int)
    return Again(verifier, samples, round(bill.tree_s, 3), round(time.monotonic() - began, 3))


async def _plant(url: str, count: int) -> None:
    await upgrade(url)
    items = _items(count)
    async with Database(url) as db:
        while batch := list(islice(items, AT_ONCE)):
            async with db.write() as connection:
                await connection.execute(insert(Sample), [sample for sample, _ in batch])
                await connection.execute(insert(Verdict), [one for _, verdicts in batch for one in verdicts])


def _items(count: int) -> Iterator[tuple[Row, list[Row]]]:
    """Boxed integers, every other one right, in named groups; a verdict of each verifier."""
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for place in range(count):
        right = place % 2 == 0
        sample = sample_row(place, f"Response {place}: so it is \\boxed{{{place if right else place + 1}}}.", at)
        group = f"group {place // GROUP}"
        yield (
            sample,
            [
                verdict_row(sample, place, at, verifier=name, accepted=right, form="integer", group=group)
                for name in VERIFIERS
            ],
        )


def show_again(found: Sequence[Again]) -> None:
    rows(
        "Stored answers judged again by a service",
        ("verifier", "samples", "CPU, s", "wall, s", "CPU of 100,000, s"),
        [
            (one.verifier, f"{one.samples:,}", f"{one.cpu_s:.2f}", f"{one.wall_s:.2f}", f"{one.of_all_s:.1f}")
            for one in found
        ],
    )


def aims_of_again(found: Sequence[Again]) -> list[Aim]:
    return [
        Aim(
            name=f"reverify of {OF_SAMPLES:,} exact answers by {one.verifier}",
            target=f"at most {WITHIN_S:g} s of CPU",
            reached=f"{one.of_all_s:.1f} s, from {one.samples:,}",
            met=one.of_all_s <= WITHIN_S,
            limit="each answer goes the one path of a sample, and is recorded",
        )
        for one in found
    ]
