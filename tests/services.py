"""Services that the tests of a process share: each is started at its first use, and its data is thrown away.

A test that needs what a service does by default takes one of these, and names its runs and recipes apart; its models
are removed when its module ends. A module that looks at what a service has as a whole, such as its labels or its
freezes, takes :func:`project`: it sees what it made itself, and no more. A test that stops its service, or needs a
setting, has one of its own (:func:`tests.live.serving`).
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from tests.databases import fresh_name, on_server, postgres_url
from tests.judges.presets.folder import write
from tests.live import Service, first_key, serving

PRESET = "own"
"""A preset that all of them have besides the built-in ones."""
SHARED: list[Service] = []
"""Those of this process that run and ask for no key."""
ON_BOTH = ["keyless", pytest.param("on_postgres", marks=pytest.mark.postgres)]
"""The names of the fixtures with a :class:`Keyless`, for tests whose point is the database."""


@dataclass(frozen=True, slots=True)
class Keyless(Service):
    """One that asks for no keys; ``database_url`` is for tests that look, or write, behind its back."""

    database_url: str


@dataclass(frozen=True, slots=True)
class Keyed(Service):
    """One that asks for keys; ``admin`` is that of its administrator."""

    admin: str

    @classmethod
    def first(cls, live: Service) -> Keyed:
        """The service with its first key, which is made on the machine that has the database."""
        return cls(live.url, live.process, live.log, first_key(live.data_dir))

    def key(self, *scopes: str, project: str | None = None, name: str = "test") -> dict[str, str]:
        """A new key as it was answered: its text is ``key``."""
        return self._post("keys", {"name": name, "scopes": scopes, "project": project})

    def project(self, name: str) -> Project:
        self._post("projects", {"name": name})
        return Project(self, name, self.key("admin", project=name)["key"])

    def _post(self, path: str, body: dict[str, object]) -> dict[str, str]:
        answer = httpx2.post(f"{self.url}/k/{self.admin}/v1/{path}", json=body, timeout=60.0, trust_env=False)
        assert answer.status_code == 201, answer.text
        made: dict[str, str] = answer.json()
        return made


@dataclass(frozen=True, slots=True)
class Project:
    """A project of a service that asks for keys, and the key of the project's own administrator."""

    service: Keyed
    name: str
    key: str

    @property
    def url(self) -> str:
        """The base URL of whoever sends no header: it has the key in it."""
        return f"{self.service.url}/k/{self.key}"


@contextmanager
def shared(folder: Path, **settings: str) -> Iterator[Service]:
    """A service with what one test or another needs and no test minds: models on the CPU, a preset of one's own."""
    presets = folder / "presets"
    presets.mkdir()
    write(presets, PRESET)
    models = {"model_device": "cpu", "model_queue_tokens": "10000000"}
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        with serving(folder, presets=json.dumps([str(presets)]), **models, **settings) as live:
            yield live


@pytest.fixture(scope="session")
def keyless(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyless]:
    """On SQLite."""
    with shared(tmp_path_factory.mktemp("keyless")) as live:
        SHARED.append(live)
        yield Keyless(live.url, live.process, live.log, f"sqlite:///{live.data_dir / 'trueward.db'}")
        SHARED.remove(live)


@pytest.fixture(scope="session")
def on_postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyless]:
    """The same on PostgreSQL, where it made the tables itself. For tests with the mark ``postgres``."""
    name = fresh_name()
    asyncio.run(on_server(f'CREATE DATABASE "{name}"'))
    with shared(tmp_path_factory.mktemp("on-postgres"), database_url=postgres_url(name)) as live:
        SHARED.append(live)
        yield Keyless(live.url, live.process, live.log, postgres_url(name))
        SHARED.remove(live)
    asyncio.run(on_server(f'DROP DATABASE "{name}" WITH (FORCE)'))


@pytest.fixture(scope="module", autouse=True)
def _no_model_is_left() -> Iterator[None]:
    """Where a request names no model, the only one of its kind answers: another module's would be a second."""
    yield
    for live in SHARED:
        with httpx2.Client(base_url=f"{live.url}/v1/", timeout=60.0, trust_env=False) as http:
            for model in http.get("models").json()["data"]:
                http.delete(f"models/{model['id']}").raise_for_status()


@pytest.fixture(scope="session")
def keyed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Keyed]:
    """Its log has a line for every request."""
    with shared(tmp_path_factory.mktemp("keyed"), auth="keys", log_level="debug") as live:
        yield Keyed.first(live)


@pytest.fixture(scope="module")
def project(keyed: Keyed, request: pytest.FixtureRequest) -> Project:
    """A project of the module's own."""
    return keyed.project(re.sub("[^a-z0-9]+", "-", request.module.__name__.lower())[-60:].strip("-"))
