"""The library itself: imported in workers alone, where a scorer that hangs is killed.

Importing this module imports reasoning-gym (a third of a second), but not what its games of life alone need: a library
that brings matplotlib (two thirds more).
"""

from __future__ import annotations

import json
import math
import sys
import warnings
from contextlib import suppress
from copy import deepcopy
from functools import lru_cache
from importlib import import_module
from importlib.metadata import version
from types import ModuleType

from pydantic import JsonValue

from verifiers.procedural.reference import Reference

_LIFE = "cellpylib"


class _Later(ModuleType):
    """Stands for a module until it is first asked for anything."""

    def __getattr__(self, name: str) -> object:
        if name.startswith("__"):  # whoever looks through all modules, such as inspect
            raise AttributeError(name)
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(import_module(self.__name__), name)


sys.modules.setdefault(_LIFE, _Later(_LIFE))
with warnings.catch_warnings():
    # third parties' deprecations are not ours to raise
    warnings.simplefilter("ignore")
    from reasoning_gym.dataset import ProceduralDataset
    from reasoning_gym.factory import create_dataset

VERSION = version("reasoning-gym")
_NONSENSE = ("?!", "nan")


class Unscorable(ValueError):
    """The scorer raised on this answer, or gave no number from 0 to 1."""


@lru_cache(maxsize=256)
def load_entry(reference: Reference) -> tuple[ProceduralDataset, dict[str, JsonValue]]:
    """The data set and the entry. Raises whatever the library raises for a bad config or index."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        dataset = create_dataset(reference.dataset, **json.loads(reference.config))
        entry = json.loads(reference.entry) if reference.entry else dataset[reference.place]
    return dataset, entry


def doubt(reference: Reference) -> str | None:
    """Why the entry is not judged: its own answer fails, or nonsense passes. An entry may have no answer of its own."""
    own = load_entry(reference)[1]["answer"]
    if isinstance(own, str) and (reached := score(reference, own)) < 1:
        return f"gives the entry's own answer {reached:g}: send config and index instead"
    for nonsense in _NONSENSE:
        with suppress(Unscorable):
            if own != nonsense and score(reference, nonsense) == 1:
                return f"takes {nonsense!r} as right"
    return None


def score(reference: Reference, answer: str) -> float:
    """In [0, 1]. Raises :class:`Unscorable`."""
    dataset, entry = load_entry(reference)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # some scorers write into the entry
            found = float(dataset.score_answer(answer, deepcopy(entry)))
    except (MemoryError, RecursionError):
        raise
    except Exception as failure:  # the library's scorers fail in undeclared ways
        raise Unscorable(f"the scorer raised {type(failure).__name__}") from failure
    if not (math.isfinite(found) and 0 <= found <= 1):
        raise Unscorable(f"the scorer gave {found}")
    return found
