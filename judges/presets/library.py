"""The presets that there are: the folders beside this file, those of plug-ins, and those that an operator adds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from itertools import chain
from pathlib import Path
from types import ModuleType

from judges.presets.preset import Preset
from judges.presets.slots import Mechanism
from trueward.plugins import Kind, list_built_in, list_installed

GROUP = "trueward.presets"


def _defect(found: object, name: str) -> str:
    """What keeps a package from being one that holds folders of presets."""
    if not (isinstance(found, ModuleType) and found.__file__):
        return f"{found!r:.80} is not a package with a folder of its own"
    listed = folders(Path(found.__file__).parent)
    if not listed or name == _BUILT_IN:
        return "" if listed else "no folder in it has a preset.yaml"
    from judges.presets.check import problems

    wrong = [f"{path.name}: {'; '.join(found)}" for path in listed if (found := problems(Preset.read(path)))]
    return "; ".join(wrong)


_BUILT_IN = "built_in"
PACKAGES: Kind[ModuleType] = Kind(
    "package of presets", list_built_in(GROUP, {_BUILT_IN: "judges.presets"}), list_installed(GROUP), _defect
)
"""Packages that hold a folder for each preset; a preset whose name is taken is left out."""

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
    packages = [Path(str(package.__file__)).parent for package in PACKAGES.load_all().values()]
    found: dict[str, Preset] = {}
    for path in chain.from_iterable(map(folders, (*packages, *_added))):
        found.setdefault(path.name, Preset.read(path))
    return found


def folders(folder: Path) -> list[Path]:
    """Those in a folder that hold a preset each, by name."""
    return sorted(path.parent for path in folder.glob("*/preset.yaml"))
