"""What the service makes is closed to other users of the machine; what was open before is named."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.kit.db import Database
from app.kit.migrate import upgrade
from app.kit.private import find_exposed, make_file, make_folder
from trueward.errors import Unusable


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


async def test_the_database_and_its_log_are_for_their_owner_alone(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'deep' / 'data' / 'trueward.db'}"
    await upgrade(url)
    async with Database(url) as db, db.write() as connection:
        await connection.exec_driver_sql("CREATE TABLE one (id TEXT)")
        folder = tmp_path / "deep" / "data"
        files = list(folder.iterdir())
        assert {path.name for path in files} == {"trueward.db", "trueward.db-shm", "trueward.db-wal"}
        assert {mode(path) for path in files} == {0o600}
        assert mode(folder) == 0o700


def test_what_exists_stays_as_it_is_and_is_named(tmp_path: Path) -> None:
    folder, file, closed = tmp_path / "data", tmp_path / "data" / "trueward.db", tmp_path / "data" / "secret"
    folder.mkdir()
    folder.chmod(0o755)
    file.write_text("kept")
    file.chmod(0o644)
    make_folder(folder)
    make_file(file)
    make_file(closed)
    assert (mode(folder), mode(file), mode(closed), file.read_text()) == (0o755, 0o644, 0o600, "kept")
    assert find_exposed(folder, [file, closed, folder / "missing"]) == [file]
    folder.chmod(0o777)
    assert find_exposed(folder, [file, closed]) == [folder, file]
    folder.chmod(0o1777)
    assert find_exposed(folder, [closed]) == []
    folder.chmod(0o750)
    assert find_exposed(folder, [file, closed]) == []


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "trueward.db"
    file.touch()
    monkeypatch.setattr(os, "access", lambda path, mode: mode == os.R_OK)  # whoever runs the suite may be root
    with pytest.raises(Unusable, match=rf"trueward\.db: Permission denied; let user {os.geteuid()} read and write it"):
        make_file(file)
