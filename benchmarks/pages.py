"""How long each page takes to answer over a ledger of a million verdicts, on SQLite and on PostgreSQL.

``python -m benchmarks.pages [--short | --long]``. Verdicts and rewards of several runs are written in bulk; then every
page of :data:`PAGES` is asked for, one request at a time, from a service started for it. Its watches rest, for records
that come one after the other are watched as they come. Needs the PostgreSQL of
``make postgres``, or the one that ``TRUEWARD_BENCHMARK_POSTGRES_URL`` names.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import random
import time
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from urllib.parse import quote

import asyncpg
import httpx2
import numpy as np
import psutil
from sqlalchemy import make_url, text

from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.tokens import derive_ids, first_id, new_id
from app.path.rows import Insert, Named, recipe_row
from app.tables import Recipe, Reward, Run, Sample, Table, Verdict
from benchmarks import servers
from benchmarks.addresses import PAGES, Places
from benchmarks.measure import DISTURBED_CORES
from benchmarks.processes import billed
from benchmarks.report import Aim, Form, called, finish, rows, show_aims
from benchmarks.servers import Server
from rewards.library import Library

SERVER = os.environ.get("TRUEWARD_BENCHMARK_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
RECIPE = Library().find("math")
SCALES: dict[Form, int] = {"short": 800, "quick": 100_000, "long": 1_000_000}
ROUNDS: dict[Form, int] = {"short": 1, "quick": 20, "long": 40}
WITHIN_S = 0.3
AT_ONCE = 8_000
GROUP = 8
STEP = 1_024
RUNS = 5
"""One after the other, each as long as the others."""
PRICED = 4
"""Of so many groups one has rewards."""
RARE = 20_000
"""Of so many verdicts one timed out."""


@dataclass(frozen=True, slots=True)
class Page:
    """Seconds of one page's answers. ``cpu_s`` is the mean of what the service and PostgreSQL computed for one."""

    name: str
    path: str
    bytes: int
    median_s: float
    p95_s: float
    cpu_s: float


@dataclass(frozen=True, slots=True)
class Measured:
    """``foreign_cores`` were taken by processes that are no part of this."""

    database: str
    written_s: float
    pages: Sequence[Page]
    foreign_cores: float

    @property
    def disturbed(self) -> bool:
        return self.foreign_cores > DISTURBED_CORES


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("pages", (__doc__ or "").partition("\n")[0], arguments)
    with TemporaryDirectory(prefix="trueward-pages-") as data_dir:
        found = asyncio.run(_both(call.form, Path(data_dir)))
    aims = [_aim(one) for one in found]
    for one in found:
        rows(
            f"{SCALES[call.form]:,} verdicts on {one.database}, written in {one.written_s:.0f} s; "
            f"others used {one.foreign_cores:.2f} cores",
            ("page", "median, ms", "95%, ms", "CPU, ms", "KiB"),
            [
                (
                    page.name,
                    *(f"{1e3 * s:.1f}" for s in (page.median_s, page.p95_s, page.cpu_s)),
                    f"{page.bytes / 1024:.0f}",
                )
                for page in one.pages
            ],
        )
    show_aims(aims)
    scale = {"verdicts": SCALES[call.form], "runs": RUNS, "group": GROUP, "rounds": ROUNDS[call.form]}
    claims = {"every page answered": all(page.bytes for one in found for page in one.pages)}
    finish("pages", call, {"scale": scale, "measured": found, "aims": aims}, claims)


async def _both(form: Form, data_dir: Path) -> list[Measured]:
    sqlite = f"sqlite:///{data_dir / 'trueward.db'}"
    await upgrade(sqlite)
    found = [await _measured(sqlite, form, data_dir)]
    async with _postgres() as url:
        found.append(await _measured(url, form, data_dir))
    return found


@asynccontextmanager
async def _postgres() -> AsyncIterator[str]:
    """The URL of a migrated database of its own, dropped afterwards."""
    name = f"trueward_benchmark_{new_id().lower()}"
    await _on_server(f'CREATE DATABASE "{name}"')
    try:
        url = make_url(SERVER).set(database=name).render_as_string(hide_password=False)
        await upgrade(url)
        yield url
    finally:
        await _on_server(f'DROP DATABASE "{name}" WITH (FORCE)')


async def _on_server(statement: str) -> None:
    connection = await asyncpg.connect(SERVER, timeout=10)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def _measured(url: str, form: Form, data_dir: Path) -> Measured:
    began = time.monotonic()
    async with Database(url) as db:
        places = await _write(db, SCALES[form])
        if db.dialect == "postgresql":  # which does so by itself after a while
            async with db.session() as connection:
                await connection.execute(text("VACUUM ANALYZE"))
        dialect = db.dialect
    written_s = round(time.monotonic() - began, 2)
    with servers.trueward(data_dir, database_url=url, sandbox="off", watch_by_default="false") as server:
        pages, foreign_cores = await asyncio.to_thread(_ask, server, places, ROUNDS[form])
    return Measured(dialect, written_s, pages, foreign_cores)


def _ask(server: Server, places: Places, rounds: int) -> tuple[list[Page], float]:
    """Round by round, so that no page finds the caches as it left them; the round before the first does not count."""
    named = {name: quote(str(getattr(places, name)), safe="") for name in Places.__slots__}
    paths = {name: path.format(**named) for name, path in PAGES.items()}
    taken: dict[str, list[float]] = {name: [] for name in paths}
    computed = dict.fromkeys(paths, 0.0)
    sizes: dict[str, int] = {}
    with httpx2.Client(base_url=server.url, timeout=60.0, trust_env=False, headers={"Accept": "text/html"}) as http:
        for path in paths.values():
            http.get(path).raise_for_status()
        database = [one for one in psutil.process_iter(["name"]) if one.info["name"] == "postgres"]
        known = [*server.tree.members(), *database]
        before = _cpu_s(database)
        with billed(server.tree) as bill:
            for _ in range(rounds):
                for name, path in paths.items():
                    used, began = _cpu_s(known), time.perf_counter()
                    answer = http.get(path)
                    taken[name].append(time.perf_counter() - began)
                    computed[name] += _cpu_s(known) - used
                    answer.raise_for_status()
                    sizes[name] = len(answer.content)
        foreign_s = bill.foreign_s - (_cpu_s(database) - before)
    pages = [
        Page(
            name=name,
            path=paths[name],
            bytes=sizes[name],
            median_s=round(median(one), 5),
            p95_s=round(float(np.percentile(one, 95)), 5),
            cpu_s=round(computed[name] / rounds, 5),
        )
        for name, one in taken.items()
    ]
    return pages, round(max(0.0, foreign_s / bill.wall_s), 3)


def _cpu_s(processes: Iterable[psutil.Process]) -> float:
    """What they have computed so far; those that are gone are left out."""
    total = 0.0
    for process in processes:
        with suppress(psutil.NoSuchProcess):
            used = process.cpu_times()
            total += used.user + used.system
    return total


async def _write(db: Database, count: int) -> Places:
    """With what a page is asked about from the first run, and from the middle."""
    tables: tuple[type[Table], ...] = (Recipe, Run, Sample, Verdict, Reward)
    inserts = {table: Insert(table, db.sql) for table in tables}
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    await _insert(db, inserts, Recipe, [recipe_row(RECIPE.hash, RECIPE, _stored(moment, db.dialect))])
    await _insert(db, inserts, Run, [_run(number, moment, db.dialect) for number in range(RUNS)])
    items = _items(count, db.dialect)
    place, old, priced = 0, "", ""
    while batch := list(islice(items, AT_ONCE)):
        await _insert(db, inserts, Sample, [sample for sample, _, _ in batch])
        await _insert(db, inserts, Verdict, [verdict for _, verdict, _ in batch])
        await _insert(db, inserts, Reward, [reward for _, _, reward in batch if reward is not None])
        if place <= count // 2:
            old = str(batch[0][1]["record"])
            priced = next(str(reward["record"]) for _, _, reward in batch if reward is not None)
        place += len(batch)
    return Places(old, old, priced, "run 0", f"run {RUNS - 1}", 1, "group 3", "v1", 0)


async def _insert(
    db: Database, inserts: Mapping[type[Table], Insert], table: type[Table], batch: Sequence[Named]
) -> None:
    if batch:
        await db.insert([inserts[table].fill(batch)])


def _run(number: int, at: datetime, dialect: str) -> Named:
    pinned: Named = {"recipe": RECIPE.hash, "verifiers": json.dumps({"math": "5"}), "strict": False}
    return {
        "id": f"run {number}",
        **pinned,
        "state": "{}",
        "project": None,
        "revision": 1,
        "created_at": _stored(at, dialect),
    }


def _items(count: int, dialect: str) -> Iterator[tuple[Named, Named, Named | None]]:
    """Responses of some hundred characters, made over ten days; half of them right."""
    chance = random.Random(1)
    began, apart = datetime(2026, 1, 1, tzinfo=UTC), timedelta(days=10) / count
    for place in range(count):
        at = began + place * apart
        content = json.dumps(
            {
                "prompt": f"Question {place // GROUP}: how many of them are there?",
                "response": f"Response {place}: " + "and so on, " * chance.randrange(20, 100) + f"\\boxed{{{place}}}",
                "reference": str(place),
            }
        )
        sample = hashlib.blake2b(content.encode(), digest_size=20).hexdigest()
        [record, paid] = derive_ids(f"{first_id(at)[:10]}{place}", 2)
        shared = _shared(sample, place, count, at, dialect)
        shared |= _outcome(place, chance.random() < 0.5)
        reward = None
        if place // GROUP % PRICED == 0:
            reward = _reward(shared, paid, record, place)
        yield (
            {"fingerprint": sample, "content": content, "created_at": shared["created_at"]},
            _verdict(shared, record, place),
            reward,
        )


def _stored(at: datetime, dialect: str) -> datetime | str:
    return at if dialect == "postgresql" else at.strftime("%Y-%m-%d %H:%M:%S.%f")


def _shared(sample: str, place: int, count: int, at: datetime, dialect: str) -> Named:
    return {
        "sample": sample,
        "sample_id": str(place),
        "group": f"group {place // GROUP}",
        "pair": None,
        "run": f"run {place * RUNS // count}",
        "step": place // STEP,
        "policy": f"v{place // STEP}",
        "split": "eval" if place // STEP % 10 == 9 else "train",
        "data_source": f"source {place // GROUP % 5}",
        "owner": None,
        "created_at": _stored(at, dialect),
        "length": None,
        "prompt": None,
    }


def _outcome(place: int, right: bool) -> Named:
    if place % RARE == 0:
        return {"outcome": "timeout", "reason_code": f"rare_{place // RARE}", "reason": "made up for the benchmark"}
    outcome = "correct" if right else "incorrect"
    return {"outcome": outcome, "reason_code": f"made_up_{place % 7}", "reason": "made up for the benchmark"}


def _score(shared: Named) -> float | None:
    return {"correct": 1.0, "incorrect": 0.0}.get(str(shared["outcome"]))


def _verdict(shared: Named, record: str, place: int) -> Named:
    return {
        **shared,
        "record": record,
        "verifier": "math" if place % 3 else "exact",
        "version": "1",
        "params": "sha256:0",
        "score": _score(shared),
        "evidence": json.dumps({"extracted": str(place), "rule": "boxed"}),
        "confidence": None,
        "feedback": None,
        "elapsed_s": 0.0001,
        "cached": False,
    }


def _reward(shared: Named, record: str, verdict: str, place: int) -> Named:
    """Groups are settled together."""
    score = _score(shared)
    return {
        **shared,
        "record": record,
        "recipe": RECIPE.hash,
        "recipe_name": RECIPE.name,
        "reward": score,
        "components": json.dumps({"math": score}),
        "corrected": None,
        "weight": None,
        "producers": json.dumps([{"name": "math", "version": "1", "params": "sha256:0"}]),
        "verdicts": json.dumps([verdict]),
        "keys": '["math"]',
        "estimate": None,
        "uncertainty": None,
        "kept": None,
        "step_rewards": None,
        "step_spans": None,
        "token_rewards": None,
        "token_spans": None,
        "request": f"request {place // GROUP}",
        "position": place % GROUP,
        "state_version": 0,
        "conditions": "",
    }


def _aim(found: Measured) -> Aim:
    slowest = max(found.pages, key=lambda page: page.median_s)
    return Aim(
        name=f"every page on {found.database}",
        target=f"at most {1e3 * WITHIN_S:g} ms at the median",
        reached=f"{1e3 * slowest.median_s:.0f} ms, {slowest.name}",
        met=True if slowest.median_s <= WITHIN_S else None if found.disturbed else False,
        limit="rows that are held against filters without an index, and texts that are read",
    )


if __name__ == "__main__":
    main()
