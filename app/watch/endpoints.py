"""What a run's stream shows, watches, alarms, frozen recipes."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query

from app.http.route import BodyRoute
from app.keys.admission import Labeller, Scorer, Viewer
from app.kit.paging import SliceDep
from app.kit.problems import PROBLEMS
from app.state import FreezesDep, WatchesDep
from trueward.wire.watch import (
    Alarm,
    AlarmPage,
    AlarmState,
    Freeze,
    FreezeReason,
    Freezes,
    Looking,
    Watch,
    Watches,
    WatchReport,
    WatchRequest,
    WatchStatus,
)

router = APIRouter(prefix="/v1", route_class=BodyRoute, tags=["watch"], responses=PROBLEMS)


@router.get("/runs/{run:path}/watch")
async def look_at_run(
    run: str,
    watches: WatchesDep,
    key: Viewer,
    base: Annotated[str | None, Query(min_length=1, max_length=256, description="run to compare with")] = None,
    window: Annotated[int, Query(ge=16, le=100_000)] = 256,
    base_windows: Annotated[int, Query(ge=1, le=50)] = 4,
    limit: Annotated[int, Query(ge=100, le=200_000, description="records that are read")] = 100_000,
    false_alarms: Annotated[float, Query(gt=1e-6, lt=0.5)] = 0.01,
) -> WatchReport:
    """The run's windows, and what the signals find in them now, with their default thresholds."""
    looking = Looking(base=base, window=window, base_windows=base_windows, limit=limit, false_alarms=false_alarms)
    return await watches.look(run, looking)


@router.get("/runs/{run:path}/watch-status")
async def show_status(run: str, watches: WatchesDep, key: Viewer) -> WatchStatus:
    """Whether something watches the run, when it looked last, how soon it would find a fault; reads no record."""
    return await watches.find_status(run)


@router.get("/watches")
async def list_watches(watches: WatchesDep, key: Viewer) -> Watches:
    """By name."""
    return await watches.all()


@router.get("/watches/{name}")
async def show_watch(name: str, watches: WatchesDep, key: Viewer) -> Watch:
    """A watch, when it was evaluated last, and why it could not be."""
    return await watches.find(name)


@router.put("/watches/{name}")
async def put_watch(name: str, body: WatchRequest, watches: WatchesDep, key: Scorer) -> Watch:
    """Stores a watch instead of what the name stood for; it is evaluated within a second or two."""
    return await watches.put(name, body, key.owner)


@router.delete("/watches/{name}")
async def delete_watch(name: str, watches: WatchesDep, key: Scorer) -> Watch:
    """Ends a watch; its alarms stay, and so does what it froze."""
    return await watches.delete(name)


@router.get("/alarms")
async def list_alarms(
    watches: WatchesDep,
    key: Viewer,
    wanted: SliceDep,
    run: Annotated[str | None, Query()] = None,
    state: Annotated[AlarmState | None, Query()] = None,
) -> AlarmPage:
    """Newest first."""
    return await watches.alarms(run, state, wanted)


@router.get("/alarms/{alarm}")
async def show_alarm(alarm: str, watches: WatchesDep, key: Viewer) -> Alarm:
    """What was found, since when, and what became of it."""
    return await watches.alarm(alarm)


@router.post("/alarms/{alarm}/close")
async def close_alarm(alarm: str, body: FreezeReason, watches: WatchesDep, key: Labeller) -> Alarm:
    """Closes an alarm, with the reason on record; only what is recorded later raises it again."""
    return await watches.close(alarm, body.reason, key.owner)


@router.get("/freezes")
async def list_freezes(freezes: FreezesDep, key: Viewer) -> Freezes:
    """The latest 200, newest first, those that were lifted too."""
    return Freezes(freezes=await freezes.all(key.sight))


@router.put("/recipes/{recipe}/freeze")
async def freeze_recipe(recipe: str, body: FreezeReason, freezes: FreezesDep, key: Scorer) -> Freeze:
    """Refuses the rewards of a recipe, by its hash, to the key's project from now on; within two seconds on other
    servers."""
    return await freezes.freeze(recipe, body.reason, None, key.owner, key.project)


@router.delete("/recipes/{recipe}/freeze")
async def lift_freeze(
    recipe: str,
    freezes: FreezesDep,
    key: Scorer,
    reason: Annotated[str, Query(min_length=1, max_length=1000, description="why; kept with the freeze")],
) -> Freeze:
    """Lifts a freeze, on record."""
    return await freezes.lift(recipe, reason, key.owner, key.project)
