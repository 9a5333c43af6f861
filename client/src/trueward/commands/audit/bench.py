"""``trueward audit bench``: a benchmark of the user's own, from a file."""

from __future__ import annotations

from typing import Annotated

import typer

from trueward.audits import BenchAudit, BenchFormat
from trueward.commands.audit import options
from trueward.commands.audit.carry import Name, Timeout, Wait, carry_out
from trueward.commands.audit.reading import valid
from trueward.commands.jsonl import read_samples
from trueward.commands.service import AsJson, Url


def bench(
    file: Annotated[str, typer.Argument(help="JSONL, one row of the format a line; - is stdin.", show_default=False)],
    form: Annotated[BenchFormat, typer.Option("--format", help="What a row holds.")],
    verifier: options.Verifier = None,
    recipe: options.Recipe = None,
    param: options.Param = None,
    threshold: options.Threshold = None,
    level: options.Level = 0.95,
    seed: options.Seed = 0,
    name: Name = "",
    wait: Wait = True,
    timeout: Timeout = None,
    url: Url = None,
    as_json: AsJson = False,
) -> None:
    """A file of preference pairs, best-of-n sets, first-error steps and the like, scored and counted."""
    said = {
        "subject": options.subject(verifier, recipe, param, threshold),
        "format": form,
        "rows": read_samples(file),
        "level": level,
        "seed": seed,
    }
    carry_out(valid(BenchAudit, said), name, url, wait=wait, timeout_s=timeout, as_json=as_json)
