"""Cells that a spreadsheet would obey."""

from __future__ import annotations

import csv
import io

import pytest

from app.kit.spreadsheet import escape_cell, format_csv, unescape_cell


@pytest.mark.parametrize("cell", ["=1+1", "+49", "-2+3", "@SUM(A1)", "\tx", "\rx", "'=1", "-1", "-=1"])
def test_a_formula_is_written_as_a_text_and_read_as_it_was(cell: str) -> None:
    assert escape_cell(cell) == f"'{cell}"
    assert unescape_cell(escape_cell(cell)) == cell


@pytest.mark.parametrize("cell", ["0.2", "x=1", "", "it's"])
def test_plain_texts_stay(cell: str) -> None:
    assert escape_cell(cell) == unescape_cell(cell) == cell


def test_rows_are_read_again() -> None:
    assert format_csv([[-0.5, 3, None, "-0.5"]]) == "-0.5,3,,'-0.5\r\n"
    rows = [["a", "=b"], ['"c"\n', "-1"]]
    read = list(csv.reader(io.StringIO(format_csv(rows), newline="")))
    assert [[unescape_cell(cell) for cell in row] for row in read] == rows
