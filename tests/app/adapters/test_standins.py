"""Each protocol, as its client sends it: the trainer learns nothing from a response that could not be judged."""

from __future__ import annotations

import pytest

from benchmarks.standing.protocols import PROTOCOLS
from benchmarks.standins import MOST, measured
from tests.live import Service


@pytest.mark.parametrize("scene", ["whole groups", "first", "random"])
@pytest.mark.parametrize("name", [*PROTOCOLS])
async def test_a_missing_member_has_no_advantage(keyless: Service, name: str, scene: str) -> None:
    found = await measured(name, scene, keyless.url, 4, told=True)
    assert found.missing >= 4
    assert found.greatest < MOST
