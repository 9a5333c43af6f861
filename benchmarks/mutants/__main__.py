"""Draws mutants, maps the tests that reach them, and tries them: see :mod:`benchmarks.mutants`."""

from __future__ import annotations

import argparse
import signal
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from rich.console import Console

from benchmarks.mutants.beside import beside
from benchmarks.mutants.checkout import Checkout
from benchmarks.mutants.choice import CHOSEN, choose, chosen, write
from benchmarks.mutants.marking import run_marked
from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.places import product
from benchmarks.mutants.reach import Reach, quickest
from benchmarks.mutants.results import HEADER, Results, Stage, lost, table
from benchmarks.mutants.trial import Trial
from benchmarks.report import rows
from benchmarks.shape.sources import read

LIMIT_S = 600.0


def main(arguments: Sequence[str] | None = None) -> None:
    """Ends with 1 where a comparison finds a loss."""
    called = _parser().parse_args(arguments)
    command: Callable[[argparse.Namespace], None] = called.command
    command(called)


def _choose(called: argparse.Namespace) -> None:
    drawn = choose(product(read(called.tree)))
    write(drawn, called.chosen)
    for mutant in drawn:
        print(mutant)
    print(f"written to {called.chosen}")


def _map(called: argparse.Namespace) -> None:
    mutants, place = _of(called), called.map or _beside_tree(called.tree, "map")
    if called.log:
        reach = Reach.of(called.log.read_text(encoding="utf-8").splitlines())
        reach.write(place)
    else:
        reach = run_marked(_checkout(called), mutants, called.tests, called.workers, place)
    there = _checkout(called).tests()
    for mutant in mutants:
        number = str(mutant.number)
        print(f"{mutant}: {len(reach.surely.get(number, ()))} files, {len(reach.tests(mutant, there))} in all")
    print(f"written to {place}")


def _run(called: argparse.Namespace) -> None:
    results = Results(called.results or _beside_tree(called.tree, "results"))
    place = called.map or _beside_tree(called.tree, "map")
    reach = Reach.read(place) if called.stage == "reach" or place.is_file() else Reach()
    tree, stage = _checkout(called), called.stage
    there, mutants = tree.tests(), _of(called)
    for mutant in mutants:
        if results.is_due(mutant.number, stage):
            files = _files(mutant, stage, tree, there, reach, results)
            results.add(Trial(tree, mutant, stage, called.limit_s, reach.files).run(files))
            done = results.all[-1]
            print(f"{mutant}: {done.word} {done.test} ({done.seconds:.0f} s, {len(done.files)} files)", flush=True)
    rows("Mutants", HEADER, table(mutants, results))


def _files(
    mutant: Mutant, stage: Stage, tree: Checkout, there: Sequence[str], reach: Reach, results: Results
) -> list[str]:
    """What has passed beside the module is not run again."""
    near = quickest(beside(mutant.path, there, tree.root, pure=mutant.pure), reach.files)
    if stage == "beside":
        return near
    before = results.of(mutant.number, "beside")
    passed = before.files if before and before.word == "survived" else ()
    return [file for file in dict.fromkeys([*near, *reach.tests(mutant, there)]) if file not in passed]


def _compare(called: argparse.Namespace) -> None:
    mutants, before, after = _of(called), Results(called.before), Results(called.after)
    for name, results in (("Before", before), ("After", after)):
        rows(name, HEADER, table(mutants, results))
    found, console = lost(mutants, before, after), Console(width=150, highlight=False)
    for kind, several in found.items():
        console.print(f"{kind}: {len(several)}", style="bold")
        for one in several:
            console.print(f"  {one}", markup=False)
    if any(found.values()):
        raise SystemExit(1)


def _of(called: argparse.Namespace) -> list[Mutant]:
    return [one for one in chosen(called.chosen) if not called.only or one.number in called.only]


def _checkout(called: argparse.Namespace) -> Checkout:
    return Checkout(called.tree, called.python, called.pytest)


def _beside_tree(tree: Path, what: str) -> Path:
    """Outside the tree, where no test of what belongs to the project finds it."""
    whole = tree.resolve()
    return whole.with_name(f"{whole.name}.{what}.json")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="benchmarks.mutants", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(required=True)
    drawing = commands.add_parser("choose", help="draw the mutants of a tree")
    drawing.set_defaults(command=_choose)
    mapping = commands.add_parser("map", help="run the suite once and note which test files reach which mutant")
    mapping.set_defaults(command=_map)
    mapping.add_argument("--workers", type=int, default=2, help="processes of the run")
    mapping.add_argument("--tests", nargs="+", default=["tests"], help="files and folders to run")
    mapping.add_argument("--log", type=Path, help="run nothing: the log of a run that was ended before it was read")
    trying = commands.add_parser("run", help="try the mutants that have no result")
    trying.set_defaults(command=_run)
    trying.add_argument("--stage", choices=("beside", "reach"), default="beside")
    trying.add_argument("--results", type=Path, help="default: beside the tree")
    trying.add_argument("--limit", dest="limit_s", type=float, default=LIMIT_S, help="seconds for a mutant's runs")
    comparing = commands.add_parser("compare", help="what was noticed before and is not after")
    comparing.set_defaults(command=_compare)
    comparing.add_argument("before", type=Path)
    comparing.add_argument("after", type=Path)
    for command in (drawing, mapping, trying):
        command.add_argument("--tree", type=Path, required=True, help="a copy of the checkout, whose files are changed")
    for command in (mapping, trying):
        command.add_argument("--python", type=Path, help="default: that of the tree's .venv")
        command.add_argument("--map", type=Path, help="the map; default: beside the tree")
        command.add_argument("--pytest", action="append", default=[], help="for every run, as in --pytest=-m=x")
    for command in (drawing, mapping, trying, comparing):
        command.add_argument("--chosen", type=Path, default=CHOSEN, help="the list of mutants")
        command.add_argument("--only", type=int, nargs="+", default=[], help="these numbers alone")
    return parser


if __name__ == "__main__":
    # a run that is ended puts the tree's files back
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    main()
