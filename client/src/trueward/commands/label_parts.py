"""A file of labels in parts that a service takes, each a file of its own, read as it goes: its size does not matter."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from collections.abc import Iterable, Iterator
from typing import BinaryIO, NamedTuple

import typer

from trueward.wire.label import LabelFormat

PART_LABELS = 10_000
PART_BYTES = 8 * 2**20
_LONGEST = 64 * 2**20
_READ = 2**20
_LINE_END = re.compile(rb"\r\n|\r|\n")
_GAP = re.compile(r"[\s,]*")


class FilePart(NamedTuple):
    """``before`` is what the numbers of its lines (or tasks) are short of those of the file."""

    body: bytes
    before: int


def parts(file: BinaryIO, form: LabelFormat) -> Iterator[FilePart]:
    """What cannot be cut, for it is not of that form, is a usage error that names the place."""
    if form == "jsonl":
        for lines, before in _bundles(file):
            yield FilePart(b"".join(lines), before)
    elif form == "csv":
        yield from _csv_parts(file)
    else:
        for tasks, before in _bundles(_tasks(file)):
            yield FilePart(b"[" + b",".join(tasks) + b"]", before)


def _bundles(pieces: Iterable[bytes]) -> Iterator[tuple[list[bytes], int]]:
    """Pieces that go together, with the number of those before them."""
    bundle: list[bytes] = []
    size = before = 0
    for piece in pieces:
        if bundle and (len(bundle) == PART_LABELS or size + len(piece) > PART_BYTES):
            yield bundle, before
            before += len(bundle)
            bundle, size = [], 0
        bundle.append(piece)
        size += len(piece)
    if bundle:
        yield bundle, before


def _csv_parts(file: BinaryIO) -> Iterator[FilePart]:
    """Each part under the file's header, line for line, so that lines keep their numbers."""
    rows = _csv_rows(file)
    header = next(rows, b"")
    before = 0
    for bundle, _ in _bundles(rows):
        yield FilePart(header + b"".join(bundle), before)
        before += sum(len(_LINE_END.findall(row)) for row in bundle)


def _csv_rows(file: BinaryIO) -> Iterator[bytes]:
    text = io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    reader = csv.reader(text, strict=True)
    try:
        for row in reader:
            out = io.StringIO(newline="")
            csv.writer(out).writerow(row)
            yield out.getvalue().encode()
    except (csv.Error, UnicodeDecodeError) as failure:
        raise _wrong(f"line {reader.line_num + 1} is no CSV in UTF-8: {failure}") from failure
    finally:
        text.detach()  # the file is closed by whoever opened it


def _tasks(file: BinaryIO) -> Iterator[bytes]:
    """The tasks of a JSON list, one after the other."""
    decoder, read = json.JSONDecoder(), codecs.getreader("utf-8-sig")(file, "replace").read
    text, at, number = read(_READ), 0, 1
    if not text.lstrip().startswith("["):
        raise _wrong("this is no list of tasks, as Label Studio exports them (JSON, not JSON-MIN)")
    at = text.index("[") + 1
    while True:
        at = _end_of_gap(text, at)
        if text.startswith("]", at):
            return
        try:
            _, end = decoder.raw_decode(text, at)
        except (ValueError, RecursionError) as failure:
            more = read(max(_READ, len(text) - at))
            if not more or len(text) - at > _LONGEST:
                raise _wrong(f"task {number} is not JSON that can be read: {failure}") from failure
            text, at = text[at:] + more, 0
            continue
        yield text[at:end].encode()
        at, number = end, number + 1


def _end_of_gap(text: str, at: int) -> int:
    found = _GAP.match(text, at)
    return found.end() if found else at


def _wrong(detail: str) -> typer.BadParameter:
    return typer.BadParameter(detail, param_hint="FILE")
