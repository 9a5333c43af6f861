"""Work for a process apart: each function is called in it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path


def own_process(*values: int) -> Iterator[int]:
    yield os.getpid()
    yield from values


def endless() -> Iterator[int]:
    yield 1
    while True:
        pass


def growing() -> Iterator[int]:
    yield 1
    held = []
    while True:
        held.append(bytearray(2**26))


def deep(level: int = 0) -> Iterator[int]:
    yield from deep(level + 1)


def aborting() -> Iterator[int]:
    yield 1
    os.abort()


def aborting_once(mark: str) -> Iterator[int]:
    if not Path(mark).exists():
        Path(mark).touch()
        os.abort()
    yield 1


def failing() -> Iterator[int]:
    yield 1
    raise ValueError("a bug of ours")
