"""Files of samples and results in and out, by their endings; ``-`` is the pipe, with JSONL."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

import typer
from pydantic import BaseModel, JsonValue

from trueward.errors import InvalidRequest
from trueward.rows import read_rows, tabular, write_rows


def read_samples(source: str) -> list[dict[str, JsonValue]]:
    """The objects in a file, or in stdin for ``-``; empty lines are left out. What cannot be read is a usage error."""
    if source != "-" and (tabular(source) or source.endswith(".csv")):
        try:
            return list(read_rows(source))
        except (InvalidRequest, OSError) as failure:
            raise typer.BadParameter(str(failure), param_hint="--file") from failure
    with reading(source) as lines:
        return [_object(line, number) for number, line in enumerate(lines, 1) if line.strip()]


def read_json(source: str, option: str) -> JsonValue:
    """The JSON in a file, or in stdin for ``-``. What is none is a usage error."""
    with reading(source, option) as lines:
        try:
            value: JsonValue = json.loads(lines.read().decode("utf-8", errors="replace"))
        except (ValueError, RecursionError) as failure:
            raise typer.BadParameter(f"{source} is not JSON: {failure}", param_hint=option) from failure
    return value


def read_text(source: str, option: str) -> str:
    """The text of a file, or of stdin for ``-``. What is not UTF-8 is a usage error."""
    with reading(source, option) as lines:
        try:
            return lines.read().decode()
        except UnicodeDecodeError as failure:
            raise typer.BadParameter(f"{source} is not UTF-8", param_hint=option) from failure


def write_bytes(target: str, pieces: Iterable[bytes]) -> None:
    """What comes in pieces, to a file or to stdout for ``-``."""
    with _writing(target) as out:
        for piece in pieces:
            out.write(piece)


def write_lines(target: str, rows: Iterable[BaseModel]) -> None:
    """One row a line, as JSON, to a file or to stdout for ``-``; a table where the file's name says so."""
    if target != "-" and (tabular(target) or target.endswith(".csv")):
        try:
            write_rows(target, (row.model_dump(mode="json") for row in rows))
        except OSError as failure:
            raise typer.BadParameter(f"{target}: {failure.strerror}", param_hint="--out") from failure
        return
    with _writing(target) as out:
        for row in rows:
            out.write(row.model_dump_json().encode() + b"\n")


@contextmanager
def reading(source: str, option: str = "--file") -> Iterator[BinaryIO]:
    """A file, or stdin for ``-``. One that cannot be opened is a usage error."""
    if source == "-":
        yield sys.stdin.buffer
        return
    try:
        file = Path(source).open("rb")  # noqa: SIM115 - closed below
    except OSError as failure:
        raise typer.BadParameter(f"{source}: {failure.strerror}", param_hint=option) from failure
    with file:
        yield file


@contextmanager
def _writing(target: str) -> Iterator[BinaryIO]:
    if target == "-":
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    try:
        file = Path(target).open("wb")  # noqa: SIM115 - closed below
    except OSError as failure:
        raise typer.BadParameter(f"{target}: {failure.strerror}", param_hint="--out") from failure
    with file:
        yield file


def _object(line: bytes, number: int) -> dict[str, JsonValue]:
    try:
        value = json.loads(line.decode("utf-8", errors="replace"))
    except json.JSONDecodeError as failure:
        problem = f"line {number} is not JSON: {failure.msg} at character {failure.pos + 1}"
        raise typer.BadParameter(problem, param_hint="--file") from failure
    except (ValueError, RecursionError) as failure:
        raise typer.BadParameter(f"line {number} is not JSON: {failure}", param_hint="--file") from failure
    if not isinstance(value, dict):
        raise typer.BadParameter(f"line {number} is not a JSON object: one sample a line", param_hint="--file")
    return value
