"""What the statistics take: one-dimensional sequences of equal length, checked before anything is computed.

Truth is 1 or 0 and always there. A verdict is 1 (accepted), 0 (rejected) or missing (None or NaN). A number is finite.
Whatever else comes in is a ValueError that names the argument and says what to do; nothing is dropped in silence.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]

Verdicts = ArrayLike | Sequence[float | None]
"""One verdict per item: 1 or True (accepted), 0 or False (rejected), None or NaN (no verdict)."""

Ratings = ArrayLike | Sequence[Sequence[float | None]]
"""Items x raters, None or NaN where one is missing."""

Groups = Sequence[Hashable] | NDArray[np.generic]
"""One id per item; items of one id are judged on the same prompt."""


def numbers(name: str, values: ArrayLike) -> Floats:
    """Finite numbers as float64."""
    array = _vector(name, values)
    broken = int(np.count_nonzero(~np.isfinite(array)))
    if broken:
        raise ValueError(f"{name} holds {broken} missing or infinite values: leave those items out and report how many")
    return array


def shares(name: str, values: ArrayLike) -> Floats:
    """Numbers in [0, 1]."""
    array = numbers(name, values)
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        raise ValueError(f"{name} must lie in [0, 1], got {array.min():g} to {array.max():g}")
    return array


def probabilities(name: str, values: ArrayLike) -> Floats:
    """Numbers in (0, 1]: an item that could not be drawn cannot stand for others."""
    array = shares(name, values)
    if not array.all():
        raise ValueError(f"{name} holds zeros: an item with probability 0 is never drawn, so it stands for nothing")
    return array


def truths(name: str, values: ArrayLike) -> Bools:
    """Labels: 1 or 0, none missing."""
    array = _vector(name, values)
    if np.isnan(array).any():
        raise ValueError(f"{name} holds {int(np.isnan(array).sum())} missing labels: leave those items out")
    if not ((array == 0) | (array == 1)).all():
        raise ValueError(f"{name} must be 0 or 1")
    truth: Bools = array == 1
    return truth


def verdicts(name: str, values: Verdicts) -> Floats:
    """Verdicts: 1.0, 0.0, or NaN where there is none."""
    array = _vector(name, values)
    if not ((array == 0) | (array == 1) | np.isnan(array)).all():
        raise ValueError(f"{name} must be 1 (accepted), 0 (rejected) or None (no verdict): give scores a threshold")
    return array


def codes(name: str, ids: Groups) -> Ints:
    """Ids as 0, 1, 2, ... in order of appearance."""
    if isinstance(ids, np.ndarray) and np.issubdtype(ids.dtype, np.integer):
        _, inverse = np.unique(ids, return_inverse=True)
        return np.asarray(inverse, dtype=np.int64)
    known: dict[Hashable, int] = {}
    listed: Sequence[Hashable] = ids.tolist() if isinstance(ids, np.ndarray) else ids
    found = np.fromiter((known.setdefault(one, len(known)) for one in listed), dtype=np.int64, count=len(listed))
    if None in known:
        raise ValueError(f"{name} holds items without an id: give each item its group, its own id where it has none")
    return found


def same_length(**arrays: Sequence[object] | NDArray[np.generic]) -> int:
    """The common length. Raises ValueError where lengths differ."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError("one entry per item is needed: " + ", ".join(f"{n} has {size}" for n, size in lengths.items()))
    return next(iter(lengths.values()))


def in_open_unit(name: str, value: float) -> float:
    """A level, power or bound: strictly between 0 and 1."""
    if not 0 < value < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1, got {value:g}")
    return value


def _vector(name: str, values: Verdicts) -> Floats:
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError) as failure:
        raise ValueError(f"{name} must be numbers: {failure}") from failure
    if array.ndim != 1:
        raise ValueError(f"{name} must have one dimension, got shape {array.shape}")
    return array
