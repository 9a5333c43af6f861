"""`make demo-models`: verifiers that ask a model, on toy models that are built on the spot.

Trains three tiny models, starts a service of its own on a free port, registers them through the client, has a handful
of sums judged, gives the causal model newer weights, and prints what each says. Nothing is downloaded.
"""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from app.demo.models import show
from app.demo.models.train import Lessons, build
from app.demo.service import serving, stoppable
from trueward import Client


def main(console: Console, lessons: Lessons) -> None:
    with tempfile.TemporaryDirectory(prefix="trueward-demo-") as folder:
        console.print("Building toy models on the spot: tiny, untaught in anything but sums without a carry.")
        began = time.monotonic()
        toys = build(Path(folder), lessons)
        console.print(f"Trained a reward model, a process reward model and a causal model in {_since(began)}.\n")
        with serving(Path(folder)) as url, Client(url) as client:
            show.register(client, toys)
            cases = show.cases()
            console.print(show.judges_table(client, cases))
            before = show.likelihoods(client, cases)
            weights = show.push(client, toys)
            console.print(
                f"\nPushed version {weights.version} of the causal model's weights, which was trained longer."
            )
            console.print(show.likelihood_table(cases, before, show.likelihoods(client, cases)))
    console.print("\nThese are toys, and err now and then. Register models of your own: docs/models.md.")


def _since(began: float) -> str:
    return f"{time.monotonic() - began:.0f} s"


if __name__ == "__main__":
    with stoppable():
        main(Console(width=None if sys.stdout.isatty() else 160), Lessons())
