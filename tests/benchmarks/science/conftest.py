"""One service for the effects, and one thread."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from benchmarks import servers


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="package")
def service() -> Iterator[str]:
    with servers.trueward(workers=1) as server:
        yield server.url
