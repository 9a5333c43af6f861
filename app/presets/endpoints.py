"""Presets: what judges ask, and a trial of one on a sample. TRUEWARD_PRESETS adds folders of them."""

from __future__ import annotations

import asyncio
from typing import Annotated

from fastapi import APIRouter, Path

from app.admission.admit import admit
from app.admission.demand import Demand
from app.http.route import BodyRoute
from app.keys.admission import Scorer, SharedAdmin, Viewer
from app.kit.problems import PROBLEMS
from app.kit.tokens import new_id
from app.presets.service import info, view
from app.presets.trial import try_out
from app.state import ActsDep, ModelsDep, PathDep, PresetsDep, SettingsDep
from judges import presets
from trueward.errors import NotFound
from trueward.wire.preset import Presets, PresetTrial, PresetTried, PresetUpload, PresetView

router = APIRouter(prefix="/v1/presets", route_class=BodyRoute, tags=["scoring"], responses=PROBLEMS)

Name = Annotated[str, Path(max_length=128)]


@router.get("")
async def list_presets(key: Viewer) -> Presets:
    """By name."""
    return Presets(presets=[info(presets.find(name)) for name in presets.names()])


@router.post("", status_code=201)
async def add_preset(body: PresetUpload, stored: PresetsDep, acts: ActsDep, key: SharedAdmin) -> PresetView:
    """Stores a preset, checked first. The same files again are answered as they are; a name keeps its files, so others
    under it are 409. Every server of the database has it within two seconds."""
    added = await stored.add(body, key.owner)
    await acts.record(key.owner, "preset.add", added.name, {"hash": added.hash})
    return view(added)


@router.get("/{name}")
async def show_preset(name: Name, key: Viewer) -> PresetView:
    """One preset with its files."""
    return view(_find_preset(name))


@router.post("/{name}/try")
async def try_preset(
    name: Name, body: PresetTrial, models: ModelsDep, path: PathDep, settings: SettingsDep, key: Scorer
) -> PresetTried:
    """Judges one sample by a preset and shows all that was said: each prompt as the model got it, each reply as it was
    given and whether it could be read, what it cost. Nothing is recorded, and no reward is made."""
    preset = _find_preset(name)
    [admitted] = admit([body.sample], settings)
    allowed_s = min(body.deadline_s or settings.deadline_s, settings.max_deadline_s)
    deadline = asyncio.get_running_loop().time() + allowed_s
    async with path.gate.enter(key.owner, key.project, 1):
        return await try_out(
            preset, admitted, body.params, models.lane, Demand(new_id(), project=key.project), deadline
        )


def _find_preset(name: str) -> presets.Preset:
    if name not in presets.names():
        raise NotFound(f"there is no preset {name[:100]!r}; GET /v1/presets lists them")
    return presets.find(name)
