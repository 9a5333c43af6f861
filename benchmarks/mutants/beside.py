"""Which test files stand beside a module: those that mirror it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from benchmarks.mutants.purity import imported
from benchmarks.shape.sources import FOLDERS, Source

_CLIENT = "client/src/trueward"
_TRAINER = "trainer/src/trueward_trainer"


def beside(path: str, tests: Sequence[str], root: Path, *, pure: bool) -> list[str]:
    """Of the test files, those beside the module at ``path``.

    ``tests/<the same folder>/test_<module>.py``, or, where there is none, the files in the mirrored folder and below
    it that import the module by its name. Where that folder is not there, the one around it counts. A pure module
    that none imports may be tried through its neighbours: then all files of the mirrored folder itself count.
    """
    places = [place for folder in _folders(path) for place in _mirrors(folder, path)]
    exact = [place for place in places if place in tests]
    if exact:
        return exact
    module = Source(_package(path), path, "").module
    for folder in _folders(path):
        below = [test for test in tests if test.startswith(f"{_nearest(folder, tests)}/")]
        found = [test for test in below if module in imported(ast.parse((root / test).read_bytes()))]
        if found:
            return found
    return [test for test in tests if pure and str(PurePosixPath(test).parent) in _folders(path)]


def _folders(path: str) -> list[str]:
    """The folders of the tests that mirror the module's. The client's parts are tested at the top, or in its own."""
    folder = str(PurePosixPath(path).parent)
    if folder.startswith(_TRAINER):
        return [f"tests/trainer{folder.removeprefix(_TRAINER)}"]
    if not folder.startswith(_CLIENT):
        return [f"tests/{folder}"]
    inner = folder.removeprefix(_CLIENT)
    return [f"tests{inner}", f"tests/client{inner}"] if inner else ["tests/client"]


def _mirrors(folder: str, path: str) -> Iterator[str]:
    """A package's own file is tested under the package's name, in its folder or beside it."""
    stem, place = PurePosixPath(path).stem, PurePosixPath(folder)
    if stem == "__init__":
        yield str(place / f"test_{place.name}.py")
        yield str(place.parent / f"test_{place.name}.py")
    else:
        yield str(place / f"test_{stem.strip('_')}.py")


def _nearest(folder: str, tests: Sequence[str]) -> str:
    """The folder, or the innermost around it with tests, short of that of all tests."""
    place = PurePosixPath(folder)
    while len(place.parts) > 2 and not any(test.startswith(f"{place}/") for test in tests):
        place = place.parent
    return str(place)


def _package(path: str) -> str:
    return next(name for name, folder in FOLDERS.items() if path.startswith(f"{folder}/"))
