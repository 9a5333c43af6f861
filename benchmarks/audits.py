"""CPU seconds of audits of many stored verdicts, of which few have a label, on SQLite.

``python -m benchmarks.audits [--short | --long]``. Four verifiers judge the same responses in groups of eight, without
a name for the group; two responses in a thousand have a label. Measured are, one after the
other: the labelled audit with three features and rates by two, the labelled audit against a second verifier, consensus
of the four, the drawing of a metamorphic audit's samples, what a reverify audit reads of the newest 100,000, and the
audit of labels that a draw chose by a disagreement. The time is the process's CPU, all threads together. Then a service
judges stored answers again (``benchmarks/judged_again.py``): that time is the service's.
"""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import cast

from sqlalchemy import insert, select, text

from app.audits.ledger import StoredLedger
from app.audits.stored_verdicts import load_verdicts
from app.kit.db import Database
from app.kit.migrate import upgrade
from app.labels.draws import DrawsService
from app.tables import DrawItem, Label, Sample, Verdict
from audits.consensus import consensus
from audits.given_samples import choose_samples
from audits.labelled.audit import labelled
from audits.ports import Judging, Work
from benchmarks.judged_again import aims_of_again, judged_again, show_again
from benchmarks.ledger_rows import Row, label_row, sample_row, verdict_row
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from trueward.wire.audit import ConsensusAudit, GivenSamples, LabelChoice, LabelledAudit, Population, Subject
from trueward.wire.draw import DrawRequest

SCALES: dict[Form, int] = {"short": 2_000, "quick": 30_000, "long": 250_000}
"""Responses; there are four verdicts of each."""
VERIFIERS = {"math": (0.02, 0.05), "numeric": (0.1, 0.1), "judge": (0.15, 0.2), "rubric": (0.2, 0.1)}
LABELLED, AT_ONCE = 1_000, 4_000
WITHIN_S, OF_A_MILLION = 30.0, 1_000_000


@dataclass(frozen=True, slots=True)
class Taken:
    """``verdicts`` are those of the population that the audit is about."""

    audit: str
    verdicts: int
    cpu_s: float
    wall_s: float

    @property
    def of_a_million_s(self) -> float:
        return self.cpu_s * OF_A_MILLION / self.verdicts


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("audits", (__doc__ or "").partition("\n")[0], arguments)
    count = SCALES[call.form]
    with TemporaryDirectory(prefix="trueward-audits-") as folder:
        found = asyncio.run(_measured(f"sqlite:///{Path(folder) / 'trueward.db'}", count))
    rows(
        f"Audits of {count:,} responses, four verdicts of each",
        ("audit", "verdicts", "CPU, s", "wall, s", "CPU of a million, s"),
        [
            (one.audit, f"{one.verdicts:,}", f"{one.cpu_s:.2f}", f"{one.wall_s:.2f}", f"{one.of_a_million_s:.1f}")
            for one in found
        ],
    )
    aims = [
        Aim(
            name=f"{one.audit} of a million verdicts",
            target=f"at most {WITHIN_S:g} s of CPU",
            reached=f"{one.of_a_million_s:.1f} s, from {one.verdicts:,}",
            met=one.of_a_million_s <= WITHIN_S,
            limit="rows that the driver hands over one by one",
        )
        for one in found
    ]
    again = judged_again(call.form)
    show_again(again)
    aims += aims_of_again(again)
    show_aims(aims)
    finish(
        "audits",
        call,
        {
            "scale": {"responses": count, "verdicts": count * len(VERIFIERS)},
            "audits": found,
            "again": again,
            "aims": aims,
        },
        {"every audit was measured": len(found) == 6},
    )


async def _measured(url: str, count: int) -> list[Taken]:
    await upgrade(url)
    async with Database(url) as db:
        await _plant(db, count)
        work = Work("benchmark", StoredLedger(db), cast("Judging", None), _silent)
        math, judge = Subject(verifier="math"), Subject(verifier="judge")
        of_labels = LabelledAudit(subject=math, by=["data_source", "form", "length"], rates_by=["form", "length"])
        against = LabelledAudit(subject=math, against=judge)
        subjects = ConsensusAudit(subjects=[Subject(verifier=name) for name in VERIFIERS])
        given = GivenSamples(population=Population(run="benchmark"))
        whole = count * len(VERIFIERS)
        return [
            await _taken("labelled", count, lambda: labelled(of_labels, work)),
            await _taken("labelled, against a verifier", 2 * count, lambda: labelled(against, work)),
            await _taken("consensus", whole, lambda: consensus(subjects, work)),
            await _taken("samples of a metamorphic audit", whole, lambda: choose_samples(given, work, True)),
            await _taken(
                "reading of a reverify audit",
                count,
                lambda: load_verdicts(db, math, Population(), 100_000, grouped=False),
            ),
            await _of_a_draw(db, count, work),
        ]


async def _of_a_draw(db: Database, count: int, work: Work) -> Taken:
    """Two in a thousand of the responses are drawn, and labelled as ``math`` judged them."""
    population = Population(run="benchmark")
    query = {"query": "disagreement", "other": {"verifier": "judge"}, "probability": 0.01}
    spec = {"subject": {"verifier": "math"}, "population": population, "queries": [query], "rest": 0.001, "seed": 3}
    drawn = await DrawsService(db).make(DrawRequest.model_validate(spec), None)
    items = select(DrawItem.sample, DrawItem.record, DrawItem.position, DrawItem.probability, Verdict.outcome)
    items = items.join(Verdict, Verdict.record == DrawItem.record).where(DrawItem.draw == drawn.id)
    async with db.write() as connection:
        for item in (await connection.execute(items)).all():
            label = label_row({"fingerprint": item.sample}, item.outcome == "correct", datetime.now(UTC))
            of_draw = {"draw": drawn.id, "position": item.position, "probability": item.probability}
            await connection.execute(insert(Label), {**label, **of_draw, "record": item.record})
    audit = LabelledAudit(
        subject=Subject(verifier="math"), population=population, labels=LabelChoice(draw=drawn.id), by=["data_source"]
    )
    return await _taken("labels of a draw", count, lambda: labelled(audit, work))


async def _taken(audit: str, verdicts: int, run: Callable[[], Awaitable[object]]) -> Taken:
    began, cpu = time.monotonic(), time.process_time()
    await run()
    return Taken(audit, verdicts, round(time.process_time() - cpu, 3), round(time.monotonic() - began, 3))


async def _silent(done: int, total: int) -> None:
    """Nobody waits for these audits."""


async def _plant(db: Database, count: int) -> None:
    items = _items(count)
    while batch := list(islice(items, AT_ONCE)):
        async with db.write() as connection:
            await connection.execute(insert(Sample), [sample for sample, _, _ in batch])
            await connection.execute(insert(Verdict), [one for _, verdicts, _ in batch for one in verdicts])
            labels = [label for _, _, label in batch if label is not None]
            if labels:
                await connection.execute(insert(Label), labels)
    async with db.write() as connection:
        await connection.execute(text("ANALYZE"))


def _items(count: int) -> Iterator[tuple[Row, list[Row], Row | None]]:
    """A sample, its verdicts, and its label where it has one. Errors of the verifiers are independent."""
    chance = random.Random(1)
    at = datetime(2026, 1, 1, tzinfo=UTC)
    for place in range(count):
        right = chance.random() < 0.5
        response = f"Response {place}: " + "and so on, " * chance.randrange(10, 200)
        sample = sample_row(place, response, at)
        form = ("plain", "fraction")[place % 2]
        said = [
            verdict_row(
                sample,
                place,
                at,
                verifier=name,
                accepted=chance.random() < (1 - missed if right else false),
                form=form,
                group=None,
            )
            for name, (false, missed) in VERIFIERS.items()
        ]
        yield sample, said, label_row(sample, right, at) if place % LABELLED < 2 else None


if __name__ == "__main__":
    main()
