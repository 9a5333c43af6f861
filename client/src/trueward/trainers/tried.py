"""Which trainers were tried, at which version, with what: the file ``tried.json`` beside this one, and its table."""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, slots=True)
class TriedTrainer:
    """``package`` is that of the index, None where there is none; ``page`` the file in docs/trainers."""

    name: str
    page: str
    package: str | None
    version: str
    entry: str
    ran: str
    date: str
    missing: str


def every() -> list[TriedTrainer]:
    """Every trainer, by name."""
    text = files("trueward.trainers").joinpath("tried.json").read_text(encoding="utf-8")
    return [TriedTrainer(**entry) for entry in json.loads(text)]


def find(name: str) -> TriedTrainer | None:
    return next((one for one in every() if one.name == name), None)


def table() -> str:
    """As Markdown, for docs/trainers/tried.md."""
    rows = [
        f"| [{one.name}]({one.page}.md) | {one.version} | {one.entry} | {one.ran} | {one.date} | {one.missing} |"
        for one in every()
    ]
    head = ["| trainer | version | entry | what was run | date | a missing reward is |", "|---|---|---|---|---|---|"]
    return "\n".join([*head, *rows]) + "\n"
