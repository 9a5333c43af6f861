"""Fuzzes every verifier for so many minutes in all: ``python -m tests.fuzz [--minutes 60] [--only NAME ...]``.

``code`` has a share of ten verifiers and ``math`` of five: a check of theirs takes as long as many others. Leaves
``benchmarks/results/fuzz.json``; ends with 1 where a response bought a null or crashed a verifier.
"""

from __future__ import annotations

import argparse
import asyncio
import secrets
from pathlib import Path

from pydantic_core import to_json
from rich.console import Console
from rich.table import Table

from benchmarks.processes import machine
from tests.fuzz.run import Tally, fuzz, fuzzed_lanes
from tests.fuzz.tasks import sound_tasks
from verifiers import registry

RESULT = Path(__file__).parents[2] / "benchmarks/results/fuzz.json"
_SHARES = {"code": 10, "math": 5}
_MILLION = 1_000_000


async def run(names: list[str], minutes: float, seed: str) -> dict[str, Tally]:
    shares = {name: _SHARES.get(name, 1) for name in names}
    found = {}
    async with fuzzed_lanes() as lanes:
        for name in names:
            tasks = await sound_tasks(lanes, name)
            seconds = 60 * minutes * shares[name] / sum(shares.values())
            found[name] = await fuzz(lanes, name, tasks, seed, seconds=seconds)
            print(f"{name}: {len(tasks)} tasks, {found[name].responses} responses", flush=True)
    return found


def per_million(count: int, of: int) -> float:
    return round(count * _MILLION / of, 2) if of else 0.0


def show(found: dict[str, Tally]) -> None:
    table = Table("verifier", "responses", "nulls", "crashes", "withheld", "codes")
    for name, tally in found.items():
        counts = [str(sum(part.values())) for part in (tally.nulls, tally.crashes, tally.withheld)]
        table.add_row(name, str(tally.responses), *counts, str(dict(tally.nulls + tally.crashes)))
    console = Console(width=150, highlight=False)
    console.print(table)
    for tally in found.values():
        for example in tally.examples:
            console.print(example, markup=False)


def main() -> None:
    parser = argparse.ArgumentParser(prog="tests.fuzz", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--seed", default=secrets.token_hex(4))
    parser.add_argument("--result", type=Path, default=RESULT)
    called = parser.parse_args()
    names = called.only or [point.name for point in registry.BUILT_INS]
    found = asyncio.run(run(names, called.minutes, called.seed))
    show(found)
    responses = sum(tally.responses for tally in found.values())
    nulls, crashes, withheld = (
        sum(sum(part.values()) for part in parts)
        for parts in zip(*((tally.nulls, tally.crashes, tally.withheld) for tally in found.values()), strict=True)
    )
    document = {
        "seed": called.seed,
        "minutes": called.minutes,
        "machine": machine(),
        "responses": responses,
        "nulls": nulls,
        "crashes": crashes,
        "withheld": withheld,
        "nulls_per_million": per_million(nulls, responses),
        "crashes_per_million": per_million(crashes, responses),
        "verifiers": found,
    }
    called.result.write_bytes(to_json(document, indent=1) + b"\n")
    print(f"{responses} responses, {nulls} nulls, {crashes} crashes, {withheld} withheld; seed {called.seed}")
    if nulls or crashes:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
