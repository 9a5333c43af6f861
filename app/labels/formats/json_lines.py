"""JSONL: one label a line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pydantic import JsonValue

from app.kit.body import parse
from app.labels.schemas import PlacedLabel, parse_label
from trueward.errors import FieldProblem, InvalidRequest
from trueward.wire.label import Label


class JsonLines:
    """Blank lines are passed over."""

    media_type = "application/x-ndjson"
    needs_content = False
    head = between = tail = ""

    def read(self, body: bytes) -> Iterator[PlacedLabel | FieldProblem]:
        for number, line in enumerate(body.split(b"\n"), start=1):
            if not line.strip():
                continue
            where = f"line {number}"
            try:
                yield parse_label(where, number, parse(line, where))
            except InvalidRequest as refusal:
                yield FieldProblem(field=where, code="json_invalid", detail=refusal.detail, line=number)

    def block(self, labels: Sequence[Label], contents: Mapping[str, Mapping[str, JsonValue]]) -> str:
        return "".join(label.model_dump_json(exclude={"owner"}) + "\n" for label in labels)
