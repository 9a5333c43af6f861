"""Many small cases in one test: each is checked, and all failures are shown together.

A test of its own for each of thousands of cases costs more than the cases themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

import pytest

T = TypeVar("T")
_SHOWN = 20
"""Failures that are shown whole; the others are named."""


def check_each(cases: Iterable[tuple[str, T]], check: Callable[[T], None]) -> None:
    """Calls ``check`` for every named case; fails with the names of all for which it raised, and if there is none."""
    failures: list[str] = []
    count = 0
    for name, case in cases:
        count += 1
        try:
            check(case)
        except Exception as failure:  # noqa: BLE001 - an error in one case must not hide the others
            words = f"{name}: {type(failure).__name__}: {failure}"
            failures.append(words if len(failures) < _SHOWN else name)
    assert count, "there is no case"
    if failures:
        pytest.fail(f"{len(failures)} of {count} cases failed\n" + "\n\n".join(failures), pytrace=False)
