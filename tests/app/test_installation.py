"""What is said of an installation's settings."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.installation import examine
from app.settings import Settings


async def test_a_misspelt_setting_is_a_finding_and_a_variable_of_somebody_else_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data_dir=tmp_path, sandbox="off")
    monkeypatch.setenv("TRUEWARD_TEAM_OF_MINE", "1")
    found, *_ = await examine(settings)
    assert (found.check, found.ok) == ("settings", True)
    assert "TRUEWARD_TEAM_OF_MINE" in found.detail
    monkeypatch.setenv("TRUEWARD_WORKRES", "4")
    found, *_ = await examine(settings)
    assert not found.ok
    assert "TRUEWARD_WORKRES (TRUEWARD_WORKERS?)" in found.detail
