"""The arithmetic of the sizing page, and that the page has what it comes to."""

from __future__ import annotations

import pytest

from benchmarks.sizing import PAGE, Mix, filled, need


def test_the_page_has_the_table_that_the_results_make() -> None:
    page = PAGE.read_text(encoding="utf-8")
    assert filled(page) == page


def test_a_part_is_as_large_as_its_work_over_how_full_it_may_be() -> None:
    found = need(600.0, 0.001, Mix(checked=0.1, programs=0.05, models=0.5), full=0.5)
    # 0.6 cores of serving, 0.6 of checks, 6 programs at once, 300,000 tokens a second of 50,000
    assert (found.replicas, found.workers, found.sandboxes, found.gpus) == (2, 2, 12, 12)
    assert found.database_bytes_s == pytest.approx(2.4e6)


def test_nothing_is_needed_of_a_part_that_nothing_asks() -> None:
    assert need(1e6, 1e-3, Mix(0.0, 0.0, 0.0)).gpus == 0
