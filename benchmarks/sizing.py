"""How many replicas, workers, sandboxes and GPUs a rate of verdicts needs: the arithmetic of ``docs/sizing.md``.

``python -m benchmarks.sizing`` writes the page's table again, from what ``benchmarks.path`` measured and from what the
page says is assumed. Nothing here measures.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import ceil
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "sizing.md"
PATH = ROOT / "benchmarks" / "results" / "path.json"
BEGIN, END = "<!-- sizing -->\n", "<!-- /sizing -->\n"
FULL = 0.6
"""How full a part is let become where a trainer waits for the answer."""

BATCHED, SINGLE = "Trueward, batches of 64, 8 connections", "Trueward, 64 connections"
CHECK_S = 0.01
PROGRAM_S = 0.2
TOKENS = 1000.0
GPU_TOKENS_S = 50_000.0
SAMPLE_BYTES = 4_000.0
"""Assumed: CPU seconds of a symbolic check, seconds of a program's tests, tokens of a question to a model, tokens a
second of a GPU, bytes of a sample with its verdict and reward. Yours are on your own ``/metrics``."""


@dataclass(frozen=True, slots=True)
class Mix:
    """Shares of the verdicts, in 0..1: checked by a worker, by running programs, by asking a model."""

    checked: float
    programs: float
    models: float


@dataclass(frozen=True, slots=True)
class Need:
    """``replicas`` without the one that may be lost; the database's bytes a second."""

    replicas: int
    workers: int
    sandboxes: int
    gpus: int
    database_bytes_s: float


def need(rate: float, serve_s: float, mix: Mix, full: float = FULL) -> Need:
    """For ``rate`` verdicts a second that take ``serve_s`` CPU seconds of a serving process each."""
    return Need(
        replicas=ceil(rate * serve_s / full),
        workers=ceil(rate * mix.checked * CHECK_S / full),
        sandboxes=ceil(rate * mix.programs * PROGRAM_S / full),
        gpus=ceil(rate * mix.models * TOKENS / GPU_TOKENS_S / full),
        database_bytes_s=rate * SAMPLE_BYTES,
    )


MIXES = {
    "mathematics: 10% symbolic": Mix(0.1, 0.0, 0.0),
    "with 5% programs": Mix(0.1, 0.05, 0.0),
    "with 5% programs, 5% asking a model": Mix(0.1, 0.05, 0.05),
}
RATES = (1_000, 60_000, 1_000_000)
"""Verdicts a minute."""


def table() -> str:
    """The measured costs, and what they come to for each rate and mix."""
    targets = json.loads(PATH.read_text(encoding="utf-8"))["targets"]
    batched, single = (targets[name]["median"]["server_cpu_per_sample_s"] for name in (BATCHED, SINGLE))
    lines = [
        f"`c_serve`: {batched * 1e3:.2f} ms in batches of 64, {single * 1e3:.2f} ms one sample a call, exact verifiers "
        "included.",
        "",
        "| verdicts a minute | mix | replicas, batches | replicas, singly | workers | sandboxes | GPUs | database |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for rate in RATES:
        for name, mix in MIXES.items():
            whole, one = (need(rate / 60, seconds, mix) for seconds in (batched, single))
            lines.append(
                f"| {rate:,} | {name} | {whole.replicas} + 1 | {one.replicas} + 1 | {whole.workers} "
                f"| {whole.sandboxes} | {whole.gpus} | {whole.database_bytes_s / 1e6:,.1f} MB/s |"
            )
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """The page with the table between its marks."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return before + BEGIN + "\n" + table() + "\n" + END + after


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
