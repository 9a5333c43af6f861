"""Features of a stored record as SQL, and how what the database gives becomes the value that a slice is keyed by.

A feature of the evidence is named as recipes name it (:func:`rewards.noise.rates.feature`), so that a slice of an audit
has the very key that a recipe looks up. Lengths and prompts are stored with a record; where an older version wrote it,
and for the evidence, the database takes JSON apart. A sample's text leaves it only for ``language``, and for the length
of such a response that is a list of messages.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, Literal, NamedTuple

from sqlalchemy import ColumnElement, ScalarSelect, Text, and_, case, cast, func, literal, select, type_coerce
from sqlalchemy.dialects import postgresql
from sqlalchemy.orm import aliased

from app.tables import Reward, Sample, Verdict
from app.tables.ledger import prompt_hash
from audits.labelled.features import OF_RECORDS
from audits.labelled.language import language
from rewards.noise.form import answer_form
from rewards.noise.rates import band, format_slice_value
from trueward.wire.sample import Sample as WireSample

Dialect = Literal["sqlite", "postgresql"]
Table = type[Verdict] | type[Reward]


class Feature(NamedTuple):
    """What is selected for each record, and its value from that."""

    selected: ColumnElement[Any]
    value: Callable[[Any], str]


def feature(name: str, table: Table, dialect: Dialect) -> Feature:
    """Of verdicts, or of rewards, whose evidence is that of the first verdict that was priced.

    A name that is not in ``OF_RECORDS`` or ``OF_SAMPLES`` is an entry of the evidence.
    """
    if name in OF_RECORDS:
        return Feature(getattr(table, name), format_slice_value)
    if name == "length":
        return Feature(_length(table, dialect), _band)
    if name == "language":
        return Feature(_of_content(table, dialect, "response"), lambda text: language(_text(text)))
    if name == "form":
        form, answer = _of_evidence(table, dialect, "form"), _of_evidence(table, dialect, "extracted")
        told = and_(form.is_not(None), form != "null")
        return Feature(case((told, literal("=", Text) + form), else_=literal("~", Text) + answer), _form)
    value = (
        _extracted
        if name == "extracted"
        else lambda text: format_slice_value(None if text is None else json.loads(text))
    )
    return Feature(_of_evidence(table, dialect, name), value)


def prompt(table: Table, dialect: Dialect) -> ColumnElement[str | None]:
    """What :func:`hash_prompt` reads: the hash that is stored with the record, or the prompt's JSON for one without."""
    body = literal("=", Text) + _of_content(table, dialect, "prompt")
    return case((table.length.is_not(None), table.prompt), else_=body)


def hash_prompt(found: str | None) -> str | None:
    """The prompt's hash; None where the sample has none."""
    if found is None or found == "=null":
        return None
    return prompt_hash(found[1:].encode()) if found[0] == "=" else found


def _document(dialect: Dialect) -> ColumnElement[Any]:
    content: ColumnElement[Any] = Sample.__table__.c.content
    return cast(content, postgresql.JSON) if dialect == "postgresql" else content


def _of_content(table: Table, dialect: Dialect, name: str) -> ScalarSelect[Any]:
    """The JSON of one entry of the sample's content."""
    return select(_entry(_document(dialect), name, dialect)).where(Sample.fingerprint == table.sample).scalar_subquery()


def _length(table: Table, dialect: Dialect) -> ColumnElement[Any]:
    """The characters of the response, as text. Of a record without them that are those of a response that is a text,
    and the JSON of one that is a list of messages."""
    key = literal("response" if dialect == "postgresql" else "$.response", Text)
    text = _document(dialect).op("->>", return_type=Text())(key)
    stored = select(Sample.content, text.label("text")).where(Sample.fingerprint == table.sample).correlate(table)
    if dialect == "postgresql":
        stored = stored.offset(0)  # else the document is read once for each time that it is named
    each = stored.subquery().c
    if dialect == "postgresql":
        kind = func.json_typeof(cast(each.content, postgresql.JSON).op("->")(key))
    else:
        kind = func.json_type(each.content, key)
    # a text may begin like a list, too
    length = case((func.substr(each.text, 1, 1) != "[", None), (kind == "array", each.text))
    counted = select(func.coalesce(length, cast(func.length(each.text), Text))).scalar_subquery()
    return func.coalesce(cast(table.length, Text), counted)


def _of_evidence(table: Table, dialect: Dialect, name: str) -> ColumnElement[Any]:
    if table is Verdict:
        return _entry(Verdict.__table__.c.evidence, name, dialect)
    first = aliased(Verdict.__table__)
    record = _first(Reward.__table__.c.verdicts, dialect)
    return select(_entry(first.c.evidence, name, dialect)).where(first.c.record == record).scalar_subquery()


def _entry(document: ColumnElement[Any], name: str, dialect: Dialect) -> ColumnElement[Any]:
    """The JSON of one entry of an object."""
    if dialect == "postgresql":
        return cast(document.op("->", return_type=postgresql.JSON())(literal(name, Text)), Text)
    return type_coerce(document, Text).op("->", return_type=Text())(literal(f'$."{name}"', Text))


def _first(document: ColumnElement[Any], dialect: Dialect) -> ColumnElement[Any]:
    """The first of a list of strings."""
    place = literal(0) if dialect == "postgresql" else literal("$[0]", Text)
    plain = document if dialect == "postgresql" else type_coerce(document, Text)
    return plain.op("->>", return_type=Text())(place)


def _band(found: str | None) -> str:
    if found is not None and not found.isdigit():
        return band(len(_text(found)))
    return band(int(found or 0))


def _text(response: str | None) -> str:
    """The policy's own text, from the JSON of a response."""
    return WireSample(response=json.loads(response)).response_text if response else ""


def _extracted(answer: str | None) -> str:
    return "full" if answer in (None, "null") else "extracted"


def _form(found: str | None) -> str:
    """The form that the evidence names (``=``), or that of the answer in it (``~``)."""
    value = None if found is None else json.loads(found[1:])
    return format_slice_value(
        answer_form(value) if found is not None and found[0] == "~" and isinstance(value, str) else value
    )
