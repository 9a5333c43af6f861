"""What strangers name or write is no way to another folder, no other metric, and moves no terminal."""

from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward.sinks.names import file_name, number_name, shorten


@given(st.text(max_size=300))
def test_a_file_name_is_one_part_of_a_path(run: str) -> None:
    name = file_name(run)
    assert PurePosixPath(name).parts == (name,)
    assert name not in (".", "..")
    assert len(name) < 200


@given(st.text(max_size=200), st.text(max_size=200))
def test_two_runs_have_two_files(one: str, other: str) -> None:
    assert (file_name(one) == file_name(other)) == (one == other)


def test_a_plain_name_stays_what_it_is() -> None:
    assert file_name("grpo-7b_v2.1") == "grpo-7b_v2.1"
    assert number_name("component/math") == "component/math"


@pytest.mark.parametrize("name", ["../../etc/x", "a//b", "a/../b", "\x1b[2J", "a\nb", "", "x" * 500])
def test_a_number_has_a_name_that_every_sink_takes(name: str) -> None:
    parts = number_name(name).split("/")
    assert all(part.strip(".") for part in parts)
    assert all(character.isalnum() or character in "_.-/" for character in number_name(name))


def test_texts_are_cut_and_hold_no_control_character() -> None:
    assert shorten("\x1b[31mred\u202e") == "\ufffd[31mred\ufffd"
    assert len(shorten("x" * 100_000)) == 2001
