"""The reference of a query: the wanted query and the databases on which both are run.

``{"query": "SELECT ...", "database": "CREATE TABLE ...; INSERT ..."}``; ``database`` may be a list of scripts, one a
database, and ``ordered`` may say whether the order of rows counts (default: whether the query orders them).
"""

from __future__ import annotations

from typing import NamedTuple, NotRequired

from pydantic import JsonValue, StrictBool, with_config
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain, Text
from verifiers.fields import fields
from verifiers.legible import legible
from verifiers.sql.query import LONGEST, orders

_LONGEST_SCRIPT = 10_000_000
_MOST = 32


@with_config(extra="forbid")
class SqlReference(TypedDict):
    """As it is sent; or as the text of its JSON."""

    query: Text
    database: NotRequired[Text | list[Text]]
    ordered: NotRequired[StrictBool | None]


class AcceptedQuery(NamedTuple):
    """One acceptable query and its databases; hashable."""

    query: str
    scripts: tuple[str, ...]
    ordered: bool


def read_wanted(value: JsonValue) -> AcceptedQuery:
    """A reference as it was sent. Raises :class:`Abstain`."""
    found = fields(value, SqlReference)
    query, database, ordered = found.get("query"), found.get("database", ""), found.get("ordered")
    if not isinstance(query, str) or not query.strip():
        raise Abstain("reference_type", "the reference's query is not a text")
    scripts = database if isinstance(database, list) else [database]
    if not scripts or not all(isinstance(script, str) for script in scripts):
        raise Abstain("reference_type", "the reference's database is neither a script nor a list of scripts")
    if not (ordered is None or isinstance(ordered, bool)):
        raise Abstain("reference_type", "the reference's ordered is not true or false")
    texts = tuple(dict.fromkeys(legible(str(script)) for script in scripts))
    if len(query) > LONGEST or len(texts) > _MOST or sum(map(len, texts)) > _LONGEST_SCRIPT:
        raise Abstain("reference_too_large", "the reference's query or databases are too long or too many")
    query = legible(query).strip().rstrip(";\n\t ")
    return AcceptedQuery(query, texts, orders(query) if ordered is None else ordered)
