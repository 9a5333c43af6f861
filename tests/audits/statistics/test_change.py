"""The change of a rate between two versions on the same items: coverage, clusters, and their absence."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from audits.statistics.change import change, compare_pairs


@pytest.mark.parametrize(("up", "down"), [(0.2, 0.1), (0.1, 0.1), (0.3, 0.02), (0.05, 0.0)])
@pytest.mark.parametrize("items", [20, 60])
def test_the_interval_covers_as_often_as_it_says(up: float, down: float, items: int) -> None:
    """Exactly, over all that can be seen."""
    covered = 0.0
    for gained in range(items + 1):
        for lost in range(items + 1 - gained):
            low, high = compare_pairs(gained, lost, items)
            if low <= up - down <= high:
                seen = [gained, lost, items - gained - lost]
                covered += float(stats.multinomial.pmf(seen, items, [up, down, 1 - up - down]))
    assert covered > 0.93
    assert items < 60 or up + down < 0.2 or covered < 0.98, "wider than it need be"


def test_it_turns_around_with_the_versions() -> None:
    low, high = compare_pairs(7, 2, 40)
    assert compare_pairs(2, 7, 40) == pytest.approx((-high, -low))
    assert low < 5 / 40 < high


def test_no_item_says_nothing() -> None:
    assert compare_pairs(0, 0, 0) == (-1, 1)
    found = change(np.zeros(0), np.zeros(0), [])
    assert (found.value, found.interval) == (None, (-1, 1))
    assert "nothing has a verdict" in found.note


@pytest.mark.parametrize("counts", [(3, 2, 4), (-1, 0, 4)])
def test_counts_that_cannot_be_are_refused(counts: tuple[int, int, int]) -> None:
    with pytest.raises(ValueError, match="0 <= gained"):
        compare_pairs(*counts)


def test_items_that_are_alike_within_their_cluster_count_once() -> None:
    before = np.array([0.0] * 6 + [1.0] * 6)
    after = np.array([1.0] * 5 + [0.0] + [1.0] * 5 + [0.0])
    groups = np.arange(12)
    once = change(before, after, groups)
    often = change(np.repeat(before, 8), np.repeat(after, 8), np.repeat(groups, 8))
    assert once.value == often.value == pytest.approx(4 / 12)
    assert often.interval == pytest.approx(once.interval)
    assert often.interval == pytest.approx(compare_pairs(5, 1, 12))
    assert "12 clusters" in often.note


def test_with_enough_clusters_the_bootstrap_widens_what_clusters_share() -> None:
    chance = np.random.default_rng(5)
    flips = chance.choice([1.0, -1.0, 0.0], size=300, p=[0.3, 0.1, 0.6])
    before = np.where(flips == 1, 0.0, 1.0)
    after = np.where(flips == -1, 0.0, 1.0)
    alone = change(before, after, np.arange(300))
    shared = change(np.repeat(before, 4), np.repeat(after, 4), np.repeat(np.arange(300), 4))
    assert alone.note == "cluster bootstrap, 300 groups"
    plain = compare_pairs(int((flips == 1).sum()), int((flips == -1).sum()), 300)
    assert alone.interval == pytest.approx(plain, abs=0.02)
    assert shared.interval == pytest.approx(alone.interval, abs=0.02)
