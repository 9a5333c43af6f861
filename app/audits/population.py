"""Which of the ledger's records an audit is about, as conditions of a query."""

from __future__ import annotations

from typing import Any

from sqlalchemy import ColumnElement, func, or_

from app.tables.ledger import Record
from trueward.wire.audit import Population

RUN = "audit:"
"""What the runs of audits are named by, before the audit's id."""


def outside_audits(run: Any) -> ColumnElement[bool]:
    """Condition on a column of runs. No LIKE, which takes A for a on SQLite."""
    return or_(run.is_(None), func.substr(run, 1, len(RUN)) != RUN)


def within(population: Population, table: type[Record]) -> list[ColumnElement[bool]]:
    """Conditions on verdicts or rewards. Records of audits are left out unless ``run`` names one."""
    conditions: list[ColumnElement[bool]] = []
    columns: dict[str, Any] = {name: getattr(table, name) for name in ("run", "split", "policy", "data_source")}
    for name, column in columns.items():
        if (wanted := getattr(population, name)) is not None:
            conditions.append(column == wanted)
    if population.run is None:
        conditions.append(outside_audits(table.run))
    if population.first_step is not None:
        conditions.append(table.step >= population.first_step)
    if population.last_step is not None:
        conditions.append(table.step <= population.last_step)
    if population.since is not None:
        conditions.append(table.created_at >= population.since)
    if population.until is not None:
        conditions.append(table.created_at < population.until)
    return conditions
