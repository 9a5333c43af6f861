"""Effects through the service: ``python -m benchmarks.science [effect ...] [--short | --long] [--seeds N ...]``.

``--long`` is what is published: five seeds that no pilot has seen. ``--quick`` (default) is a pilot, two seeds of its
own or those that ``--seeds`` names; ``--short`` trains three steps. One thread, one training at a time.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path

import torch
from rich.console import Console

from benchmarks import servers
from benchmarks.report import Call, Form, called, finish, rows
from benchmarks.science.effect import Effect, Measured, Place, Scale

EFFECTS = ("noisy_form", "group_flips", "majority", "par", "likelihoods")
"""Modules of this package; each has an ``EFFECT``."""

FRESH = (1, 2, 3, 4, 5)
"""Seeds of the published run. Pilots have numbers from 100 on."""

SCALES: dict[Form, Scale] = {"short": Scale((100,), 3), "quick": Scale((101, 102)), "long": Scale(FRESH)}


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("effects", nargs="*")
    parser.add_argument("--seeds", nargs="+", type=int)
    mine, rest = parser.parse_known_args(arguments)
    call = called("science", (__doc__ or "").partition("\n")[0], rest)
    if unknown := {*mine.effects} - {*EFFECTS}:
        raise SystemExit(f"there is no effect {', '.join(sorted(unknown))}; there are {', '.join(EFFECTS)}")
    if mine.seeds and (call.form != "quick" or min(mine.seeds) < 100):
        raise SystemExit("--seeds are those of a pilot: from 100 on, without --long and --short")
    scale = Scale(mine.seeds) if mine.seeds else SCALES[call.form]
    torch.set_num_threads(1)
    os.environ["OMP_NUM_THREADS"] = "1"
    broken = [name for name in mine.effects or EFFECTS if not published(find(name), call, scale)]
    if broken:
        raise SystemExit(f"claims are broken: {', '.join(broken)}")


def find(name: str) -> Effect:
    found: Effect = import_module(f"benchmarks.science.{name}").EFFECT
    return found


def published(effect: Effect, call: Call, scale: Scale) -> bool:
    """Measures an effect through a service of its own, and writes and prints what it found. False: a broken claim."""
    print(f"=== science: {effect.name}: {effect.about}", flush=True)
    with servers.trueward(workers=1, **effect.service) as server, tempfile.TemporaryDirectory() as scratch:
        found = effect.measure(Place(server.url, Path(scratch)), scale)
    shown(found)
    document = {"scale": scale, "fixed": effect.fixed, "findings": found.findings, **found.document}
    try:
        finish(f"science-{effect.name}", call, document, found.claims)
    except SystemExit:
        return False
    return True


def shown(found: Measured) -> None:
    for table in found.tables:
        rows(table.title, table.header, table.rows)
    for one in found.findings:
        Console(width=150, highlight=False).print(str(one), markup=False)


if __name__ == "__main__":
    main()
