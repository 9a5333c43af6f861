"""POST /v1/verify, and the catalogue of verifiers."""

from __future__ import annotations

import asyncio
from functools import lru_cache

from fastapi import APIRouter, Request

from app.http.operation import Operation
from app.http.route import DirectRoute
from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.path.path import Path
from app.verify.examples import VERIFY
from trueward.authoring.verifier import describe
from trueward.errors import NotFound
from trueward.wire.scoring import VerifyRequest, VerifyResponse
from trueward.wire.verifier import Catalogue, VerifierInfo
from verifiers import registry

router = APIRouter(route_class=Operation, tags=["scoring"], responses=PROBLEMS)
direct = APIRouter(route_class=DirectRoute, tags=["scoring"], responses=PROBLEMS)


@direct.post("/v1/verify", openapi_extra=VERIFY)
async def verify(body: VerifyRequest, request: Request) -> VerifyResponse:
    """Judges each sample with one verifier. One verdict a sample, in the same order."""
    path: Path = request.state.path
    return VerifyResponse(verdicts=await path.verify(body, request.state.caller))


@router.get("/v1/verifiers")
async def list_verifiers(key: Viewer) -> Catalogue:
    """Every verifier at hand, and the plug-ins that could not be loaded, with the reason."""
    # loading all of them takes seconds: others are not to wait
    return await asyncio.to_thread(_catalogue)


@router.get("/v1/verifiers/{name}")
async def show_verifier(name: str, key: Viewer) -> VerifierInfo:
    """One verifier: what it needs, its parameters as JSON Schema, examples."""
    if name not in registry.names():
        raise NotFound(f"there is no verifier {name[:100]!r}; GET /v1/verifiers lists them")
    return await asyncio.to_thread(_described, registry.get(name))


def _catalogue() -> Catalogue:
    return Catalogue(verifiers=list(map(_described, registry.load_all().values())), failures=registry.failures())


_described = lru_cache(maxsize=256)(describe)
"""What a verifier is does not change; its parameters' schema takes milliseconds to write."""
