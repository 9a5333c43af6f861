"""Measures the code's shape and holds it against the numbers that it is written for.

``python -m benchmarks.shape [--short | --long]``. Prints a row a package, the places to look at, and a word on each
number; writes ``results/shape.json``. The forms differ in how often an import is timed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from benchmarks.report import Form, called, finish, rows, show_aims
from benchmarks.shape.annotations import any_in_public
from benchmarks.shape.dead import ALLOWED, allowed, dead
from benchmarks.shape.duplicates import LEAST, duplicates, pairs
from benchmarks.shape.excepts import broad
from benchmarks.shape.imports import circles, edges, package_of, part_of, rules
from benchmarks.shape.line_kinds import KINDS
from benchmarks.shape.names import shared_classes
from benchmarks.shape.package import HEADER, Package
from benchmarks.shape.sizes import SMALL, small
from benchmarks.shape.sources import BESIDE, FOLDERS, Source, read
from benchmarks.shape.standard import held
from benchmarks.shape.startup import Startup, startup
from benchmarks.shape.suite import Suite, suites
from benchmarks.shape.way import Way, ways

STATEMENTS = ("import trueward", "import app.main")
ROUNDS: dict[Form, int] = {"short": 1, "quick": 2, "long": 3}
_SHOWN = 12
"""Places of a kind that are printed; the document has all."""


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("shape", (__doc__ or "").partition("\n")[0], arguments, default="long")
    sources = read()
    installed = [one for one in sources if one.package not in BESIDE]
    packages = [Package.of(name, [one for one in sources if one.package == name]) for name in FOLDERS]
    everything, product = Package.of("all", sources), Package.of("all that is installed", installed)
    found = places(sources, installed)
    starts = [startup(statement, ROUNDS[call.form]) for statement in STATEMENTS]
    ran, entered = suites(), ways()
    aims = held(everything, product, next(one for one in packages if one.name == "tests"))
    document = {
        "packages": [*packages, product, everything],
        "imports": {part: sorted(others) for part, others in edges(sources, package_of).items()},
        "places": found,
        "starts": starts,
        "ways": entered,
        "suites": {name: one.document() for name, one in ran.items()},
        "aims": aims,
    }
    _show([*packages, product, everything], found, starts, entered, ran)
    show_aims(aims)
    finish("shape", call, document, {f"import rule: {name}": kept for name, kept in rules().items()})


def places(sources: Sequence[Source], installed: Sequence[Source]) -> dict[str, list[str]]:
    """What each search found, by what it looks for."""
    alike = duplicates(sources)
    unreached = dead(sources, allowed(ALLOWED.read_text(encoding="utf-8")))
    return {
        "named by nothing": [str(one) for one in unreached if not one.tested],
        "named by tests alone": [str(one) for one in unreached if one.tested],
        f"of one shape, {LEAST} lines and more ({pairs(alike)} pairs)": [" = ".join(group) for group in alike],
        "broad excepts without a reason": broad(sources).without_reason,
        "Any in public signatures of what is installed": any_in_public(installed),
        f"files of at most {SMALL} lines of what is installed": small(installed),
        "public classes of what is installed that share a name": shared_classes(installed),
        "parts in a circle": [" ".join(one) for one in circles(edges(installed, part_of))],
    }


def _show(
    packages: Sequence[Package],
    found: Mapping[str, Sequence[str]],
    starts: Sequence[Startup],
    entered: Sequence[Way],
    ran: Mapping[str, Suite],
) -> None:
    rows("The shape of the code", HEADER, [one.row for one in packages])
    kinds = [[p.name, *(f"{p.line_kinds[kind]:,}" for kind in KINDS)] for p in packages]
    rows("What lines hold", ["package", *KINDS], kinds)
    rows("The longest", ["package", "file", "function"], [[p.name, p.files.where, p.functions.where] for p in packages])
    body = [[one.statement, f"{one.cpu_s:.2f}", str(one.modules), _counted(one.largest)] for one in starts]
    rows("Start-up", ["statement", "CPU seconds", "modules", "of which"], body)
    body = [[one.request, str(one.files), str(one.hops), str(one.calls)] for one in entered]
    rows("A request's way", ["request", "files", "hops", "calls"], body)
    console = Console(width=150, highlight=False)
    if not ran:
        console.print("make test: not run in this checkout")
    for name, suite in ran.items():
        _show_suite(name, suite, console)
    for kind, several in found.items():
        console.print(f"{kind}: {len(several)}", style="bold")
        for one in several[:_SHOWN]:
            console.print(f"  {one}", markup=False)
        if len(several) > _SHOWN:
            console.print(f"  and {len(several) - _SHOWN} more")


def _show_suite(name: str, suite: Suite, console: Console) -> None:
    console.print(f"make {name}: {suite.summary}")
    for what, timings in (("folders", suite.folders), ("files", suite.files), ("tests", suite.slowest)):
        body = [
            [one.name, str(one.tests), f"{one.seconds:.1f}", f"{one.cpu_s:.1f}", str(one.services)]
            for one in timings[:_SHOWN]
        ]
        rows(f"make {name}: the slowest {what}", ["", "tests", "seconds", "CPU seconds", "services"], body)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.items())


if __name__ == "__main__":
    main()
