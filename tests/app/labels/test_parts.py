"""Files of labels in parts: none is lost or counted twice, lines keep their numbers, and size costs no memory."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
import typer

from trueward.commands import label_parts
from trueward.commands.label_parts import parts


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_parts, "PART_LABELS", 3)


class Endless(io.RawIOBase):
    """A file of so many bytes, made while it is read."""

    def __init__(self, chunk: bytes, times: int) -> None:
        self._left = iter([chunk] * times)
        self._rest = b""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        piece = self._rest or next(self._left, b"")
        taken, self._rest = piece[: len(buffer)], piece[len(buffer) :]
        buffer[: len(taken)] = taken
        return len(taken)


def test_lines_go_in_parts_and_keep_their_numbers() -> None:
    lines = [f'{{"n": {number}}}\n'.encode() for number in range(7)]
    found = list(parts(io.BytesIO(b"".join(lines)), "jsonl"))
    assert [(part.body, part.before) for part in found] == [
        (b"".join(lines[:3]), 0),
        (b"".join(lines[3:6]), 3),
        (lines[6], 6),
    ]
    assert list(parts(io.BytesIO(b""), "jsonl")) == []


def test_a_part_is_no_larger_than_the_service_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(label_parts, "PART_BYTES", 10)
    assert [part.body for part in parts(io.BytesIO(b"12345678\n12345\n" * 2), "jsonl")] == [
        b"12345678\n",
        b"12345\n",
        b"12345678\n",
        b"12345\n",
    ]


def rows_of(body: bytes) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(body.decode(), newline=""))
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_each_part_of_a_csv_has_the_header_and_cells_stay_whole(end: str) -> None:
    rows = ["a,true,plain", 'b,false,"two' + end + 'lines, ""quoted"""', "", "c,,'=1", 'd,true,"\r"', "e,true,", "f,1,"]
    text = end.join(["sample,right,note", *rows]) + end
    whole = dict(rows_of(text.encode()))
    found: dict[int, list[str]] = {}
    for part in parts(io.BytesIO(b"\xef\xbb\xbf" + text.encode()), "csv"):
        (_, header), *body = rows_of(part.body)
        assert header == ["sample", "right", "note"]
        found |= {line + part.before: row for line, row in body}
    assert found == {line: row for line, row in whole.items() if line > 1}


@pytest.mark.parametrize("text", ['sample,right\n"a"b,true\n', "sample,right\na,\xff\n"])
def test_what_is_no_csv_is_wrong_usage(text: str) -> None:
    with pytest.raises(typer.BadParameter, match="no CSV"):
        list(parts(io.BytesIO(text.encode("latin-1")), "csv"))


@pytest.mark.parametrize("chunk", [5, 7, 1000])
@pytest.mark.parametrize("indent", [None, 2])
def test_tasks_are_cut_wherever_the_reading_stops(
    monkeypatch: pytest.MonkeyPatch, chunk: int, indent: int | None
) -> None:
    monkeypatch.setattr(label_parts, "_READ", chunk)
    tasks = [{"data": {"n": number, "text": 'a ] } , " \u00e9 \U0001f600' * number}} for number in range(8)]
    body = json.dumps(tasks, indent=indent, ensure_ascii=False).encode()
    found = list(parts(io.BytesIO(b" \n" + body + b"\n"), "label_studio"))
    assert [json.loads(part.body) for part in found] == [tasks[:3], tasks[3:6], tasks[6:]]
    assert [part.before for part in found] == [0, 3, 6]


@pytest.mark.parametrize("body", [b"", b"{}", b'[{"a": 1}, {"b"', b'[{"a": 1}, nonsense]', b"[" * 100_000])
def test_what_is_no_list_of_tasks_is_wrong_usage(body: bytes) -> None:
    with pytest.raises(typer.BadParameter):
        list(parts(io.BytesIO(body), "label_studio"))


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
def test_the_size_of_a_file_does_not_matter(monkeypatch: pytest.MonkeyPatch, form: Any) -> None:
    monkeypatch.setattr(label_parts, "PART_LABELS", 10_000)
    monkeypatch.setattr(label_parts, "PART_BYTES", 2**18)
    monkeypatch.setattr(label_parts, "_READ", 2**16)
    note = "x" * 2000
    chunk = {
        "jsonl": (f'{{"sample": "a", "right": true, "note": "{note}"}}\n' * 50).encode(),
        "csv": (f"a,true,{note}\n" * 50).encode(),
        "label_studio": (json.dumps({"data": {"note": note}}) + ",").encode() * 50,
    }[form]
    head = {"jsonl": b"", "csv": b"sample,right,note\n", "label_studio": b"["}[form]
    file: Any = io.BufferedReader(Endless(chunk, 300))
    if head:
        file = io.BufferedReader(_After(head, file))
    tracemalloc.start()
    seen = 0
    try:
        for part in parts(file, form):
            seen += len(part.body)
    except typer.BadParameter:
        assert form == "label_studio"  # the list has no end
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert seen > 29_000_000
    assert peak < 4_000_000


class _After(io.RawIOBase):
    """A file behind something else."""

    def __init__(self, head: bytes, rest: io.BufferedReader) -> None:
        self._head, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        taken = self._head or self._rest.read1(len(buffer))
        self._head = b""
        buffer[: len(taken)] = taken
        return len(taken)
