"""``trueward audit bench``: a benchmark of the user's own, from a file."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from trueward.commands.audit import options
from trueward.commands.audit.carry import Carry
from trueward.commands.audit.groups import expand_groups
from trueward.commands.audit.reading import valid
from trueward.commands.jsonl import read_samples
from trueward.wire.audit import BenchAudit, BenchFormat


@expand_groups
def bench(
    *,
    file: Annotated[str, typer.Argument(help="JSONL, one row of the format a line; - is stdin.", show_default=False)],
    form: Annotated[BenchFormat, typer.Option("--format", help="What a row holds.")],
    audited: options.SubjectOptions,
    chance: options.Chance,
    carry: Carry,
) -> None:
    """A file of preference pairs, best-of-n sets, first-error steps and the like, scored and counted."""
    said = {"subject": audited.subject(), "format": form, "rows": read_samples(file), **asdict(chance)}
    carry.out(valid(BenchAudit, said))
