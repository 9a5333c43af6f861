"""`make demo-real`: a real language model learns sums from the rewards of a service, in some minutes on two cores.

Unpacks SmolLM2-135M-Instruct, starts a service of its own, and trains it with `trueward train` by the recipe `math`,
then once more on the toss of a coin, which teaches nothing. Prints the accuracy on prompts that it did not learn from,
and some of what was paid, with the reasons. On a terminal the service then stays, with the run's page.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console

from app.demo.real import show
from app.demo.real.model import MODELS, NAME, unpack_model
from app.demo.service import serving, stay, stoppable
from trueward_trainer.config import load
from trueward_trainer.example import HELD_OUT, write_example
from trueward_trainer.training import train

RUN = "demo-real"


def main(console: Console, steps: int) -> None:
    _quiet()
    if not (MODELS / NAME).exists():
        console.print(f"Unpacking {NAME} into {MODELS}: once, and it takes up to some minutes.")
    model = unpack_model()
    console.print("Starting a service.")
    with tempfile.TemporaryDirectory(prefix="trueward-demo-") as scratch, serving(Path(scratch) / "data") as url:
        example = write_example(Path(scratch), str(model), url)
        changes = {"steps": steps, "evaluation.every": steps, "checkpoints.every": steps}
        changes |= {"evaluation.samples": 1, "evaluation.k": 1}
        page = f"{url}/ui/runs/{RUN}"
        console.print(f"The run's page, while it learns: {page}")
        curves = {}
        for name, control in ((RUN, None), (f"{RUN}-coin", "random")):
            out = Path(scratch) / name
            console.print(
                f"\nTraining on {'the toss of a coin' if control else 'the rewards of `math`'}, {steps} steps:"
            )
            began = time.monotonic()
            own = {"out": str(out), "service.run": name, "control": control}
            train(load(example, {**changes, **own}), console=console)
            console.print(f"This took {time.monotonic() - began:.0f} s.")
            curves[name] = show.curve(out)
        console.print()
        console.print(show.table(curves, RUN))
        console.print("\nSome of what was paid, and why:")
        show.show_responses(console, Path(scratch) / RUN)
        console.print(
            f"\nOne seed, {HELD_OUT} prompts: `python -m benchmarks.real --long` has several. "
            "`trueward train --example FOLDER` writes this set-up for you to change."
        )
        stay(console, f"The run's page: {page}")


def _quiet() -> None:
    """Progress bars of loads and saves are no news; read before transformers is loaded by the first use."""
    from transformers.utils import logging

    logging.disable_progress_bar()
    logging.set_verbosity_error()
    os.environ["TQDM_DISABLE"] = "1"


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="app.demo.real", description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--steps", type=int, default=20)
    with stoppable():
        main(
            Console(width=None if sys.stdout.isatty() else 160, highlight=False, soft_wrap=True),
            parser.parse_args().steps,
        )
