"""The formats in which labels come and go: what is exported imports again to the same labels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

from pydantic import JsonValue

from app.labels.formats.comma_separated import CommaSeparated
from app.labels.formats.json_lines import JsonLines
from app.labels.formats.label_studio import LabelStudio
from app.labels.schemas import PlacedLabel
from trueward.errors import FieldProblem
from trueward.wire.label import Label, LabelFormat


class Format(Protocol):
    """One format. An export is ``head``, blocks, ``tail``; ``between`` stands between blocks."""

    media_type: str
    needs_content: bool
    between: str
    tail: str

    @property
    def head(self) -> str: ...

    def read(self, body: bytes) -> Iterator[PlacedLabel | FieldProblem]:
        """Each label, or what is wrong there. Raises :class:`InvalidRequest` where nothing can be read."""
        ...

    def block(self, labels: Sequence[Label], contents: Mapping[str, Mapping[str, JsonValue]]) -> str:
        """Some labels; ``contents`` has their samples where ``needs_content``."""
        ...


FORMATS: dict[LabelFormat, Format] = {"jsonl": JsonLines(), "csv": CommaSeparated(), "label_studio": LabelStudio()}
