"""Records that a version without stored lengths and prompts wrote are read as those of this one."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from sqlalchemy import update

from app import tables
from app.admission.admit import content_of
from app.audits.records import read_records
from app.audits.stored_verdicts import load_verdicts
from app.kit.db import Database
from app.path.ledger import Ledger
from app.path.rows import RequestContext
from audits.labelled.records import Records
from tests.app.records import entry
from trueward.wire.audit import Population, Subject
from trueward.wire.sample import Sample

EXACT = Subject(verifier="exact")
TALK = [{"role": "user", "content": 'Ünï\u2028 "quoted" \\ 2+2?'}, {"role": "assistant", "content": "4", "name": "a"}]
PARTS = [{"role": "user", "content": [{"type": "text", "text": "Why?"}]}]
ANSWERS = [
    {"role": "assistant", "content": "x" * 450},
    {"role": "user", "content": "y" * 9000},
    {"role": "assistant", "content": "z" * 60},
]
CONTENTS: list[dict[str, object]] = [
    {"response": "a" * 499, "prompt": "2+2?"},
    {"response": "😀" * 499, "prompt": "2+2?"},
    {"response": "b" * 500, "prompt": '2+3? </script> \t "q" é'},
    {"response": "[" + "c" * 3000, "prompt": '2+3? </script> \t "q" é'},
    {"response": ANSWERS, "prompt": TALK},
    {"response": "", "prompt": TALK},
    {"response": "d", "prompt": PARTS},
    {"response": "e", "prompt": PARTS},
    {"response": "f", "prompt": ""},
    {"response": "g", "prompt": "null"},
    {"response": "h"},
    {"response": "i"},
    {"response": "j", "prompt": "2+2?", "group": "named"},
]


@pytest.mark.parametrize("aged", [slice(0, None), slice(0, None, 2)], ids=["all", "every second"])
async def test_records_of_before_have_the_groups_and_lengths_of_those_of_now(db: Database, aged: slice) -> None:
    async with Ledger(db, 1000) as ledger:
        entries = []
        for place, content in enumerate(CONTENTS):
            made = entry(f"{place:02}")
            sample = Sample.model_validate({**content, "id": str(place)})
            entries.append(replace(made, sample=sample, content=content_of(sample)))
        await ledger.write(entries, RequestContext(), asyncio.get_running_loop().time() + 60)
    now, units = await read(db)
    assert now.features["length"].values()[:5] == ["0-500", "0-500", "500-2000", "2000-8000", "500-2000"]
    assert now.group.tolist() == [0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 7, 8]
    async with db.write() as connection:
        chosen = tables.Verdict.record.in_(now.record[aged])
        await connection.execute(update(tables.Verdict).where(chosen).values(length=None, prompt=None))
    then, units_then = await read(db)
    assert then.record == now.record
    assert np.array_equal(then.group, now.group)
    assert then.features["length"].values() == now.features["length"].values()
    assert units_then == units


async def read(db: Database) -> tuple[Records, list[list[str]]]:
    records = await read_records(db, EXACT, Population(), ["length"])
    chosen = await load_verdicts(db, EXACT, Population(), 1000, grouped=False)
    return records, [[row.record for row in unit] for unit in chosen.units]
