"""One item of a draw at a time: blind, labelled, revealed."""

from __future__ import annotations

import asyncio
from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Path, Query, Response

from app.kit.clock import now
from app.kit.db import Database
from app.labels.annotator_items import OwnItem, OwnItems
from app.labels.case import contract_case
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.labels.queue import LabelQueue
from app.labels.schemas import LARGEST_POSITION
from app.pages.guard import TEXT_HEADERS
from app.pages.inert import as_text
from app.pages.labelling.annotator import Labelling, annotator_of
from app.pages.labelling.draws import require_view
from app.pages.labelling.views import AnswerForm, DeskText, DeskView, LabellingProgress, Part, SaidRow
from app.pages.pickers import judges_rightness
from app.pages.sample.view import describe_sample
from app.pages.texts import PIECE
from app.pages.visit import Visit
from app.state import DatabaseDep
from app.verdicts.repository import VerdictsRepository
from audits.subject_verdict import accepts
from trueward.errors import NotFound
from trueward.wire.audit import Subject
from trueward.wire.draw import DrawnVerdict, ItemLabel
from trueward.wire.label import CaseRequest, Label
from trueward.wire.record import VerdictDetail

router = APIRouter(prefix="/ui", include_in_schema=False)
Position = Annotated[int, Path(ge=0, le=LARGEST_POSITION)]
RIGHT = {"right": True, "wrong": False, "unclear": None}


@router.post("/labels/{draw}/next")
async def take_next(draw: str, visit: Labelling, db: DatabaseDep) -> Response:
    """The next item, held; asked twice it is the same one."""
    annotator = await annotator_of(visit)
    return await _onward(visit, db, draw, annotator) if annotator else visit.go(_page(draw))


@router.get("/labels/{draw}/{position}")
async def show_item(
    draw: str, position: Position, visit: Labelling, db: DatabaseDep, note: Literal["", "late", "kept"] = ""
) -> Response:
    """Blind until it is labelled; then with what was said of the response."""
    annotator = await annotator_of(visit)
    if not annotator:
        return visit.go(_page(draw))
    view = await desk_view(db, draw, await _own(db, draw, annotator, position), annotator)
    view.note = note
    return await visit.show_apart("labelling/desk.html", view)


@router.post("/labels/{draw}/{position}")
async def give_label(draw: str, position: Position, visit: Labelling, db: DatabaseDep) -> Response:
    """Stores a label once, however often the form is sent, and shows what was said."""
    annotator, answer = await annotator_of(visit), visit.form(AnswerForm)
    item = await _own(db, draw, annotator, position)
    label = ItemLabel(
        annotator=annotator,
        right=RIGHT[answer.right],
        note=answer.note,
        reference=answer.reference if answer.reference.strip() else None,
    )
    stored = (await LabelQueue(db).submit(draw, position, label, visit.principal.owner, answer.known)).label
    same = (stored.right, stored.note, stored.reference) == (label.right, label.note, label.reference)
    late = item.until is not None and item.until <= now()
    note = "" if same and not late else "?note=late" if same else "?note=kept"
    return visit.go(f"{_page(draw)}/{position}{note}")


@router.post("/labels/{draw}/{position}/skip")
async def skip_item(draw: str, position: Position, visit: Labelling, db: DatabaseDep) -> Response:
    """Takes an item that nobody can judge out of the queue, and goes on."""
    annotator = await annotator_of(visit)
    if await OwnItems(db, draw, annotator).find(position) is not None:  # else the form came twice
        await LabelQueue(db).skip(draw, position, annotator)
    return await _onward(visit, db, draw, annotator)


@router.post("/labels/{draw}/{position}/release")
async def release_item(draw: str, position: Position, visit: Labelling, db: DatabaseDep) -> Response:
    """Gives the item back."""
    await LabelQueue(db).release(draw, position, await annotator_of(visit))
    return visit.go(_page(draw))


@router.get("/labels/{draw}/{position}/text/{part}")
async def show_text(
    draw: str,
    position: Position,
    part: Part,
    visit: Labelling,
    db: DatabaseDep,
    offset: Annotated[int, Query(ge=0)] = 0,
    end: Annotated[int | None, Query(ge=0)] = None,
    piece: bool = False,
) -> Response:
    """As ``/ui/text``, for who was given the item."""
    item = await _own(db, draw, await annotator_of(visit), position)
    value = getattr(item.sample, part)
    whole = ("" if value is None else as_text(value))[:end]
    if not piece:
        rest = whole[offset:].encode("utf-8", "replace")
        return Response(rest, media_type="text/plain; charset=utf-8", headers=TEXT_HEADERS)
    stop = min(len(whole), offset + PIECE)
    more = f"{_page(draw)}/{position}/text/{part}" if stop < len(whole) else None
    view = DeskText(text=whole[offset:stop], offset=offset, characters=len(whole), more=more)
    return visit.show("labelling/piece.html", view)


@router.get("/labels/{draw}/{position}/case/{record}")
async def download_case(draw: str, position: Position, record: str, visit: Labelling, db: DatabaseDep) -> Response:
    """The item as a contract case for the verifier of a record that said otherwise: one line, to be appended."""
    require_view(visit)
    item = await _own(db, draw, await annotator_of(visit), position)
    said = await VerdictsRepository(db).find(record) if record in {one.record for one in item.said} else None
    if not isinstance(said, VerdictDetail) or said.verdict.producer is None:
        raise NotFound(f"no verifier's record {record[:100]!r} is of an item that you have labelled")
    asked = CaseRequest(verifier=said.verdict.producer.name, params=said.params)
    case = await contract_case(db, item.labels[-1], asked)
    name = quote(f"{case.verifier}.jsonl", safe="")
    headers = {**TEXT_HEADERS, "Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
    return Response(f"{case.line}\n", media_type="application/x-ndjson", headers=headers)


async def _own(db: Database, draw: str, annotator: str, position: int) -> OwnItem:
    found = await OwnItems(db, draw, annotator).find(position)
    if found is None:
        raise NotFound(f"item {position} was not given to you: the page of the draw has a button for the next one")
    return found


async def _onward(visit: Visit, db: Database, draw: str, annotator: str) -> Response:
    item = await LabelQueue(db).next(draw, annotator)
    return visit.go(f"{_page(draw)}?waiting=true" if item is None else f"{_page(draw)}/{item.position}")


def _page(draw: str) -> str:
    return f"/ui/labels/{quote(draw, safe='')}"


async def desk_view(db: Database, draw: str, item: OwnItem, annotator: str) -> DeskView:
    found = await DrawsService(db).show(draw)
    own = OwnItems(db, draw, annotator)
    first = item.labels[0] if item.labels else None
    return DeskView(
        draw=draw,
        name=found.name,
        guidelines=found.spec.guidelines,
        annotator=annotator,
        position=item.position,
        progress=LabellingProgress.of(found.drawn, found.states),
        own=(await DrawsRepository(db).annotators(draw)).get(annotator, 0),
        previous=await own.find_before(first.id if first else None),
        next=await own.find_after(first.id) if first else None,
        state=item.state,
        until=item.until,
        lapsed=first is None and item.until is not None and item.until <= now(),
        told=await asyncio.to_thread(describe_sample, item.sample),
        data_source=item.sample.data_source,
        known=item.labels[-1].id if item.labels else "",
        label=first,
        thoughts=item.labels[1:],
        said=[SaidRow(said=one, differs=_differs(one, found.spec.subject, item.labels[-1])) for one in item.said],
        query=item.query if first else None,
    )


def _differs(said: DrawnVerdict, subject: Subject, label: Label) -> bool | None:
    """From the annotator's last word. The draw's subject accepts from its threshold on; of the others those say nothing
    that judge the form."""
    own = said.name == (subject.verifier or subject.name)
    if not own and said.version is not None and not judges_rightness(said.name):
        return None
    accepted = accepts(said.outcome, said.score, subject.threshold if own else None)
    return None if accepted is None or label.right is None else accepted is not label.right
