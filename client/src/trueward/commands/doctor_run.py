"""``trueward doctor --run``: what a service's records of a run say is wrong with its set-up."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trueward.commands.finding import Finding
from trueward.errors import TruewardError

if TYPE_CHECKING:
    from trueward.client import Client


def run_findings(client: Client, run: str) -> Iterator[Finding]:
    """One a fault, the most costly first; one that is right where there is no fault."""
    try:
        said = client.diagnose(run)
    except TruewardError as error:
        yield Finding("run", False, error.detail)
        return
    if not said.faults:
        yield Finding("run", said.records > 0, said.sentence)
    for fault in said.faults:
        records = f" Records: {', '.join(fault.records)}." if fault.records else ""
        yield Finding(f"run: {fault.kind}", False, f"{fault.sentence}. To do: {fault.advice}.{records}")
    for note in said.notes:
        yield Finding("run: note", True, note)
