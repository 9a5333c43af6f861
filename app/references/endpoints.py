"""Suspected references, and corrected ones as versions."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.route import BodyRoute
from app.keys.admission import Labeller, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.references.suspects import suspects
from app.state import DatabaseDep, ReferencesDep
from trueward.wire.reference import (
    Reference,
    ReferencePage,
    ReferenceRequest,
    Reverified,
    ReverifyRequest,
    SuspectReport,
)

router = APIRouter(prefix="/v1/references", route_class=BodyRoute, tags=["references"], responses=PROBLEMS)


@router.get("/suspects")
async def list_suspects(
    db: DatabaseDep,
    key: Viewer,
    run: Annotated[str, Query(description="whose responses agree, or do not")],
    verifier: Annotated[str, Query(description="whose verdicts follow the reference")],
    second: Annotated[str, Query(description="whose stored verdicts on the same samples are a second opinion")],
    agree: Annotated[float, Query(gt=0.5, le=1, description="share of the parsed answers that must be one")] = 0.7,
) -> SuspectReport:
    """Prompts whose reference rejects an answer that the responses agree on and a second verifier accepts."""
    return await suspects(db, run, verifier, second, agree)


@router.get("")
async def list_references(
    references: ReferencesDep,
    key: Viewer,
    wanted: SliceDep,
    prompt: Annotated[str | None, Query(description="fingerprint of a prompt")] = None,
) -> ReferencePage:
    """Corrected references, all versions, newest first."""
    return await references.page(prompt, wanted)


@router.put("")
async def correct_reference(body: ReferenceRequest, references: ReferencesDep, key: Labeller) -> Reference:
    """Stores a corrected reference as the next version of its prompt's. Nothing that is scored changes by that."""
    return await references.put(body, key.owner)


@router.get("/{reference}")
async def show_reference(reference: str, references: ReferencesDep, key: Viewer) -> Reference:
    """One corrected reference."""
    return await references.find(reference)


@router.post("/{reference}/reverify")
async def reverify_reference(
    reference: str, body: ReverifyRequest, references: ReferencesDep, key: Labeller, viewer: Viewer
) -> Reverified:
    """Judges the stored samples of the prompt again, under this reference, and says how many verdicts flipped."""
    return await references.reverify(reference, body, key.owner, key.project)
