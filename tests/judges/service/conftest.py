"""Real, tiny models in the service that tests share: what it says is worked out again by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.live import Service
from trueward import Client
from trueward.wire.model import ModelEntry

Add = Callable[..., str]


@pytest.fixture(scope="session")
def client(keyless: Service) -> Iterator[Client]:
    with Client(keyless.url) as client:
        yield client


@pytest.fixture(scope="session")
def add(client: Client) -> Add:
    """Registers a model and gives its name back."""

    def registered(name: str, kind: str, path: Path, **fields: object) -> str:
        entry = ModelEntry.model_validate({"name": name, "kind": kind, "path": str(path), **fields})
        return client.add_model(entry).id

    return registered


@contextmanager
def registered(client: Client, entry: ModelEntry) -> Iterator[str]:
    """The name of a model that is there within the block, for names that others take too."""
    yield client.add_model(entry).id
    client.delete_model(entry.name)
