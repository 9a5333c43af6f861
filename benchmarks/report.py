"""How a benchmark is called and what it leaves: three forms, a JSON document, a word on each aim.

``--short`` takes seconds and shows that the benchmark works; ``--quick``, the default, takes minutes; ``--long``
is what is published. Long results are ``benchmarks/results/<name>.json``, others ``<name>.<form>.json`` beside it.
"""

from __future__ import annotations

import argparse
import platform
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, get_args

from pydantic_core import to_json
from rich.console import Console
from rich.table import Table

from benchmarks.processes import machine

RESULTS = Path(__file__).parent / "results"
Form = Literal["short", "quick", "long"]


@dataclass(frozen=True, slots=True)
class Aim:
    """A number to reach. ``met`` is None where the run was too disturbed to tell."""

    name: str
    target: str
    reached: str
    met: bool | None
    limit: str
    """What keeps it from being better."""


@dataclass(frozen=True, slots=True)
class Call:
    form: Form
    results: Path


def called(name: str, about: str, arguments: Sequence[str] | None = None, default: Form = "quick") -> Call:
    parser = argparse.ArgumentParser(prog=f"benchmarks.{name}", description=about)
    forms = parser.add_mutually_exclusive_group()
    for form in get_args(Form):
        forms.add_argument(f"--{form}", dest="form", action="store_const", const=form, default=default)
    parser.add_argument("--results", type=Path, default=RESULTS, help="directory of the JSON document")
    parsed = parser.parse_args(arguments)
    return Call(parsed.form, parsed.results)


def finish(name: str, call: Call, document: Mapping[str, object], claims: Mapping[str, bool]) -> None:
    """Writes the document (dataclasses become objects) with what it was measured on.

    Ends the program with 1 where a claim is broken.
    """
    call.results.mkdir(parents=True, exist_ok=True)
    path = call.results / (f"{name}.json" if call.form == "long" else f"{name}.{call.form}.json")
    whole = {**_heading(name, call), "claims": claims, **document}
    path.write_bytes(to_json(whole, indent=1) + b"\n")
    console = Console(width=150, highlight=False)
    for claim, holds in claims.items():
        console.print(f"{'holds' if holds else 'BROKEN'}: {claim}")
    console.print(f"written to {path}")
    if not all(claims.values()):
        raise SystemExit(1)


def _heading(name: str, call: Call) -> dict[str, object]:
    return {
        "benchmark": name,
        "form": call.form,
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "commit": commit(),
        "python": platform.python_version(),
        "machine": machine(),
    }


def commit() -> str | None:
    """None outside a checkout; ``+`` at the end: with changes that are not committed."""
    git = ["git", "-C", str(RESULTS.parent), "describe", "--always", "--dirty=+", "--exclude=*"]
    try:
        return subprocess.run(git, capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def rows(title: str, header: Sequence[str], body: Sequence[Sequence[str]]) -> None:
    """A table on stdout; the first column is text, the others numbers."""
    table = Table(title=title, title_justify="left")
    for index, name in enumerate(header):
        table.add_column(name, justify="right" if index else "left")
    for row in body:
        table.add_row(*row)
    Console(width=150).print(table)


def show_aims(aims: Sequence[Aim]) -> None:
    console = Console(width=150, highlight=False)
    for aim in aims:
        word = {True: "met", False: "missed", None: "not measured"}[aim.met]
        console.print(f"{word}: {aim.name}: {aim.reached} (aim: {aim.target}). Limit: {aim.limit}")
