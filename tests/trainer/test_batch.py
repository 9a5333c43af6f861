"""The parts of an update: every response once, groups whole where asked for, sizes those of the whole."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

from tests.trainer.tensors import some
from trueward_trainer.batch import Size


def test_the_size_counts_responses_that_learn() -> None:
    _, sampled = some()
    assert sampled.size == Size(sequences=6, tokens=int(sampled.mask.sum()), groups=2)
    mask = sampled.mask.clone()
    mask[3:] = 0
    assert replace(sampled, mask=mask).size == Size(3, 12, 1)
    assert some(empty=True)[1].size == Size(0, 0, 0)


@pytest.mark.parametrize("whole_groups", [False, True])
@pytest.mark.parametrize("at_most", [1, 2, 4, 100])
def test_parts_have_every_response_once_and_know_the_whole(at_most: int, whole_groups: bool) -> None:
    _, sampled = some()
    parts = list(sampled.split(at_most, whole_groups=whole_groups))
    assert sorted(int(row) for rows, _ in parts for row in rows) == list(range(6))
    for rows, part in parts:
        assert part.size == sampled.size
        assert part.logp_ref is not None
        assert part.logp_ref.shape == (len(rows), 9)
        assert torch.equal(part.group, sampled.group[rows])


def test_whole_groups_are_not_torn_and_share_a_part_where_there_is_room() -> None:
    _, sampled = some()
    mixed = replace(sampled, group=torch.tensor([5, 2, 5, 2, 5, 7]))
    parts = [sorted(part.group.tolist()) for _, part in mixed.split(3, whole_groups=True)]
    assert parts == [[2, 2], [5, 5, 5], [7]]
    assert [sorted(part.group.tolist()) for _, part in mixed.split(4, whole_groups=True)] == [[2, 2], [5, 5, 5, 7]]
    assert len(list(mixed.split(6, whole_groups=True))) == 1


def test_a_part_of_a_part_knows_the_whole() -> None:
    _, sampled = some()
    (_, part), *_ = sampled.split(3)
    (_, smaller), *_ = part.split(1)
    assert smaller.size == sampled.size
