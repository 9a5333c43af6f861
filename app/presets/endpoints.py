"""GET /v1/presets: what judges ask. Presets are files of the service: TRUEWARD_PRESETS adds folders of them."""

from __future__ import annotations

from fastapi import APIRouter

from app.keys.admission import Viewer
from app.kit.problems import PROBLEMS
from app.presets.schemas import PresetInfo, Presets, PresetView
from judges import presets
from trueward.errors import NotFound

router = APIRouter(prefix="/v1/presets", tags=["scoring"], responses=PROBLEMS)


@router.get("")
async def list_presets(key: Viewer) -> Presets:
    """By name."""
    return Presets(presets=[PresetInfo.of(presets.find(name)) for name in presets.names()])


@router.get("/{name}")
async def show_preset(name: str, key: Viewer) -> PresetView:
    """One preset with its files."""
    if name not in presets.names():
        raise NotFound(f"there is no preset {name[:100]!r}; GET /v1/presets lists them")
    return PresetView.of(presets.find(name))
