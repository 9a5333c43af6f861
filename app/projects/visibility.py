"""Who sees what: the one place that keeps the projects of a service apart.

A :class:`Sight` is what somebody sees: all of it (an administrator of the default project, and whoever asks keyless),
or what one project owns. :meth:`Sight.of` gives a database that holds no more than that: each statement gets a
condition for every table that it names, subqueries too, so a query that forgets about projects finds nothing of
others. A row is a project's where its owner is one of the project's keys; a run carries its project, and what speaks
of a run (marks, states, prompts, alarms, looks) goes with it. What is no other project's is the default one's: rows
without an owner, for one.

Rows that are inserted are not looked at: they get the key or the run that they belong to from whoever makes them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, cast

from sqlalchemy import (
    ClauseElement,
    ColumnElement,
    Delete,
    Executable,
    FromClause,
    Join,
    Select,
    Table,
    Update,
    and_,
    any_,
    false,
    func,
    or_,
    select,
)
from sqlalchemy.sql.selectable import Alias, NamedFromClause
from sqlalchemy.sql.visitors import cloned_traverse

from app import tables
from app.kit.db import Database

Columns = Any
"""Of a table or of its alias, by name."""
Condition = Callable[[Columns], ColumnElement[bool]]

OWNED = (
    "verdicts",
    "rewards",
    "jobs",
    "audits",
    "draws",
    "labels",
    "watches",
    "freezes",
    "corrected_references",
    "deletions",
    "deliveries",
)
"""Tables whose rows belong to the project of the key in ``owner``."""
OF_RUNS = ("run_marks", "run_states", "prompts", "alarms", "looks")
"""Tables whose rows belong to the project of their ``run``."""
OF_PARENTS: dict[str, tuple[str, type[tables.Job | tables.Draw]]] = {
    "job_items": ("job", tables.Job),
    "draw_items": ("draw", tables.Draw),
    "draw_holds": ("draw", tables.Draw),
}
"""Tables whose rows belong with a row of another, which has an owner."""
SHARED = (
    "params",
    "recipes",
    "recipe_versions",
    "models",
    "presets",
    "conditions",
    # found by the name of a run or a key that was found before
    "budgets",
    "idempotency",
)
"""Tables whose rows everybody uses, or finds by what nobody else has."""


# under names of their own: a statement may be about these tables itself
_keys = tables.Key.__table__.alias("project_keys")
_runs = tables.Run.__table__.alias("project_runs")


@dataclass(frozen=True, slots=True)
class Sight:
    """``project`` is None for the default one; ``everything``: whatever the project."""

    project: str | None = None
    everything: bool = False

    def of(self, db: Database) -> Database:
        """The database with the rows that are seen, for reading and for changing."""
        return db if self.everything else db.restrict(_Narrowing(self.project, db.dialect))

    def sees(self, project: str | None) -> bool:
        return self.everything or self.project == project


EVERYTHING = Sight(everything=True)


async def sight_of_owner(db: Database, owner: str | None) -> Sight:
    """What the key behind a record sees, revoked or not; for what is done in the background on its behalf."""
    if owner is None:
        return EVERYTHING
    key = select(tables.Key.project, tables.Key.scopes).where(tables.Key.id == owner)
    async with db.read() as connection:
        row = (await connection.execute(key)).one_or_none()
    return Sight() if row is None else Sight(row.project, everything=row.project is None and "admin" in row.scopes)


class _Narrowing:
    """Adds the conditions to a statement."""

    def __init__(self, project: str | None, dialect: str) -> None:
        self._project = project
        self._dialect = dialect
        self._conditions: dict[str, Condition] = {
            "projects": lambda columns: columns.id == project if project is not None else false(),
            "keys": self._of_project,
            "runs": self._of_project,
            "acts": lambda columns: self._owned(columns.actor),
            "samples": self._where_judged,
            **dict.fromkeys(OWNED, lambda columns: self._owned(columns.owner)),
            **dict.fromkeys(OF_RUNS, self._of_run),
            **{name: self._of_parent(*parent) for name, parent in OF_PARENTS.items()},
        }

    def __call__(self, statement: Executable) -> Executable:
        narrow: dict[str, Callable[[Any], None]] = {
            "select": self._select,
            "update": self._change,
            "delete": self._change,
        }
        # every statement can be traversed, and that it is one of our own is all that SQLAlchemy says of it here
        return cast(Executable, cloned_traverse(cast(ClauseElement, statement), {}, narrow))

    def _select(self, statement: Select[Any]) -> None:
        _add(statement, [made for one in statement.get_final_froms() for made in self._of_source(one)])

    def _change(self, statement: Update | Delete) -> None:
        _add(statement, self._of_source(statement.table))

    def _of_source(self, source: FromClause) -> list[ColumnElement[bool]]:
        if isinstance(source, Join):
            return [*self._of_source(source.left), *self._of_source(source.right)]
        table = source.element if isinstance(source, Alias) else source
        if not isinstance(table, Table) or table.name in SHARED:
            return []
        # a table that nobody has thought of is a bug that shows
        return [self._conditions[table.name](source.c)]

    def _of_project(self, columns: Columns) -> ColumnElement[bool]:
        return _equal(columns.project, self._project)

    def _owned(self, owner: ColumnElement[str | None]) -> ColumnElement[bool]:
        return self._among(owner, _keys)

    def _of_run(self, columns: Columns) -> ColumnElement[bool]:
        return self._among(columns.run, _runs)

    def _of_parent(self, column: str, parent: type[tables.Job | tables.Draw]) -> Condition:
        def condition(columns: Columns) -> ColumnElement[bool]:
            whole = parent.__table__.alias()
            among: ColumnElement[bool] = columns[column].in_(select(whole.c.id).where(self._owned(whole.c.owner)))
            return among

        return condition

    def _where_judged(self, columns: Columns) -> ColumnElement[bool]:
        """A content is everybody's whose records judge it."""
        records = (tables.Verdict.__table__.alias(), tables.Reward.__table__.alias())
        return or_(
            *(
                select(table.c.record)
                .where(table.c.sample == columns.fingerprint, self._owned(table.c.owner))
                .correlate_except(table)
                .exists()
                for table in records
            )
        )

    def _among(self, column: ColumnElement[Any], whose: NamedFromClause) -> ColumnElement[bool]:
        """Among the project's keys or runs; for the default one, among none of any other project's.

        PostgreSQL reads an array first and once; of a join it might think that it leads to few rows, and leave the
        order of the ledger for it.
        """
        project = whose.c.project
        names = select(whose.c.id).where(project.is_not(None) if self._project is None else project == self._project)
        among = column.in_(names) if self._dialect == "sqlite" else column == any_(func.array(names.scalar_subquery()))
        return or_(column.is_(None), ~among) if self._project is None else among


def _equal(column: Any, project: str | None) -> ColumnElement[bool]:
    condition: ColumnElement[bool] = column.is_(None) if project is None else column == project
    return condition


def _add(statement: Any, conditions: list[ColumnElement[bool]]) -> None:
    """In place: the traversal made the statement."""
    if conditions:
        statement._where_criteria += (and_(*conditions),)
        statement._reset_memoizations()
