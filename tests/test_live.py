"""The suite's own services: forks of one template, whoever starts them and whoever waits for them."""

from __future__ import annotations

import functools
import time
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryFile

import pytest

from tests import live


def test_threads_that_ask_at_once_get_one_template(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []

    def make_slowly() -> object:
        made.append(object())
        time.sleep(0.05)
        return made[-1]

    monkeypatch.setattr(live, "_template", functools.cache(make_slowly))
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda _: live.template(), range(8)))
    assert found == made * 8


def test_threads_that_wait_for_one_fork_are_all_told_its_exit_code() -> None:
    with TemporaryFile() as printed, ThreadPoolExecutor(8) as threads:
        fork = live.start(["--version"], printed, printed)
        assert list(threads.map(lambda _: fork.wait(60.0), range(8))) == [0] * 8
