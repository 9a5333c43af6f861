"""Whether anybody has committed: never a commit that is missed, whoever made it and whatever befell the file."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from app.kit.commits import Commits
from app.kit.datafile import DataFile


class Asked:
    """What :class:`Commits` asks of a database: the stamp of its file."""

    def __init__(self, file: DataFile) -> None:
        self.file = file

    def stamp(self) -> tuple[int, int] | None:
        return self.file.stamp()


@pytest.fixture
def file(tmp_path: Path) -> DataFile:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE t (a)")
    connection.close()
    opened = DataFile(path)
    opened.open()
    return opened


def commit(file: DataFile) -> None:
    with sqlite3.connect(file.path) as connection:
        connection.execute("INSERT INTO t VALUES (1)")
    connection.close()


def test_there_is_something_new_until_it_is_settled_and_after_each_commit(file: DataFile) -> None:
    commits = Commits(Asked(file))  # type: ignore[arg-type]
    for _ in range(3):
        assert commits.new()
        assert commits.new()
        commits.settle()
        assert not commits.new()
        commit(file)


def test_a_commit_between_the_look_and_the_end_of_the_reading_is_seen(file: DataFile) -> None:
    commits = Commits(Asked(file))  # type: ignore[arg-type]
    assert commits.new()
    commit(file)
    commits.settle()
    assert commits.new()


@pytest.mark.parametrize("count", range(5))
def test_a_commit_while_the_file_was_not_looked_at_is_seen(file: DataFile, count: int) -> None:
    """A new connection counts from the beginning: its number alone could be one that was settled before."""
    commits = Commits(Asked(file))  # type: ignore[arg-type]
    for _ in range(count):
        commit(file)
        commits.new()
    commits.new()
    commits.settle()
    file.close()
    commit(file)
    assert commits.new()


def test_of_a_file_in_trouble_everything_may_be_new(file: DataFile) -> None:
    commits = Commits(Asked(file))  # type: ignore[arg-type]
    commits.new()
    commits.settle()
    file.damage = "a page cannot be read"
    assert commits.new()
    commits.settle()
    assert commits.new()
