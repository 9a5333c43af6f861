"""Chunks: of a size, and never through the middle of a group."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from app.jobs.chunks import chunk_length, units
from trueward import Sample


@given(st.lists(st.sampled_from("abc"), max_size=60), st.integers(1, 12))
def test_chunks_are_as_short_as_groups_allow_and_cut_none(groups: list[str], size: int) -> None:
    length = chunk_length(groups, size)
    assert min(size, len(groups)) <= length <= len(groups)
    assert length == len(groups) or groups[length - 1] != groups[length]
    if length > size:
        assert len(set(groups[size - 1 : length])) == 1


def test_no_items_make_no_chunk() -> None:
    assert chunk_length([]) == 0


def test_two_groups_of_one_pair_are_one_unit() -> None:
    samples = [Sample(prompt=prompt, pair=pair) for prompt, pair in [("q", "x"), ("r", "x"), ("s", None), ("s", None)]]
    first, second, third, fourth = units(samples)
    assert first == second != third == fourth
    assert units([Sample(group="x")]) != units([Sample(pair="x")])
