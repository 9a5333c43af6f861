"""Labels: upload, list, export, contract cases; and draws with their queue."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import StreamingResponse

from app.http.route import BodyRoute, read_bounded
from app.keys.admission import Labeller, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.labels.agreement import label_agreement
from app.labels.case import contract_case
from app.labels.draws import DrawsService
from app.labels.formats import FORMATS
from app.labels.queue import LabelQueue
from app.labels.schemas import LARGEST_POSITION, LabelQuery, parse_label
from app.labels.service import PARTS, LabelsService
from app.state import DatabaseDep
from trueward.errors import TooLarge
from trueward.wire.aim import AimState, LabelAim
from trueward.wire.draw import (
    BlindItem,
    Draw,
    DrawPage,
    DrawRequest,
    ItemLabel,
    ItemView,
    LabelAgreement,
    Revealed,
    Turn,
)
from trueward.wire.label import CaseRequest, ContractCase, LabelFormat, LabelPage, LabelsRequest, LabelsStored

router = APIRouter(prefix="/v1/labels", route_class=BodyRoute, tags=["labels"], responses=PROBLEMS)


async def _labels(db: DatabaseDep) -> LabelsService:
    return LabelsService(db)


async def _draws(db: DatabaseDep) -> DrawsService:
    return DrawsService(db)


async def _queue(db: DatabaseDep) -> LabelQueue:
    return LabelQueue(db)


LabelsDep = Annotated[LabelsService, Depends(_labels)]
DrawsDep = Annotated[DrawsService, Depends(_draws)]
QueueDep = Annotated[LabelQueue, Depends(_queue)]
FILE: dict[str, Any] = {
    "requestBody": {"required": True, "content": {"application/octet-stream": {"schema": {"type": "string"}}}}
}
Position = Annotated[int, Path(ge=0, le=LARGEST_POSITION)]


@router.post("")
async def store_labels(request: LabelsRequest, labels: LabelsDep, key: Labeller) -> LabelsStored:
    """Stores labels, or none of them where anything is wrong: `errors` then names the first 20 places."""
    lines = [
        parse_label(f"labels.{place}", place + 1, one.model_dump(mode="json"))
        for place, one in enumerate(request.labels)
    ]
    return await labels.store(lines, key.owner)


@router.post("/import", openapi_extra=FILE)
async def import_labels(
    request: Request, labels: LabelsDep, key: Labeller, form: Annotated[LabelFormat, Query(alias="format")] = "jsonl"
) -> LabelsStored:
    """Stores the labels of a file, or none of them where anything is wrong: `errors` then names the first 20 lines."""
    try:
        body = await read_bounded(request, request.state.settings.max_body_bytes)
    except TooLarge as refusal:
        raise TooLarge(f"{refusal.detail.partition(':')[0]}: {PARTS}") from None
    return await labels.read(body, form, key.owner)


@router.get("")
async def list_labels(
    labels: LabelsDep,
    key: Viewer,
    query: Annotated[LabelQuery, Depends()],
    wanted: SliceDep,
    record: Annotated[str | None, Query(description="labels of this record's sample")] = None,
) -> LabelPage:
    """Newest first."""
    return await labels.page(query, record, wanted)


@router.get("/export", response_class=StreamingResponse)
async def export_labels(
    labels: LabelsDep,
    key: Viewer,
    query: Annotated[LabelQuery, Depends()],
    form: Annotated[LabelFormat, Query(alias="format")] = "jsonl",
) -> StreamingResponse:
    """A file that imports again to the same labels. In CSV a cell that a spreadsheet would take for a formula stands
    behind an apostrophe."""
    return StreamingResponse(labels.export(query, form), media_type=FORMATS[form].media_type)


@router.get("/agreement")
async def show_agreement(draws: DrawsDep, key: Viewer, draw: Annotated[str, Query()]) -> LabelAgreement:
    """How far the annotators of a draw agree."""
    found = await draws.show(draw)
    return await asyncio.to_thread(label_agreement, found.id, await draws.first_labels(found.id))


@router.post("/draws", status_code=201)
async def make_draw(request: DrawRequest, draws: DrawsDep, key: Labeller, viewer: Viewer) -> Draw:
    """Draws responses for labelling, each with a known probability. Whoever draws learns from what is drawn what was
    said of it, so annotators, with the scope `label` alone, may not."""
    return await draws.make(request, key.owner)


@router.post("/aims")
async def pursue_aim(aim: LabelAim, db: DatabaseDep, key: Labeller, viewer: Viewer) -> AimState:
    """Draws what to label next until an error rate is known so well; asked again, it goes on where it was."""
    # with numpy, which nothing of the service's start needs
    await asyncio.to_thread(import_module, "app.labels.aims")
    from app.labels.aims import Aims

    return await Aims(db).pursue(aim, key.owner)


@router.get("/draws")
async def list_draws(draws: DrawsDep, key: Viewer, wanted: SliceDep) -> DrawPage:
    """Newest first."""
    return await draws.page(wanted)


@router.get("/draws/{draw}")
async def show_draw(draw: str, draws: DrawsDep, key: Viewer) -> Draw:
    """What was asked for, and how far it is labelled."""
    return await draws.show(draw)


@router.post("/draws/{draw}/next", response_model=BlindItem, responses={204: {"description": "no item at the moment"}})
async def next_item(draw: str, turn: Turn, queue: QueueDep, draws: DrawsDep, key: Labeller) -> Any:
    """The next item that this annotator may label, held for them; nothing in it tells what was said of the response."""
    item = await queue.next(await draws.find_id(draw), turn.annotator)
    return Response(status_code=204) if item is None else item


@router.post("/draws/{draw}/items/{position}")
async def submit_label(
    draw: str, position: Position, label: ItemLabel, queue: QueueDep, draws: DrawsDep, key: Labeller
) -> Revealed:
    """Stores the label and reveals what was said. A second thought is stored as a second label, `after_reveal`."""
    return await queue.submit(await draws.find_id(draw), position, label, key.owner)


@router.post("/draws/{draw}/items/{position}/release")
async def release_item(
    draw: str, position: Position, turn: Turn, queue: QueueDep, draws: DrawsDep, key: Labeller
) -> ItemView:
    """Gives an item back, so that another annotator may have it at once."""
    return await queue.release(await draws.find_id(draw), position, turn.annotator)


@router.post("/draws/{draw}/items/{position}/skip")
async def skip_item(
    draw: str, position: Position, turn: Turn, queue: QueueDep, draws: DrawsDep, key: Labeller
) -> ItemView:
    """Takes an item that nobody can judge out of the queue."""
    return await queue.skip(await draws.find_id(draw), position, turn.annotator)


@router.post("/{label}/case")
async def make_case(label: str, request: CaseRequest, labels: LabelsDep, db: DatabaseDep, key: Viewer) -> ContractCase:
    """The label as a line for `tests/cases/<verifier>.jsonl`. Nothing is written."""
    return await contract_case(db, await labels.find(label), request)
