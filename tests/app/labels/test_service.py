"""Labels on both databases: stored once even where two store them at once, exported whole, block by block."""

from __future__ import annotations

import asyncio
import json

import pytest

from app.kit.db import Database
from app.labels import repository
from app.labels.schemas import LabelQuery
from app.labels.service import LabelsService
from tests.app.labels.judged import Judged, record
from trueward.wire.label import LabelFormat


async def exported(db: Database, form: LabelFormat) -> bytes:
    return "".join([block async for block in LabelsService(db).export(LabelQuery(), form)]).encode()


@pytest.mark.parametrize("form", ["jsonl", "csv", "label_studio"])
async def test_what_two_upload_at_once_is_stored_once_and_comes_back(
    db: Database, form: LabelFormat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "_BLOCK", 3)
    entries = await record(db, [Judged(f"response {place}", {"math": True}) for place in range(5)])
    lines = [
        {"record": entry.verdicts[0].record, "right": right, "annotator": annotator, "note": "=1", "score": 0.1}
        for entry in entries
        for annotator, right in (("ann", True), ("bob", False))
    ]
    body = "\n".join(map(json.dumps, lines)).encode()
    stored = await asyncio.gather(*(LabelsService(db).read(body, "jsonl", None) for _ in range(3)))
    assert sorted((one.stored, one.known) for one in stored) == [(0, 10), (0, 10), (10, 0)]
    file = await exported(db, form)
    assert (await LabelsService(db).read(file, form, "another key")).known == 10
    assert await exported(db, form) == file


async def test_an_export_of_nothing_is_an_empty_file(db: Database) -> None:
    assert await exported(db, "jsonl") == b""
    assert json.loads(await exported(db, "label_studio")) == []
    assert (await LabelsService(db).read(await exported(db, "csv"), "csv", None)).stored == 0
