"""One thread: the models here are tiny, and the tests' processes share the machine."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from tests.live import Service, serving


@pytest.fixture(scope="package", autouse=True)
def _one_thread() -> Iterator[None]:
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(threads)


@pytest.fixture(scope="package")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """One for all trainings that need no models in it and leave it running."""
    with serving(tmp_path_factory.mktemp("training"), workers="1", sandbox="off") as live:
        yield live
