"""Two replicas: real processes on one PostgreSQL and one Redis."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2

from tests.live import Service, serving

SECRET = "one secret for both replicas"


@dataclass(frozen=True, slots=True)
class Replica:
    service: Service
    http: httpx2.Client

    @property
    def url(self) -> str:
        return self.service.url

    def metric(self, line: str) -> float:
        found = re.search(rf"^{re.escape(line)} (\S+)$", self.http.get("/metrics").text, re.MULTILINE)
        return float(found[1]) if found else 0.0

    def readiness(self) -> dict[str, bool]:
        """By part; whether all is ready under the empty name."""
        said = self.http.get("/health/ready").json()
        return {"": said["ready"], **{check["name"]: check["ok"] for check in said["checks"]}}


@contextmanager
def replica(
    folder: Path,
    database: str,
    redis: str,
    *,
    port: int | None = None,
    prefix: Sequence[str | Path] = (),
    **settings: str,
) -> Iterator[Replica]:
    folder.mkdir(exist_ok=True)
    named = {"database_url": database, "redis_url": redis, "secret": SECRET, "workers": "1", **settings}
    with (
        serving(folder, port=port, prefix=prefix, **named) as service,
        httpx2.Client(base_url=service.url, timeout=60.0, trust_env=False) as http,
    ):
        yield Replica(service, http)


@contextmanager
def pair(folder: Path, database: str, redis: str, **settings: str) -> Iterator[tuple[Replica, Replica]]:
    """They start at once, and one of them migrates."""
    with ExitStack() as stack, ThreadPoolExecutor() as threads:
        starting = [
            replica(folder / name, database, redis, port=None, prefix=(), **settings) for name in ("one", "other")
        ]
        one, other = threads.map(stack.enter_context, starting)
        yield one, other
