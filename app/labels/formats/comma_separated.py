"""CSV: a header with the names of a label's fields, one label a row.

What a spreadsheet would take for a formula is written behind an apostrophe, which reading takes off again.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from app.kit.body import parse
from app.kit.spreadsheet import format_csv, unescape_cell
from app.labels.schemas import LabelLine, PlacedLabel, parse_label
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.label import Label
from verifiers.legible import legible

COLUMNS = [name for name in Label.model_fields if name != "owner"]
_TRUTHS: dict[str, JsonValue] = {"true": True, "1": True, "false": False, "0": False}


class CommaSeparated:
    """An empty cell is a field that was not given; an empty ``right`` is "cannot tell"."""

    media_type = "text/csv; charset=utf-8"
    needs_content = False
    between = tail = ""

    @property
    def head(self) -> str:
        return format_csv([COLUMNS])

    def read(self, body: bytes) -> Iterator[PlacedLabel | FieldProblem]:
        try:
            text = body.decode("utf-8-sig")
        except UnicodeDecodeError as refusal:
            raise InvalidRequest(f"the file is not UTF-8 (byte {refusal.start}): save it as CSV UTF-8") from None
        rows = csv.reader(io.StringIO(legible(text), newline=""), strict=True)
        line = 1
        try:
            header = _header(next(rows, []))
            line = rows.line_num + 1
            for row in rows:
                if row:
                    yield _row(header, row, line)
                line = rows.line_num + 1
        except csv.Error as failure:
            yield FieldProblem(field=f"line {line}", code="csv_invalid", detail=f"no CSV: {failure}", line=line)

    def block(self, labels: Sequence[Label], contents: Mapping[str, Mapping[str, JsonValue]]) -> str:
        rows = [label.model_dump(mode="json") for label in labels]
        return format_csv([[_cell(row[name], name) for name in COLUMNS] for row in rows])


def _header(row: Sequence[str]) -> list[str]:
    header = [name.strip().lower() for name in row]
    unknown = [name for name in header if name not in LabelLine.model_fields]
    repeated = len(set(header)) < len(header)
    if unknown or repeated or "right" not in header or not {"record", "sample"} & set(header):
        wrong = f"; not {', '.join(unknown)[:200]!r}" if unknown else "; none twice" if repeated else ""
        detail = f"the first line names the columns: right, record or sample, and any of {', '.join(COLUMNS)}{wrong}"
        raise InvalidRequest(
            f"{detail}. Nothing was stored.",
            errors=[FieldProblem(field="line 1", code="csv_header", detail=detail, line=1)],
        )
    return header


def _row(header: Sequence[str], row: Sequence[str], line: int) -> PlacedLabel | FieldProblem:
    where = f"line {line}"
    if len(row) != len(header):
        detail = f"{len(row)} cells under {len(header)} columns"
        return FieldProblem(field=where, code="csv_row", detail=detail, line=line)
    cells = {name: cell for name, cell in zip(header, map(unescape_cell, row), strict=True) if cell or name == "right"}
    try:
        return parse_label(where, line, {name: _value(name, cell) for name, cell in cells.items()})
    except ValueError as wrong:
        return FieldProblem(field=where, code="csv_cell", detail=str(wrong), line=line)


def _value(name: str, cell: str) -> JsonValue:
    """What a cell stands for. Raises ValueError."""
    if name in ("right", "after_reveal"):
        if name == "right" and not cell.strip():
            return None
        if cell.strip().lower() not in _TRUTHS:
            raise ValueError(f"{name} is {cell[:50]!r}: true, false, or empty where it cannot be told")
        return _TRUTHS[cell.strip().lower()]
    if name in ("score", "probability", "position"):
        try:
            return int(cell) if name == "position" else float(cell)
        except ValueError:
            raise ValueError(f"{name} is {cell[:50]!r}: a number") from None
    return json_or_text(cell) if name == "reference" else cell


def json_or_text(text: str) -> JsonValue:
    """What a person wrote where JSON may stand: that, or else the text itself."""
    try:
        return parse(text.encode(errors="replace"))
    except InvalidRequest:
        return text


def _cell(value: JsonValue, name: str) -> str:
    if value is None:
        return ""
    if name == "reference":
        return json.dumps(value, ensure_ascii=False)
    return str(value).lower() if isinstance(value, bool) else str(value)
