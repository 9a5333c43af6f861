"""The lane objects of a service whose lanes are on a cluster, and the way there."""

from __future__ import annotations

from app.scoring.models import ModelLane
from app.scoring.programs import Programs
from app.scoring.ray.checks import RayPool
from app.scoring.ray.link import Link
from app.scoring.ray.models import RayEngines, RayWeighing
from app.scoring.ray.programs import RayPrograms
from app.scoring.registered import ModelSource
from app.settings import Settings

__all__ = ["RayPool", "RayPrograms", "link_of", "models_on"]


def link_of(settings: Settings) -> Link | None:
    """The way to the cluster that the settings name; None where every lane is on this machine."""
    return Link(settings.ray_address, settings.ray_lanes) if settings.ray_address else None


def models_on(link: Link, settings: Settings, source: ModelSource, programs: Programs) -> ModelLane:
    engines = RayEngines(settings, link, source)
    return ModelLane(source, engines, settings.model_cache, programs, RayWeighing(engines))
