"""The presets that there are: the built-in folders beside this file, and folders that an operator adds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from judges.presets.preset import Preset
from judges.presets.slots import Mechanism

_BUILT_IN = Path(__file__).parent
_added: list[Path] = []
_kept: dict[str, Preset] = {}


def add_folder(folder: Path) -> None:
    """Adds the presets in ``folder``, a folder each; a name that is taken is refused.

    Raises ValueError with what is wrong. The folder is read once.
    """
    taken = set(_presets()) & {path.name for path in folders(folder)}
    if taken and folder not in _added:
        raise ValueError(f"{folder}: the name of a preset is taken: {', '.join(sorted(taken))}")
    if folder not in _added:
        from judges.presets.check import problems

        found = [Preset.read(path) for path in folders(folder)]
        for one in found:
            if wrong := problems(one):
                raise ValueError(f"the preset in {one.name} cannot be used: {'; '.join(wrong)}")
        if not found:
            raise ValueError(f"{folder}: no folder in it has a preset.yaml")
        _added.append(folder)
        _presets.cache_clear()


def keep(stored: Mapping[str, Preset]) -> None:
    """These are there beside those of folders, which come first where names are the same, and none that were kept
    before."""
    _kept.clear()
    _kept.update(stored)


def names(mechanism: Mechanism | None = None) -> list[str]:
    """Sorted; of one mechanism, or all."""
    there = {**_kept, **_presets()}
    return sorted(name for name, preset in there.items() if mechanism in (None, preset.head.mechanism))


def find(name: str) -> Preset:
    """Raises KeyError."""
    return _presets().get(name) or _kept[name]


@cache
def _presets() -> dict[str, Preset]:
    return {path.name: Preset.read(path) for folder in (_BUILT_IN, *_added) for path in folders(folder)}


def folders(folder: Path) -> list[Path]:
    """Those in a folder that hold a preset each, by name."""
    return sorted(path.parent for path in folder.glob("*/preset.yaml"))
