"""POST /v1/verify, and the catalogue of verifiers."""

from __future__ import annotations

from fastapi import APIRouter, Request

from app.keys.admission import Viewer, admitted
from app.kit.problems import PROBLEMS
from app.operation import Operation
from app.route import DirectRoute, caller_of
from app.scoring.path import Path
from app.verify.examples import VERIFY
from app.verify.schemas import Catalogue
from trueward.errors import NotFound
from trueward.types import VerifierInfo, VerifyRequest, VerifyResponse
from trueward.verifier import describe
from verifiers import registry

router = APIRouter(route_class=Operation, tags=["scoring"], responses=PROBLEMS)
direct = APIRouter(route_class=DirectRoute, tags=["scoring"], responses=PROBLEMS)


@direct.post("/v1/verify", openapi_extra=VERIFY)
async def verify(body: VerifyRequest, request: Request) -> VerifyResponse:
    """Judges each sample with one verifier. One verdict a sample, in the same order."""
    key = await admitted(request, "score")
    path: Path = request.state.path
    caller = caller_of(request, key, len(body.samples))
    return VerifyResponse(verdicts=await path.verify(body, caller))


@router.get("/v1/verifiers")
async def list_verifiers(key: Viewer) -> Catalogue:
    """Every verifier at hand, and the plug-ins that could not be loaded, with the reason."""
    return Catalogue(
        verifiers=[describe(registry.get(name)) for name in registry.names()],
        failures=dict(registry.failures()),
    )


@router.get("/v1/verifiers/{name}")
async def show_verifier(name: str, key: Viewer) -> VerifierInfo:
    """One verifier: what it needs, its parameters as JSON Schema, examples."""
    if name not in registry.names():
        raise NotFound(f"there is no verifier {name[:100]!r}; GET /v1/verifiers lists them")
    return describe(registry.get(name))
