"""Servers for the benchmarks that ask nothing particular of theirs: to start one costs more than a short form."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from benchmarks import servers
from benchmarks.servers import Server, Servers


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """With the benchmarks' plug-ins, and with room for what the short forms send at once."""
    with servers.trueward(workers=1, model_server_requests=256, max_waiting_samples=100_000) as started:
        yield started


@pytest.fixture(scope="module")
def one_thread() -> Iterator[None]:
    import torch

    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="module")
def peers() -> Iterator[Servers]:
    with Servers(new=False) as kept:
        yield kept


@pytest.fixture
def lent(server: Server, peers: Servers, monkeypatch: pytest.MonkeyPatch) -> None:
    """A benchmark that starts a service gets that one; a peer stays for the next that wants it."""
    peer = servers.peer

    @contextmanager
    def service(
        data_dir: Path | None = None, tree: Path = servers.ROOT, /, **settings: float | str
    ) -> Iterator[Server]:
        yield server

    monkeypatch.setattr(servers, "trueward", service)
    monkeypatch.setattr(servers, "peer", lambda *asked: peers.started(str(asked), lambda: peer(*asked)))
