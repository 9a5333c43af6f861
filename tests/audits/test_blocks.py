"""Groups go into requests whole."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from audits.subject_verdict import blocks


def test_groups_fill_a_request_and_a_large_one_comes_alone() -> None:
    assert [(one.start, one.stop) for one in blocks([3, 4, 2, 11, 1, 9], 8)] == [(0, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
    assert list(blocks([])) == []


@given(st.lists(st.integers(1, 12)), st.integers(1, 10))
def test_every_group_is_there_once_in_order(sizes: list[int], at_once: int) -> None:
    found = list(blocks(sizes, at_once))
    assert [place for one in found for place in range(len(sizes))[one]] == list(range(len(sizes)))
    for one in found:
        assert sum(sizes[one]) <= at_once or one.stop - one.start == 1
