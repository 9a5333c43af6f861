"""Servers live as long as the form says, and a footprint is read when nothing moves any more."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path

import pytest

from benchmarks.processes import Tree
from benchmarks.servers import Server, Servers


def recorded(told: list[str], name: str) -> Callable[[], AbstractContextManager[Server]]:
    """Starts a server that is none, and tells when it starts and when it ends."""

    @contextmanager
    def start() -> Iterator[Server]:
        told.append(f"{name} starts")
        # it is never asked for its process
        yield Server(0, None, Path(name))  # type: ignore[arg-type]
        told.append(f"{name} ends")

    return start


@pytest.mark.parametrize(
    ("new", "expected"),
    [
        (True, ["a starts", "a ends", "b starts", "b ends", "a starts", "a ends"]),
        (False, ["a starts", "b starts", "b ends", "a ends"]),
    ],
)
def test_a_server_is_new_each_time_or_stays_to_the_end(new: bool, expected: list[str]) -> None:
    told: list[str] = []
    with Servers(new=new) as running:
        for name in ("a", "b", "a"):
            with running.started(name, recorded(told, name)) as server:
                assert server.log == Path(name)
    assert told == expected


def test_a_settled_footprint_is_of_as_many_processes_as_were_waited_for() -> None:
    tree = Tree(os.getpid())
    before = tree.footprint().processes
    with subprocess.Popen(["sleep", "1000"]) as child:
        assert tree.settled(before + 1).processes == before + 1
        child.kill()
    assert tree.settled(before).processes == before
