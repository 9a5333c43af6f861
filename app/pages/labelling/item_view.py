"""The view of one item, for the annotator who was given it."""

from __future__ import annotations

import asyncio

from app.kit.clock import now
from app.kit.db import Database
from app.labels.annotator_items import OwnItem, OwnItems
from app.labels.draws import DrawsService
from app.labels.draws_repository import DrawsRepository
from app.pages.labelling.views import DeskView, LabellingProgress, SaidRow
from app.pages.pickers import judges_rightness
from app.pages.sample.view import describe_sample
from audits.subject_verdict import accepts
from trueward.wire.audit import Subject
from trueward.wire.draw import DrawnVerdict
from trueward.wire.label import Label


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
