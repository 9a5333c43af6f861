"""``custom:csv_*``: tables of values with commas or tabulators between them."""

from __future__ import annotations

import csv
import re
from io import StringIO
from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Finding

_COLUMNS = 5
_CITY = ["ID", "Country", "City", "Year", "Count"]
_SPECIAL = re.compile(r"[^\w\s]")


def _header(*names: str, blank: str, separator: str) -> re.Pattern[str]:
    return re.compile(f"{separator}{blank}*".join(f'(?:{name}|"{name}")' for name in names))


_PRODUCTS = _header("ProductID", "Category", "Brand", "Price", "Stock", separator=",", blank=r"[ \t]")
_STUDENTS = _header("StudentID", "Subject", "Grade", "Semester", "Score", separator="\t", blank=" ")


class CsvCity(Constraint):
    """The header ID,Country,City,Year,Count and seven rows of five values."""

    id: ClassVar[str] = "custom:csv_city"

    def check(self, text: str) -> Finding:
        table = _table(text, ",")
        followed = len(table) == 8 and table[0] == _CITY and _is_even(table[1:])
        return Finding(followed, _said(table))


class CsvSpecialCharacter(Constraint):
    """The header of products and fourteen rows; one value in double quotation marks has a special character.

    Rows after the first with such a value may have any number of values.
    """

    id: ClassVar[str] = "custom:csv_special_character"

    def check(self, text: str) -> Finding:
        table = _table(_with_marks(text), ",")
        if not _PRODUCTS.fullmatch(_first_line(text)) or len(table) != 15:
            return Finding(False, _said(table))
        special = next((at for at, row in enumerate(table) if at and any(map(_is_special, row))), None)
        followed = special is not None and _is_even(table[1 : special + 1])
        return Finding(
            followed, f"{_said(table)}, {'no ' if special is None else ''}special character in quotation marks"
        )


class CsvQuotes(Constraint):
    """The header of students and three rows with tabulators, every value in double quotation marks."""

    id: ClassVar[str] = "custom:csv_quotes"

    def check(self, text: str) -> Finding:
        table = _table(_with_marks(text), "\t")
        quoted = all(_is_quoted(value.strip()) for row in table for value in row)
        followed = bool(_STUDENTS.fullmatch(_first_line(text))) and len(table) == 4 and _is_even(table) and quoted
        return Finding(followed, f"{_said(table)}, {'' if quoted else 'not '}every value in quotation marks")


def _table(text: str, delimiter: str) -> list[list[str]]:
    """The rows, the header among them; none where the text cannot be read."""
    try:
        return list(csv.reader(StringIO(text), delimiter=delimiter))
    except csv.Error:
        return []


def _with_marks(text: str) -> str:
    """The text with its quotation marks tripled, so that they are part of the values that are read."""
    return text.replace('"', '"""')


def _first_line(text: str) -> str:
    return text.split("\n", 1)[0].strip()


def _is_even(rows: list[list[str]]) -> bool:
    return all(len(row) == _COLUMNS for row in rows)


def _is_quoted(value: str) -> bool:
    return value.startswith('"') and value.endswith('"')


def _is_special(value: str) -> bool:
    """Whether a value is a quotation, on its first line, with a special character in it."""
    if not value.startswith('"'):
        return False
    inside, closing, _ = value[1:].split("\n", 1)[0].rpartition('"')
    return bool(closing) and _SPECIAL.search(inside) is not None


def _said(table: list[list[str]]) -> str:
    return f"{max(len(table) - 1, 0)} rows after the header"
