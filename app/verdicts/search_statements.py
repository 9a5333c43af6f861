"""The statements of one search of the ledger: which rows come into question, in which order, and what they must hold.

A driver is a tuple of columns that an index leads with before ``record``. Its rows are told to PostgreSQL by comparing
rows of values: by equality it would take the order of records for the cheaper one, and read a million rows of others
before the first of an old run. Of two such comparisons it finds the one that the scan begins with in the index; the
other one ends the scan by its first column alone.
"""

from __future__ import annotations

import json
from collections.abc import Set
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    ColumnElement,
    FromClause,
    Select,
    Subquery,
    Table,
    Text,
    cast,
    func,
    literal,
    or_,
    select,
    tuple_,
    type_coerce,
)

from app.kit.tokens import LAST_ID, first_id
from app.tables import Reward, Sample, Verdict
from app.verdicts.filters import Kind, LedgerFilters

DRIVERS: dict[Kind, tuple[tuple[str, ...], ...]] = {
    "verdict": (("group",), ("run", "step"), ("reason_code",), ("run",), ("verifier",), ("outcome",)),
    "reward": (("group",), ("run", "step"), ("recipe_name",), ("run",)),
}
"""Those with the fewest rows a value first."""
STEPS = ("run", "step_range")
"""A run's records of a range of steps, by the index of run and step: few enough that they may be sorted."""
_SEARCHED = ("prompt", "response")
_HIGHEST = 2**53


class RecordRange(NamedTuple):
    """Records from ``low`` on and below ``high``."""

    low: str
    high: str


class RecordQuery:
    """``newer``: oldest first. ``narrow``: the range of steps has few enough records to drive the search."""

    def __init__(self, filters: LedgerFilters, newer: bool, dialect: str, narrow: bool = False) -> None:
        table = Verdict.__table__ if filters.kind == "verdict" else Reward.__table__
        assert isinstance(table, Table)
        self.filters, self.newer, self.table = filters, newer, table
        self._columns = filters.columns()
        self._narrow = narrow
        self._dialect = dialect
        self._score = "score" if filters.kind == "verdict" else "reward"

    def bounds(self, record: str | None) -> RecordRange:
        """Of what lies behind ``record`` in the direction of the search."""
        since, until = self.filters.since, self.filters.until
        low = "" if since is None else first_id(since)
        high = LAST_ID if until is None else first_id(until)
        if record is None:
            return RecordRange(low, high)
        # the least text that is greater than the record
        return RecordRange(max(low, f"{record}0"), high) if self.newer else RecordRange(low, min(high, record))

    def drivers(self) -> list[tuple[str, ...]]:
        """Those whose columns are asked for; the primary key's where there is none."""
        if self._narrow:
            return [STEPS]
        found = [driver for driver in DRIVERS[self.filters.kind] if self._columns.keys() >= set(driver)]
        return [one for one in found if not any(set(one) < set(other) for other in found)] or [()]

    def rest(self, driver: tuple[str, ...]) -> bool:
        """Whether anything is asked beside this driver's columns and the time."""
        picks = self.filters.picks or (self.filters.ranged and driver != STEPS)
        return picks or bool(self._columns.keys() - set(driver))

    def in_steps(self, most: int) -> Select[tuple[str]]:
        """The records of the run and the range of steps, whenever they were made; the lowest steps first."""
        record, step = self.table.c.record, self.table.c.step
        return select(record).where(*self._run_and_steps()).order_by(step, record).limit(most)

    def keys(self, driver: tuple[str, ...], bounds: RecordRange, most: int) -> Select[tuple[str]]:
        """The records of a driver."""
        rows = self._driven({"record"}, driver, bounds).limit(most)
        found = rows.subquery()
        beyond = self._beyond(found, driver, bounds)
        return select(found.c.record).where(*beyond).order_by(*self._order(found)) if beyond else rows

    def select_matching(
        self, driver: tuple[str, ...], bounds: RecordRange, most: int, limit: int
    ) -> Select[tuple[str]]:
        """Of the first ``most`` records of a driver those that hold the other filters, the first ``limit`` of them."""
        names = {"record", "sample", "step", self._score, *driver, *self._columns} - {STEPS[-1]}
        candidates = self._driven(names, driver, bounds).limit(most).subquery()
        rest = [candidates.c[name] == value for name, value in self._columns.items() if name not in driver]
        rest += [] if driver == STEPS or not self.filters.ranged else [candidates.c.step.between(*self._ends())]
        rest += self._beyond(candidates, driver, bounds)
        wanted = select(candidates.c.record).where(*rest, *self._scored(candidates), *self._where_text(candidates))
        return wanted.order_by(*self._order(candidates, driver)).limit(limit)

    def _driven(self, names: Set[str], driver: tuple[str, ...], bounds: RecordRange) -> Select[Any]:
        """Columns of a driver's rows from the nearer bound on, in the direction of the search."""
        columns = [self.table.c[name] for name in sorted(names)]
        if driver != STEPS:
            return select(*columns).where(*self._within(driver, bounds)).order_by(*self._order(self.table, driver))
        # by itself: told at once how few of them are wanted, both databases go through the run, or all that there is
        steps = select(*columns).where(*self._run_and_steps()).cte("steps").prefix_with("MATERIALIZED")
        inside = (steps.c.record >= bounds.low, steps.c.record < bounds.high)
        return select(*steps.c).where(*inside).order_by(*self._order(steps))

    def _within(self, driver: tuple[str, ...], bounds: RecordRange) -> list[ColumnElement[bool]]:
        record, columns = self.table.c.record, [self.table.c[name] for name in driver]
        if self._by_equality(driver):
            equal = [column == self._columns[column.name] for column in columns]
            return [*equal, record >= bounds.low, record < bounds.high]
        low, high = (bounds.low, LAST_ID) if self.newer else ("", bounds.high)
        place = tuple_(*columns, record)
        values = [literal(self._columns[column.name], column.type) for column in columns]
        first, last = (tuple_(*values, literal(end, record.type)) for end in (low, high))
        # "<" would be taken for "of a lesser value": hardly a row, so that all of them may be sorted
        return [place >= first, place <= last, record != high]

    def _beyond(self, rows: Subquery, driver: tuple[str, ...], bounds: RecordRange) -> list[ColumnElement[bool]]:
        """The further bound, where it is asked of the rows that were found: told in the index, PostgreSQL would hold
        every entry of the driver behind it against it."""
        if driver == STEPS or self._by_equality(driver):
            return []
        if self.newer:
            return [] if bounds.high == LAST_ID else [rows.c.record < bounds.high]
        return [rows.c.record >= bounds.low] if bounds.low else []

    def _by_equality(self, driver: tuple[str, ...]) -> bool:
        return not driver or self._dialect == "sqlite"

    def _order(self, rows: FromClause, driver: tuple[str, ...] = ()) -> list[ColumnElement[Any]]:
        plain = self._dialect == "sqlite" or driver == STEPS
        names = ("record",) if plain else (*driver, "record")
        return [rows.c[name] if self.newer else rows.c[name].desc() for name in names]

    def _run_and_steps(self) -> list[ColumnElement[bool]]:
        return [self.table.c.run == self.filters.run, self.table.c.step.between(*self._ends())]

    def _ends(self) -> tuple[int, int]:
        """Of the range of steps."""
        low, high = self.filters.step_min or 0, self.filters.step_max
        return low, _HIGHEST if high is None else high

    def _scored(self, rows: Subquery) -> list[ColumnElement[bool]]:
        score = rows.c[self._score]
        least, most = self.filters.score_min, self.filters.score_max
        return [*([] if least is None else [score >= least]), *([] if most is None else [score <= most])]

    def _where_text(self, rows: Subquery) -> list[ColumnElement[bool]]:
        """A message's text stands in the record as JSON writes it."""
        if self.filters.text is None:
            return []
        forms = {self.filters.text, json.dumps(self.filters.text, ensure_ascii=False)[1:-1]}
        patterns = [f"%{_literally(form)}%" for form in sorted(forms)]
        fields = [field_of(name, self._dialect) for name in _SEARCHED]
        holds = or_(*(field.ilike(pattern, escape="\\") for field in fields for pattern in patterns))
        return [select(holds).where(Sample.fingerprint == rows.c.sample).scalar_subquery()]


def field_of(name: str, dialect: str) -> ColumnElement[str]:
    """A field of the sample's content: a text as it is, messages as JSON."""
    if dialect == "sqlite":
        return type_coerce(func.json_extract(Sample.content, f"$.{name}"), Text)
    return type_coerce(cast(Sample.content, JSON)[name].as_string(), Text)


def _literally(text: str) -> str:
    return text.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
