"""One run of the suite over a marked tree: every mutant's place tells when it runs (:mod:`benchmarks.mutants.marks`).

Nothing is faulty in this run. A test that reads the product's sources may fail in it, which does not matter here.
"""

from __future__ import annotations

import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from benchmarks.mutants import marks
from benchmarks.mutants.checkout import Checkout
from benchmarks.mutants.mutant import Mutant, marked
from benchmarks.mutants.reach import Reach

_MODULE = "_trueward_marks"
_START = "zz_trueward_marks.pth"


def run_marked(tree: Checkout, mutants: Sequence[Mutant], tests: Sequence[str], workers: int, place: Path) -> Reach:
    """Runs the tests once; ``place`` gets the map, and beside it are the log and what pytest printed."""
    log = place.with_suffix(".log").absolute()
    log.write_bytes(b"")
    # the service of a test may be another user's process
    log.chmod(0o666)
    parallel = [f"--numprocesses={workers}", "--dist=loadfile", "--no-loadscope-reorder"] if workers > 1 else []
    with tree.changed(marked_files(tree, mutants)), listening(tree.root, log):
        tree.pytest(["-p", _MODULE, *parallel, *tests], place.with_suffix(".out"))
    reach = Reach.of(log.read_text(encoding="utf-8").splitlines())
    reach.write(place)
    return reach


def marked_files(tree: Checkout, mutants: Iterable[Mutant]) -> dict[str, str]:
    """The files with mutants, marked; one that is not there any more is passed over."""
    by_path: defaultdict[str, list[Mutant]] = defaultdict(list)
    for mutant in mutants:
        by_path[mutant.path].append(mutant)
    there = {path: several for path, several in by_path.items() if (tree.root / path).is_file()}
    return {path: marked(tree.text(path), several) for path, several in there.items()}


@contextmanager
def listening(root: Path, log: Path) -> Iterator[None]:
    """Within the block every interpreter of the tree's environments notes marks in the log."""
    placed: list[Path] = []
    try:
        for packages in sorted(root.glob(".venv*/lib/python*/site-packages")):
            module, start = packages / f"{_MODULE}.py", packages / _START
            placed += [module, start]
            shutil.copyfile(marks.__file__, module)
            start.write_text(f"import {_MODULE}; {_MODULE}.listen({str(log)!r})\n", encoding="utf-8")
        yield
    finally:
        for path in placed:
            path.unlink(missing_ok=True)
