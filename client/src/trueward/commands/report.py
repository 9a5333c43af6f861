"""What people see: one result and why, a summary of many, tables, progress. Never markup from outside."""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from trueward.printing import plain as plain
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome, Verdict

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

_WIDEST = 10_000
_MOST_REASONS = 5
_COLOURS = {Outcome.CORRECT: "green", Outcome.SCORED: "green", Outcome.PARTIAL: "yellow"}


def show_result(result: Verdict | Reward) -> None:
    """The outcome, then its grounds, on stdout."""
    colour = "yellow" if result.outcome.missing else _COLOURS.get(result.outcome, "red")
    grid = new_table()
    grid.add_row(_text(result.outcome.value, f"bold {colour}"), _text(_number(result), "bold"))
    for name, value in _grounds(result):
        grid.add_row(_text(name, "dim"), _text(value))
    show(grid)


def summary(results: Sequence[Verdict | Reward]) -> str:
    """One line: how many, how many of each outcome, and why of those that were not judged by their content."""
    reasons: dict[Outcome, Counter[str]] = {outcome: Counter() for outcome in Outcome}
    for result in results:
        reasons[result.outcome][_named(result)] += 1
    parts = [f"{codes.total():,} {outcome.value}{_why(outcome, codes)}" for outcome, codes in reasons.items() if codes]
    return plain(f"{len(results):,} samples: {', '.join(parts) or 'nothing to judge'}")


def _named(result: Verdict | Reward) -> str:
    """The reason code; with it which fields are unknown, for no code says that."""
    if result.reason_code != "unknown_field":
        return result.reason_code
    return f"unknown_field, {result.reason.partition(':')[0]}"


def _why(outcome: Outcome, codes: Counter[str]) -> str:
    """The reason codes of what is missing or invalid, the commonest first, each with its count where it has others."""
    if not (outcome.missing or outcome is Outcome.INVALID):
        return ""
    if len(codes) == 1:
        return f": {next(iter(codes))}"
    told = [f"{code} {count:,}" for code, count in codes.most_common(_MOST_REASONS)]
    rest = codes.total() - sum(count for _, count in codes.most_common(_MOST_REASONS))
    return f" ({', '.join([*told, f'others {rest:,}'] if rest else told)})"


@contextmanager
def bar(total: int) -> Iterator[Callable[[int, int], None]]:
    """A progress bar on stderr where that is a terminal; the callback takes what is done, and the total."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as progress:
        task = progress.add_task("samples", total=total)
        yield lambda done, total: progress.update(task, completed=done, total=total)


def new_table(*headings: str) -> Table:
    """A table without lines; without headings a grid."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD if headings else None, show_header=bool(headings), pad_edge=False)
    for heading in headings:
        table.add_column(_text(heading))
    return table


def add_row(table: Table, *cells: object) -> None:
    table.add_row(*(_text(str(cell)) for cell in cells))


def show(table: Table, *, whole: bool = False) -> None:
    """``whole``: as wide as it is, whatever the terminal: ids and many columns are of no use in pieces."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    if whole:
        wanted = console.measure(table, options=console.options.update(width=_WIDEST)).maximum
        console = Console(highlight=False, soft_wrap=True, width=max(wanted, console.width))
    console.print(table)


def show_json(value: object) -> None:
    """Indented JSON on stdout."""
    print(json.dumps(value, indent=2, ensure_ascii=False))


def _grounds(result: Verdict | Reward) -> Iterator[tuple[str, str]]:
    yield "why", f"{result.reason_code}: {result.reason}" if result.reason else result.reason_code
    if isinstance(result, Reward):
        yield from ((f"component {name}", str(value)) for name, value in result.components.items())
        yield from (("verifier", f"{made.name} {made.version}") for made in result.producers)
        return
    for name, value in result.evidence.items():
        yield name, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    if result.feedback:
        yield "feedback", result.feedback
    if result.producer:
        yield "verifier", f"{result.producer.name} {result.producer.version} ({result.producer.params[:19]}...)"
    yield "time", f"{result.elapsed_s * 1000:.2f} ms" + (" (cached)" if result.cached else "")


def _number(result: Verdict | Reward) -> str:
    value = result.reward if isinstance(result, Reward) else result.score
    name = "reward" if isinstance(result, Reward) else "score"
    return f"no {name}" if value is None else f"{name} {value:g}"


def _text(value: str, style: str = "") -> Text:
    """Text as it is: no markup either."""
    from rich.text import Text

    return Text(plain(value), style=style)
