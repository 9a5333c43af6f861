"""A recorded text in full: further pieces of it for a page, or all of it as plain text."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Query, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from app.pages.guard import TEXT_HEADERS
from app.pages.inert import as_text
from app.pages.visit import Visit, visitor
from app.state import DatabaseDep
from app.verdicts.repository import VerdictsRepository
from trueward.errors import NotFound
from trueward.wire.base import Wire

router = APIRouter(prefix="/ui", include_in_schema=False)
Viewing = Annotated[Visit, Depends(visitor("view"))]
Part = Literal["prompt", "response", "reference", "reasoning", "prefix", "hint", "metadata", "evidence", "reason"]
PIECE = 20_000
_CHUNK = 65_536


class TextPiece(Wire):
    """Characters of a text from ``offset``; ``next`` is where it goes on, null at its end."""

    record: str
    part: Part
    offset: int
    text: str
    characters: int = Field(description="of the whole text")
    next: int | None


@router.get("/text/{record}/{part}")
async def show_text(
    record: str,
    part: Part,
    visit: Viewing,
    db: DatabaseDep,
    offset: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
    piece: bool = False,
) -> Response:
    """Plain text from ``offset`` to ``end``, or with ``piece`` the next 20,000 characters of it for a page."""
    whole = (await _text(VerdictsRepository(db), record, part))[:end]
    if not piece:
        return StreamingResponse(_chunks(whole, offset), media_type="text/plain; charset=utf-8", headers=TEXT_HEADERS)
    stop = min(len(whole), offset + PIECE)
    view = TextPiece(
        record=record,
        part=part,
        offset=offset,
        text=whole[offset:stop],
        characters=len(whole),
        next=stop if stop < len(whole) else None,
    )
    return visit.show("piece.html", view)


async def _text(verdicts: VerdictsRepository, record: str, part: Part) -> str:
    found = await verdicts.find(record)
    if found is None:
        raise NotFound(f"the ledger has no record {record[:100]!r}")
    said = getattr(found, "verdict", None) or getattr(found, "reward", None)
    value = getattr(said, part, None) if part in ("evidence", "reason") else found.content.get(part)
    return "" if value is None else as_text(value)


async def _chunks(text: str, offset: int) -> AsyncIterator[bytes]:
    for start in range(offset, len(text), _CHUNK):
        yield text[start : start + _CHUNK].encode("utf-8", "replace")
