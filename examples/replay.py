"""Asks a running service as every trainer's client does, and prints what each would hear.

    python examples/replay.py --url http://127.0.0.1:8421

The rows of model servers need models: ``--reward-model NAME`` and ``--causal-model NAME`` of ``trueward models list``.
It stores one small recipe in the service, ``replay-llama-factory``. Exit code 1 where a client would have given up.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from itertools import count

import httpx2
from rich.console import Console
from rich.table import Table
from trainers import (
    eval_protocol,
    graders,
    llama_factory,
    nemo_gym,
    open_instruct,
    openrlhf,
    roll,
    sandbox_fusion,
    sglang,
    slime,
    tei,
    vllm,
)
from trainers.manners import GaveUp, Line
from trainers.protocol import TASKS, Client, Heard, Service

PARTS = (
    openrlhf,
    slime,
    roll,
    llama_factory,
    nemo_gym,
    eval_protocol,
    graders,
    open_instruct,
    sandbox_fusion,
    vllm,
    sglang,
    tei,
)
COLUMNS = ("right", "wrong", "empty", "hostile", "missing")


@dataclass(slots=True)
class Row:
    """What a client heard of each task, and how often it had to ask once more."""

    heard: dict[str, Heard | str] = field(default_factory=dict)
    again: int = 0


def clients(service: Service, only: str | None) -> Iterator[Client]:
    """Those that this service can answer, or those named."""
    names = only.split(",") if only else None
    for client in (client for part in PARTS for client in part.CLIENTS):
        if client.model is not None and getattr(service, client.model) is None:
            continue
        if names is None or client.name in names:
            yield client


async def asked(client: Client, service: Service, rounds: int | None) -> Row:
    """One task after another, so that a missing score comes after those that its mean is of.

    Without a number of rounds the last is the one in which something had to be asked once more.
    """
    row = Row()
    async with Line(client.manners) as line:
        for _ in count() if rounds is None else range(rounds):
            for name, task in TASKS[client.kind].items():
                try:
                    row.heard[name] = await client.ask(line, service, task)
                except GaveUp as end:
                    row.heard[name] = f"gave up: {end}"
                    return row
                finally:
                    row.again = line.again
            if rounds is None and row.again:
                break
    return row


async def replayed(service: Service, only: str | None, rounds: int | None) -> dict[str, Row]:
    chosen = [*clients(service, only)]
    if any(client in llama_factory.CLIENTS for client in chosen):
        async with httpx2.AsyncClient(trust_env=False) as http:
            stored = await http.put(f"{service.url}/v1/recipes/{llama_factory.RECIPE}", json=llama_factory.CONTENT)
            stored.raise_for_status()
    rows = await asyncio.gather(*(asked(client, service, rounds) for client in chosen))
    return {client.name: row for client, row in zip(chosen, rows, strict=True)}


def shown(rows: dict[str, Row]) -> Table:
    table = Table(title="what each client hears (? : it is told that the score is missing)")
    for column in ("protocol", *COLUMNS, "tried again"):
        table.add_column(column)
    for name, row in rows.items():
        table.add_row(name, *(_cell(row.heard.get(column)) for column in COLUMNS), str(row.again))
    return table


def _cell(heard: Heard | str | None) -> str:
    if heard is None:
        return ""
    return heard if isinstance(heard, str) else f"{heard.reward:.3g}{' ?' if heard.missing else ''}"


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--url", default="http://127.0.0.1:8421", help="the service, with /k/KEY where it asks for one")
    parser.add_argument("--recipe", default="math")
    parser.add_argument("--reward-model")
    parser.add_argument("--causal-model")
    parser.add_argument("--only", help="names of protocols, with commas between")
    parser.add_argument("--rounds", type=int, default=1, help="how often each task is asked about")
    parser.add_argument(
        "--until-restart", action="store_true", help="ask until the service was away, and each client asked once more"
    )
    parser.add_argument("--json", action="store_true", help="print JSON and no table")
    given = parser.parse_args()
    run = f"replay-{uuid.uuid4().hex[:8]}"
    service = Service(given.url.rstrip("/"), given.recipe, run, given.reward_model, given.causal_model)
    rows = asyncio.run(replayed(service, given.only, None if given.until_restart else given.rounds))
    if given.json:
        print(json.dumps({name: asdict(row) for name, row in rows.items()}))
    else:
        Console().print(shown(rows))
    return int(any(isinstance(heard, str) for row in rows.values() for heard in row.heard.values()))


if __name__ == "__main__":
    sys.exit(main())
