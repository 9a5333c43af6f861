"""The texts of a few samples of a run."""

from __future__ import annotations

from collections.abc import Collection

from pydantic_core import from_json
from sqlalchemy import func, select

from app.kit.db import Database
from app.tables import Sample as SampleTable
from trueward.wire.sample import Sample

LONGEST = 200_000
"""Bytes of a sample that is read."""
_AT_ONCE = 200


async def contents_of(db: Database, samples: Collection[str]) -> dict[str, str]:
    """Their JSON by fingerprint; those that are gone, or too long, are left out."""
    found: dict[str, str] = {}
    names = sorted(samples)
    told = select(SampleTable.fingerprint, SampleTable.content).where(func.length(SampleTable.content) <= LONGEST)
    async with db.read() as connection:
        for start in range(0, len(names), _AT_ONCE):
            part = told.where(SampleTable.fingerprint.in_(names[start : start + _AT_ONCE]))
            found.update({row.fingerprint: row.content for row in await connection.execute(part)})
    return found


def response_of(content: str | None) -> str:
    """The policy's own text; empty for a sample that was not read."""
    response = None if content is None else from_json(content).get("response")
    return response if isinstance(response, str) else Sample.model_validate({"response": response}).response_text


def prompt_of(content: str | None) -> str:
    """The prompt as one text."""
    prompt = None if content is None else from_json(content).get("prompt")
    return prompt if isinstance(prompt, str) else Sample.model_validate({"prompt": prompt}).prompt_text
