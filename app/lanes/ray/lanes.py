"""The lane objects of a service whose lanes are on a cluster, and the way there."""

from __future__ import annotations

from app.lanes.model_source import ModelSource
from app.lanes.models import ModelLane
from app.lanes.programs import Programs
from app.lanes.ray.checks import RayPool
from app.lanes.ray.link import RayLink
from app.lanes.ray.models import RayEngines, RayWeightSync
from app.lanes.ray.programs import RayPrograms
from app.settings import Settings

__all__ = ["RayPool", "RayPrograms", "link_of", "models_on"]


def link_of(settings: Settings) -> RayLink | None:
    """The way to the cluster that the settings name; None where every lane is on this machine."""
    return RayLink(settings.ray_address, settings.ray_lanes) if settings.ray_address else None


def models_on(link: RayLink, settings: Settings, source: ModelSource, programs: Programs) -> ModelLane:
    engines = RayEngines(settings, link, source)
    return ModelLane(source, engines, settings.model_cache, programs, RayWeightSync(engines))
