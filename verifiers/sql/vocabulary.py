"""The vocabulary of a query: the tables and columns it refers to, and the bigrams of its words.

Hostile text makes the parser take time exponential in its nesting (and the stack overflow): call this in a killable
process alone.
"""

from __future__ import annotations

from collections.abc import Set
from itertools import pairwise

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

Dialect = str


class NotSql(ValueError):
    """The text is no single query of the dialect."""


def find_schema_items(query: str, dialect: Dialect) -> frozenset[tuple[str, str]]:
    """The schema items that a query refers to: ``("table", name)`` and ``("column", name)``, in lower case.

    Names of common table expressions, aliases of tables and aliases of results are no schema items; ``*`` is none.
    Columns of the same name in two tables are one item. Raises :class:`NotSql`.
    """
    try:
        parsed = sqlglot.parse(query, dialect=dialect)
    except SqlglotError as failure:
        raise NotSql(str(failure)[:200]) from failure
    if len(parsed) != 1 or not isinstance(parsed[0], exp.Query):
        raise NotSql("not a single query")
    tree = parsed[0]
    own = {expression.alias.lower() for expression in tree.find_all(exp.CTE)}
    tables = {table.name.lower() for table in tree.find_all(exp.Table)} - own - {""}
    renamed = {
        alias.alias.lower()
        for alias in tree.find_all(exp.Alias)
        if not (isinstance(alias.this, exp.Column) and alias.this.name.lower() == alias.alias.lower())
    }
    columns = {
        column.name.lower()
        for column in tree.find_all(exp.Column)
        if column.name not in ("", "*") and (column.table or column.name.lower() not in renamed)
    }
    return frozenset({("table", name) for name in tables} | {("column", name) for name in columns})


def bigrams(query: str, dialect: Dialect) -> frozenset[tuple[str, str]]:
    """Pairs of neighbouring tokens, in lower case outside of texts, without comments. Raises :class:`NotSql`."""
    try:
        tokens = sqlglot.tokenize(query, dialect=dialect)
    except SqlglotError as failure:
        raise NotSql(str(failure)[:200]) from failure
    words = [f"'{token.text}'" if token.token_type.name.endswith("STRING") else token.text.lower() for token in tokens]
    return frozenset(pairwise(words))


def jaccard(a: Set[tuple[str, str]], b: Set[tuple[str, str]]) -> float:
    """Intersection over union, in [0, 1]; of two empty sets 1."""
    union = len(a | b)
    return len(a & b) / union if union else 1.0
