"""The SQLite file of a running service: what is found wrong with it is known, and no other file gets its rows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from app.kit.datafile import DataFile, FileReplaced, is_damage


def damage_of(path: Path) -> sqlite3.DatabaseError:
    """What SQLite says of a file that is no database."""
    path.write_bytes(b"no database " * 1000)
    with closing(sqlite3.connect(path)) as connection, pytest.raises(sqlite3.DatabaseError) as met:
        connection.execute("SELECT * FROM sqlite_master")
    return met.value


def test_damage_is_logged_once_and_stays_known(tmp_path: Path) -> None:
    file = DataFile(tmp_path / "a.db")
    error = damage_of(file.path)
    with capture_logs() as lines:
        file.note_error(error)
        assert not file.damage  # a start that meets it says so itself
        file.open()
        file.note_error(sqlite3.IntegrityError("twice"))
        assert not file.damage
        file.note_error(error)
        file.note_error(error)
    assert str(file.path) in file.damage
    assert [line["event"] for line in lines] == ["the database is damaged"]
    assert not is_damage(None)


def test_a_file_that_is_not_the_one_is_named_until_it_is_back(tmp_path: Path) -> None:
    file = DataFile(tmp_path / "a.db")
    file.check()  # before it is opened there is nothing to compare
    file.path.touch()
    file.open()
    file.check()
    file.path.rename(tmp_path / "elsewhere.db")
    with pytest.raises(FileReplaced, match=r"removed or replaced.*a\.db"):
        file.check()
    file.path.touch()
    with pytest.raises(FileReplaced):
        file.check()
    (tmp_path / "elsewhere.db").replace(file.path)
    file.check()
