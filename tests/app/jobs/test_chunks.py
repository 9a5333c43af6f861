"""Chunks: of a size, and never through the middle of a group."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from app.jobs.chunks import Chunks, chunk_length, units
from app.jobs.repository import QueuedItem
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


def chunked(groups: str, start: int, size: int, bound: int, *, whole: bool) -> tuple[list[str], list[int]]:
    """The groups of each chunk, and the positions in the order in which they were read."""
    stored = [QueuedItem(n, f"r{n}", f"i{n}", Sample(group=name).model_dump_json()) for n, name in enumerate(groups)]
    seen: list[int] = []

    async def read(position: int, limit: int) -> Sequence[QueuedItem]:
        found = stored[position : position + limit]
        seen.extend(item.position for item in found)
        return found

    async def to_the_end() -> list[str]:
        chunks, found = Chunks(read, start, len(groups), size=size, bound=bound, whole=whole), []
        while chunk := await chunks.next():
            assert [piece.sample.id for piece in chunk] == [piece.item.sample_id for piece in chunk]
            found.append("".join(piece.sample.group or "" for piece in chunk))
        return found

    return asyncio.run(to_the_end()), seen


@given(st.text("abc", max_size=40), st.integers(0, 40), st.integers(1, 6), st.integers(0, 8), st.booleans())
def test_each_item_is_read_once_and_in_one_chunk(groups: str, start: int, size: int, beyond: int, whole: bool) -> None:
    found, seen = chunked(groups, min(start, len(groups)), size, size + beyond, whole=whole)
    rest = groups[min(start, len(groups)) :]
    assert "".join(found) == rest
    assert seen == list(range(len(groups) - len(rest), len(groups)))
    assert all(len(chunk) <= size + beyond for chunk in found)


@given(st.text("abc", max_size=40), st.integers(1, 6))
def test_a_group_within_the_bound_is_in_one_chunk(groups: str, size: int) -> None:
    found, _ = chunked(groups, 0, size, len(groups) + size, whole=True)
    assert all(one[-1] != other[0] for one, other in pairwise(found))


def test_a_chunk_ends_at_the_bound_in_the_middle_of_a_group() -> None:
    assert chunked("aabbbbbbbc", 0, 3, 5, whole=True)[0] == ["aabbb", "bbbb", "c"]
    assert chunked("aabbbbbbbc", 0, 3, 5, whole=False)[0] == ["aab", "bbb", "bbb", "c"]
