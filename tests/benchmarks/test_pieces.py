"""A long form in pieces goes on where it was cut."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from benchmarks import pieces
from benchmarks.report import Call


def count_calls(folder: Path, number: int) -> tuple[int, int]:
    """The number's square, and the process that found it; each call leaves a file."""
    (folder / f"{number}-{os.getpid()}").touch()
    if (folder / "broken").exists() and number == 2:
        raise ValueError("cut")
    return number**2, os.getpid()


@pytest.fixture
def kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(pieces, "KEPT", tmp_path / "pieces")
    monkeypatch.setattr(pieces, "commit", lambda: "abc1234")
    folder = tmp_path / "calls"
    folder.mkdir()
    return folder


def ask(form: str, folder: Path) -> list[int]:
    call = Call(form, folder)  # type: ignore[arg-type]
    return [square for square, _ in pieces.find_all("squares", call, count_calls, [(folder, n) for n in range(4)])]


def test_a_run_that_was_cut_asks_only_for_what_is_missing(kept: Path) -> None:
    (kept / "broken").touch()
    with pytest.raises(ValueError, match="cut"):
        ask("long", kept)
    (kept / "broken").unlink()
    assert ask("long", kept) == [0, 1, 4, 9]
    calls = sorted(int(one.name.partition("-")[0]) for one in kept.iterdir())
    assert calls == [0, 1, 2, 2, 3]
    assert ask("long", kept) == [0, 1, 4, 9]
    assert len(list(kept.iterdir())) == 5


def add_to_each(number: int, seeds: Sequence[int]) -> list[int]:
    assert len(seeds) <= pieces.SEEDS
    return [number + seed for seed in seeds]


def test_seeds_are_shared_out_and_found_in_their_order(tmp_path: Path) -> None:
    call = Call("short", tmp_path)
    for seeds in (range(0), range(3), range(100, 125)):
        found = pieces.find_by_seed("sums", call, add_to_each, [(1,), (1000,)], seeds)
        assert found == [[number + seed for seed in seeds] for number in (1, 1000)]


def test_nothing_is_kept_where_changes_are_not_committed(kept: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pieces, "commit", lambda: "abc1234+")
    assert ask("long", kept) == [0, 1, 4, 9]
    assert not pieces.KEPT.exists()


def test_other_forms_run_here_and_keep_nothing(kept: Path) -> None:
    assert ask("short", kept) == [0, 1, 4, 9]
    assert {one.name.partition("-")[2] for one in kept.iterdir()} == {f"{os.getpid()}"}
    assert not pieces.KEPT.exists()
