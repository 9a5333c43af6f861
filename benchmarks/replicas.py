"""Two replicas on one PostgreSQL and one Redis against one server, under the same load: what a verdict costs.

``python -m benchmarks.replicas [--short | --long]``. On a machine where replicas, database, Redis and the load share
the cores a ratio of throughputs says nothing of two machines; CPU seconds a verdict do, so these are told by who spent
them: the services' own processes, their workers, the database's sessions, Redis. Each target is new in each round, with
an empty database; what other processes used meanwhile stands beside it. Needs the tests' PostgreSQL (``make postgres``)
and redis-server.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median
from uuid import uuid4

import asyncpg
import psutil
from sqlalchemy import make_url

from benchmarks import servers
from benchmarks.corpus import rollouts
from benchmarks.load.generator import Volley, fire, write_requests
from benchmarks.measure import DISTURBED_CORES, OK, trueward_grades, trueward_requests
from benchmarks.processes import billed
from benchmarks.report import Form, called, finish, rows
from benchmarks.servers import Server, free_port

POSTGRES = os.environ.get("TRUEWARD_TEST_POSTGRES_URL", "postgresql://postgres@127.0.0.1:5432/postgres")
SYMBOLIC_SHARE = 0.1
CONNECTIONS = 32
MOST_S = 300.0
"""A load ends when all its calls are answered; this long it may take on a machine that is busy."""
REDIS_S = 30.0


@dataclass(frozen=True, slots=True)
class Target:
    name: str
    replicas: int
    redis: bool


TARGETS = (Target("one", 1, False), Target("one with Redis", 1, True), Target("two", 2, True))


@dataclass(frozen=True, slots=True)
class Scale:
    """``calls`` of one sample, to each target in each round. ``new``: with a database and services of its own."""

    rounds: int
    calls: int
    warm: int
    new: bool = True


SCALES: dict[Form, Scale] = {
    "short": Scale(rounds=1, calls=64, warm=8, new=False),
    "quick": Scale(rounds=1, calls=3_000, warm=200),
    "long": Scale(rounds=3, calls=20_000, warm=400),
}


@dataclass(frozen=True, slots=True)
class Run:
    """CPU seconds are those of 1,000 verdicts. ``outside`` is the share of all of it that no verifier spent: verifiers
    are counted by the clock, so on busy cores it is a lower bound."""

    verdicts_per_s: float
    service_s: float
    workers_s: float
    database_s: float
    redis_s: float
    outside: float
    known: int
    failed: int
    missing: int
    recorded: bool
    foreign_cores: float

    @property
    def total_s(self) -> float:
        return self.service_s + self.workers_s + self.database_s + self.redis_s


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("replicas", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    runs = _runs(scale)
    middle = {target.name: [run for of, run in runs if of is target] for target in TARGETS}
    _show(middle)
    document = {
        "scale": scale,
        "symbolic_share": SYMBOLIC_SHARE,
        "disturbed_above_cores": DISTURBED_CORES,
        "median_total_s": {name: median(run.total_s for run in found) for name, found in middle.items()},
        "targets": middle,
    }
    claims = {
        "no request failed": all(run.failed == 0 for _, run in runs),
        "every verdict is recorded once": all(run.recorded for _, run in runs),
    }
    finish("replicas", call, document, claims)


@dataclass(frozen=True, slots=True)
class Installation:
    database: str
    redis: _Redis | None
    replicas: Sequence[Server]


@contextmanager
def _installed(count: int, redis: bool) -> Iterator[Installation]:
    with ExitStack() as stack:
        database = stack.enter_context(_database())
        shared = stack.enter_context(_redis()) if redis else None
        settings = {"database_url": database, "secret": "the secret of this benchmark", "workers": "1"}
        if shared is not None:
            settings["redis_url"] = shared.url
        replicas = [stack.enter_context(servers.trueward(**settings)) for _ in range(count)]
        yield Installation(database, shared, replicas)


def _runs(scale: Scale) -> list[tuple[Target, Run]]:
    """Targets take turns. Without new ones those with a Redis use the same installation, one of them half of it."""
    runs = []
    with tempfile.TemporaryDirectory(prefix="trueward-replicas-") as scratch, ExitStack() as stack:
        most = {redis: max(target.replicas for target in TARGETS if target.redis is redis) for redis in (False, True)}
        kept = {} if scale.new else {redis: stack.enter_context(_installed(n, redis)) for redis, n in most.items()}
        for number in range(scale.rounds):
            for target in TARGETS:
                new = _installed(target.replicas, target.redis)
                with nullcontext(kept[target.redis]) if kept else new as installation:
                    runs.append((target, _run(target, installation, scale, number, Path(scratch))))
    return runs


def _run(target: Target, installation: Installation, scale: Scale, number: int, scratch: Path) -> Run:
    """The same samples for each target of a round; replicas get every other one."""
    items = list(rollouts(scale.calls, seed=2 * number, symbolic_share=SYMBOLIC_SHARE))
    warm = list(rollouts(scale.warm, seed=2 * number + 1, symbolic_share=SYMBOLIC_SHARE))
    parts = [
        [
            write_requests(scratch / f"{kind}-{part}", trueward_requests(all_of[part :: target.replicas]))
            for kind, all_of in (("warm", warm), ("load", items))
        ]
        for part in range(target.replicas)
    ]
    database, redis, replicas = installation.database, installation.redis, installation.replicas[: target.replicas]
    stored = asyncio.run(_recorded(database))
    _fire(replicas, [part[0] for part in parts])
    before, known = _worked_s(replicas), _known(replicas)
    backends, redis_s = _backends_s(database), redis.cpu_s() if redis else 0.0
    with ExitStack() as meters:
        bills = [meters.enter_context(billed(replica.tree)) for replica in replicas]
        volleys = _fire(replicas, [part[1] for part in parts])
    database_s = _backends_s(database) - backends
    redis_s = (redis.cpu_s() if redis else 0.0) - redis_s
    verified_s = _worked_s(replicas) - before
    recorded = [now - then for now, then in zip(asyncio.run(_recorded(database)), stored, strict=True)]
    known = _known(replicas) - known
    shots = [shot for volley in volleys for shot in volley.shots]
    answered = sum(shot.status == OK for shot in shots)
    grades = [grade for volley in volleys for body in volley.answers.values() for grade in trueward_grades(body)]
    service_s, workers_s = sum(bill.server_s for bill in bills), sum(bill.workers_s for bill in bills)
    total_s = service_s + workers_s + database_s + redis_s
    foreign_s = bills[0].foreign_s - database_s - redis_s - sum(bill.tree_s for bill in bills[1:])
    a_thousand = partial(lambda seconds: round(1000 * seconds / max(1, answered), 4))
    return Run(
        verdicts_per_s=round(answered / max(shot.done_s for shot in shots), 1),
        service_s=a_thousand(service_s),
        workers_s=a_thousand(workers_s),
        database_s=a_thousand(database_s),
        redis_s=a_thousand(redis_s),
        outside=round(max(0.0, 1 - verified_s / total_s), 4),
        known=known,
        failed=len(shots) - answered,
        missing=sum(grade is None for grade in grades),
        recorded=recorded == [answered + scale.warm] * 2,
        foreign_cores=round(max(0.0, foreign_s) / bills[0].wall_s, 3),
    )


def _fire(replicas: Sequence[Server], parts: Sequence[Path]) -> list[Volley]:
    each = partial(fire, connections=CONNECTIONS // len(replicas), seconds=MOST_S)
    with ThreadPoolExecutor() as threads:
        return list(threads.map(lambda pair: each(pair[0].port, pair[1]), zip(replicas, parts, strict=True)))


def _metric(replica: Server, pattern: str) -> float:
    return sum(float(found) for found in re.findall(pattern, replica.get("/metrics").decode(), re.MULTILINE))


def _worked_s(replicas: Sequence[Server]) -> float:
    return sum(_metric(replica, r"^trueward_verify_seconds_sum\S* (\S+)$") for replica in replicas)


def _known(replicas: Sequence[Server]) -> int:
    pattern = r'^trueward_shared_checks_total\{found="known"\} (\S+)$'
    return int(sum(_metric(replica, pattern) for replica in replicas))


def _backends_s(database: str) -> float:
    """CPU seconds of the database's sessions that are open; the services keep theirs."""
    name, used = str(make_url(database).database), 0.0
    for process in psutil.process_iter():
        with suppress(psutil.Error):
            if process.name() == "postgres" and f" {name} " in " ".join(process.cmdline()):
                times = process.cpu_times()
                used += times.user + times.system
    return used


async def _recorded(database: str) -> tuple[int, int]:
    """Verdicts in the ledger, and how many different records they have."""
    connection = await asyncpg.connect(database)
    try:
        row = await connection.fetchrow("SELECT count(*), count(DISTINCT record) FROM verdicts")
        return row[0], row[1]
    finally:
        await connection.close()


async def _on_server(statement: str) -> None:
    connection = await asyncpg.connect(POSTGRES)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


@contextmanager
def _database() -> Iterator[str]:
    name = f"trueward_bench_{uuid4().hex}"
    asyncio.run(_on_server(f'CREATE DATABASE "{name}"'))
    try:
        yield make_url(POSTGRES).set(database=name).render_as_string(hide_password=False)
    finally:
        asyncio.run(_on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


@dataclass(frozen=True, slots=True)
class _Redis:
    url: str
    process: psutil.Process

    def cpu_s(self) -> float:
        times = self.process.cpu_times()
        return float(times.user + times.system)


@contextmanager
def _redis() -> Iterator[_Redis]:
    port = free_port()
    command = ["redis-server", "--port", str(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
        try:
            _listens(port)
            yield _Redis(f"redis://127.0.0.1:{port}/0", psutil.Process(process.pid))
        finally:
            process.terminate()


def _listens(port: int) -> None:
    """Waits until somebody does. Raises OSError."""
    deadline = time.monotonic() + REDIS_S
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            if time.monotonic() > deadline:
                raise
        time.sleep(0.02)


def _show(middle: dict[str, list[Run]]) -> None:
    header = (
        "replicas",
        "verdicts/s",
        "service",
        "workers",
        "database",
        "Redis",
        "total",
        "outside",
        "known",
        "others",
    )
    body = [
        (
            name,
            f"{run.verdicts_per_s:,.0f}",
            *(f"{seconds:.2f}" for seconds in (run.service_s, run.workers_s, run.database_s, run.redis_s, run.total_s)),
            f"{run.outside:.0%}",
            f"{run.known}",
            f"{run.foreign_cores:.2f}",
        )
        for name, found in middle.items()
        for run in found
    ]
    rows("CPU seconds of 1,000 verdicts, by who spent them; `others`: cores that other processes used", header, body)


if __name__ == "__main__":
    main()
