"""One thread: the models here are tiny, and the tests' processes share the machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.live import Service


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="package")
def service(keyless: Service) -> Service:
    """For all trainings that leave it running."""
    return keyless
