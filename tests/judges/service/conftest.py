"""One service with real, tiny models, for all tests of this folder: what it says is worked out again by hand."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.live import Service, serving
from trueward import Client
from trueward.models import ModelEntry

Add = Callable[..., str]


@pytest.fixture(scope="session")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("OMP_NUM_THREADS", "1")
        folder = tmp_path_factory.mktemp("judges")
        with serving(folder, workers="1", sandbox="off", model_device="cpu", model_queue_tokens="10000000") as live:
            yield live


@pytest.fixture(scope="session")
def client(service: Service) -> Iterator[Client]:
    with Client(service.url) as client:
        yield client


@pytest.fixture(scope="session")
def add(client: Client) -> Add:
    """Registers a model and gives its name back."""

    def registered(name: str, kind: str, path: Path, **fields: object) -> str:
        entry = ModelEntry.model_validate({"name": name, "kind": kind, "path": str(path), **fields})
        return client.add_model(entry).id

    return registered
