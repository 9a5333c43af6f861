"""The tiny models, built once a session, and one thread for torch: the machine is shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.judges.tiny import Tiny


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Tiny:
    import torch

    from tests.judges.tiny import Tiny

    torch.set_num_threads(1)
    return Tiny(tmp_path_factory.mktemp("tiny"))
