"""A long form in pieces: they run side by side, and what one found is kept, so that a run that was cut goes on.

Kept pieces lie in ``build/pieces``, by benchmark, form and commit. Where the checkout has changes that are not
committed nothing is kept: what they would change in a piece is not known.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from benchmarks.report import Call, commit

T = TypeVar("T")
SEEDS = 10
"""Of so many is a piece, where a form has seeds."""
KEPT = Path(__file__).parent.parent / "build" / "pieces"


def find_all(name: str, call: Call, work: Callable[..., T], pieces: Sequence[tuple[Any, ...]]) -> list[T]:
    """``work(*piece)`` for each piece, in their order.

    The long form runs as many at once as there are cores, each in a process of its own: ``work`` is a function of a
    module, and what it takes and returns can be pickled. Other forms run here, one after the other, and keep nothing.
    """
    if call.form != "long":
        return [work(*piece) for piece in pieces]
    folder = _folder(name, call)
    files = [folder / f"{work.__name__}-{number}.pickle" if folder else None for number in range(len(pieces))]
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=context) as processes:
        asked = [
            None if file and file.exists() else processes.submit(_found, work, piece, file)
            for piece, file in zip(pieces, files, strict=True)
        ]
        found = []
        for number, (future, file) in enumerate(zip(asked, files, strict=True), 1):
            found.append(_outcome(future, file))
            print(f"{name}: {work.__name__} {number} of {len(pieces)}", flush=True)
    return found


def find_by_seed(
    name: str, call: Call, work: Callable[..., Sequence[T]], pieces: Sequence[tuple[Any, ...]], seeds: Sequence[int]
) -> list[list[T]]:
    """What ``work(*piece, seeds)`` finds of each seed, for each piece; seeds are shared out in portions."""
    portions = [seeds[at : at + SEEDS] for at in range(0, len(seeds), SEEDS)]
    found = iter(find_all(name, call, work, [(*piece, portion) for piece in pieces for portion in portions]))
    return [[one for _ in portions for one in next(found)] for _ in pieces]


def _folder(name: str, call: Call) -> Path | None:
    at = commit()
    if at is None or at.endswith("+"):
        return None
    folder = KEPT / f"{name}.{call.form}.{at}"
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def _found(work: Callable[..., T], piece: tuple[Any, ...], file: Path | None) -> T:
    found = work(*piece)
    if file is not None:
        whole = file.with_suffix(f".{os.getpid()}")
        whole.write_bytes(pickle.dumps(found))
        whole.replace(file)
    return found


def _outcome(future: Future[T] | None, file: Path | None) -> T:
    if future is not None:
        return future.result()
    assert file is not None
    kept: T = pickle.loads(file.read_bytes())
    return kept
