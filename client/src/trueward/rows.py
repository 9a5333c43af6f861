"""Rows of tables where people keep them: JSONL, CSV, Parquet, Arrow, and folders of Hugging Face's datasets.

A path's ending says what it is; a folder is what ``Dataset.save_to_disk`` writes. Parquet, Arrow and folders need the
extra ``data`` (pyarrow), which is loaded when the first of them is read or written.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import JsonValue

from trueward.errors import InvalidRequest, NotInstalled

if TYPE_CHECKING:
    import pyarrow as pa

Row = dict[str, JsonValue]
LINES = {".jsonl", ".ndjson", ".json"}
COLUMNS = {".parquet", ".arrow", ".feather"}
_AT_ONCE = 1024
_STATE = "state.json"
_DATA = "data-00000-of-00001.arrow"


def tabular(path: str | Path) -> bool:
    """Whether it is a table of columns, or a folder: what no pipe carries."""
    return Path(path).suffix in COLUMNS or str(path).endswith("/") or Path(path).is_dir()


def read_rows(path: str | Path) -> Iterator[Row]:
    """The rows of a file or folder, as they are asked for. What has no ending that is known is JSONL.

    In CSV a cell without text is left out. Raises :class:`InvalidRequest`, :class:`NotInstalled` and OSError.
    """
    place = Path(path)
    if place.is_dir():
        return _folder_rows(place)
    readers = {".csv": _csv_rows, ".parquet": _parquet_rows, ".arrow": _arrow_rows, ".feather": _arrow_rows}
    return readers.get(place.suffix, _json_rows)(place)


def write_rows(path: str | Path, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    """Writes a file, or a folder where the path ends with a slash or is one.

    In tables of columns an object, and whatever is not of one type throughout a column, is written as its JSON.
    """
    place = Path(path)
    if str(path).endswith("/") or place.is_dir():
        _write_folder(place, rows)
    elif place.suffix == ".csv":
        _write_csv(place, rows)
    elif place.suffix in COLUMNS:
        _write_table(place, rows)
    else:
        with place.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(dict(row), ensure_ascii=False) + "\n" for row in rows)


def _json_rows(place: Path) -> Iterator[Row]:
    with place.open(encoding="utf-8", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if line.strip():
                yield _object(line, f"{place}: line {number}")


def _object(line: str, where: str) -> Row:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError) as failure:
        raise InvalidRequest(f"{where} is not JSON: {failure}") from failure
    if not isinstance(value, dict):
        raise InvalidRequest(f"{where} is not a JSON object: one row a line")
    return value


def _csv_rows(place: Path) -> Iterator[Row]:
    with place.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file, strict=True)
        try:
            for row in reader:
                if None in row:
                    raise InvalidRequest(f"{place}: line {reader.line_num} has more cells than the first line")
                yield {name: cell for name, cell in row.items() if cell}
        except (csv.Error, UnicodeDecodeError) as failure:
            raise InvalidRequest(f"{place}: line {reader.line_num + 1} is no CSV in UTF-8: {failure}") from failure


def _parquet_rows(place: Path) -> Iterator[Row]:
    parquet = _pyarrow(place).parquet
    with _as_named(place), parquet.ParquetFile(place) as file:
        for batch in file.iter_batches(_AT_ONCE):
            yield from _plain_rows(batch)


def _arrow_rows(place: Path) -> Iterator[Row]:
    """Arrow's two forms: a file, which Feather is too, and a stream, which datasets writes."""
    arrow = _pyarrow(place)
    with _as_named(place), arrow.memory_map(str(place)) as source:
        if source.read(6) == b"ARROW1":
            source.seek(0)
            with arrow.ipc.open_file(source) as file:
                for number in range(file.num_record_batches):
                    yield from _plain_rows(file.get_batch(number))
        else:
            source.seek(0)
            with arrow.ipc.open_stream(source) as stream:
                for batch in stream:
                    yield from _plain_rows(batch)


def _folder_rows(place: Path) -> Iterator[Row]:
    if (splits := place / "dataset_dict.json").is_file():
        names = json.loads(splits.read_text(encoding="utf-8"))["splits"]
        raise InvalidRequest(f"{place} has several splits: name the folder of one: {', '.join(names)}")
    if not (place / _STATE).is_file():
        raise InvalidRequest(f"{place} is no folder of Dataset.save_to_disk: it has no {_STATE}")
    for file in json.loads((place / _STATE).read_text(encoding="utf-8"))["_data_files"]:
        yield from _arrow_rows(place / file["filename"])


def _plain_rows(batch: pa.RecordBatch) -> Iterator[Row]:
    for start in range(0, batch.num_rows, _AT_ONCE):
        for row in batch.slice(start, _AT_ONCE).to_pylist():
            yield {name: _plain(value) for name, value in row.items() if value is not None}


def _plain(value: Any) -> JsonValue:
    """As JSON has it; what JSON cannot say stays, and whoever sends it is told of its field."""
    if isinstance(value, dict):
        return {name: _plain(part) for name, part in value.items() if part is not None}
    if isinstance(value, list):
        return [_plain(part) for part in value]
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value


@contextmanager
def _as_named(place: Path) -> Iterator[None]:
    try:
        yield
    except ValueError as failure:  # pyarrow's own errors are ValueErrors
        raise InvalidRequest(f"{place} cannot be read as its name says: {failure}") from failure


def _write_csv(place: Path, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    columns = _columns(rows)
    with place.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        for cells in zip(*columns.values(), strict=True):
            writer.writerow(["" if cell is None else cell if isinstance(cell, str) else _json(cell) for cell in cells])


def _write_table(place: Path, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    arrow = _pyarrow(place)
    table = _table(arrow, rows)
    if place.suffix == ".parquet":
        arrow.parquet.write_table(table, place)
        return
    with arrow.OSFile(str(place), "wb") as sink, arrow.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table)


def _write_folder(place: Path, rows: Iterable[Mapping[str, JsonValue]]) -> None:
    arrow = _pyarrow(place)
    table = _table(arrow, rows)
    place.mkdir(parents=True, exist_ok=True)
    with arrow.OSFile(str(place / _DATA), "wb") as sink, arrow.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    unset = ("_format_columns", "_format_type", "_split")
    state: dict[str, JsonValue] = {"_data_files": [{"filename": _DATA}], "_fingerprint": "trueward"}
    state |= {"_format_kwargs": {}, "_output_all_columns": False, **dict.fromkeys(unset)}
    (place / _STATE).write_text(json.dumps(state), encoding="utf-8")
    (place / "dataset_info.json").write_text("{}", encoding="utf-8")


def _columns(rows: Iterable[Mapping[str, JsonValue]]) -> dict[str, list[JsonValue]]:
    """By name, in the order in which they first come; None where a row has none."""
    kept = list(rows)
    names = dict.fromkeys(name for row in kept for name in row)
    return {name: [row.get(name) for row in kept] for name in names}


def _table(arrow: Any, rows: Iterable[Mapping[str, JsonValue]]) -> pa.Table:
    return arrow.table({name: _array(arrow, cells) for name, cells in _columns(rows).items()})


def _array(arrow: Any, cells: list[JsonValue]) -> Any:
    try:
        array = arrow.array(cells)
    except (ValueError, TypeError, OverflowError):  # of several types, which pyarrow says in either way
        return arrow.array([None if cell is None else _json(cell) for cell in cells])
    if "struct" in str(array.type):
        return arrow.array([None if cell is None else _json(cell) for cell in cells])
    return array


def _json(value: JsonValue) -> str:
    return json.dumps(value, ensure_ascii=False)


def _pyarrow(place: Path) -> Any:
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as missing:
        raise NotInstalled(f"to read or write {place} takes pyarrow: pip install 'trueward[data]'") from missing
    return pyarrow
