"""How the lanes are laid out on a cluster: lanes.yaml, and what is made of it for Ray Serve.

A lane has between ``min_replicas`` and ``max_replicas``, each on a node with its resources free. Serve keeps
``ceil(ongoing calls / target_ongoing_requests)`` of them; a call carries up to ``batch`` items.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final, Literal, Self

import yaml
from pydantic import Field, JsonValue, ValidationError, model_validator

from app.settings import Settings
from trueward.authoring.verifier import Params

_GIVEN: Final = (
    "cpu_limit_s",
    "wall_limit_s",
    "worker_memory_bytes",
    "worker_recycle_after",
    "worker_capacity",
    "sandbox",
    "sandbox_url",
    "sandbox_floor",
    "sandbox_image",
    "sandbox_reuse",
    "sandbox_runtime",
    "model_memory_bytes",
    "model_batch_tokens",
    "model_queue_tokens",
    "model_hang_s",
)
"""Settings that the replicas get from whoever deploys them: what a verdict or its limits depend on."""


class BadShape(Exception):
    """lanes.yaml is not of its form; says where."""


class Shape(Params):
    """One lane: what a replica takes of a node, how many there are, and how it is called."""

    num_cpus: float = Field(2.0, ge=0, description="CPUs of a replica; it has as many workers or places, at least one")
    num_gpus: float = Field(0.0, ge=0, le=1, description="GPUs of a replica; models run on the CPU where it has none")
    memory_bytes: int | None = Field(None, ge=2**20, description="memory that a node must have free for a replica")
    resources: dict[str, float] = Field({}, description="other resources of a node, by the names `ray start` gave them")
    min_replicas: int = Field(1, ge=0)
    max_replicas: int = Field(4, ge=1)
    target_ongoing_requests: float = Field(4.0, gt=0, description="calls that one replica is to have under way")
    upscale_delay_s: float = Field(5.0, ge=0)
    downscale_delay_s: float = Field(300.0, ge=0)
    batch: int = Field(64, ge=1, le=1024, description="items of one call at most")

    @model_validator(mode="after")
    def _least_is_not_above_most(self) -> Self:
        if self.min_replicas > self.max_replicas:
            raise ValueError("min_replicas is above max_replicas")
        return self

    @property
    def workers(self) -> int:
        return max(1, int(self.num_cpus))

    def options(self) -> dict[str, JsonValue]:
        """What Serve calls these, as arguments of a deployment."""
        actor: dict[str, JsonValue] = {"num_cpus": self.num_cpus, "num_gpus": self.num_gpus}
        if self.memory_bytes is not None:
            actor["memory"] = self.memory_bytes
        if self.resources:
            actor["resources"] = dict(self.resources)
        return {
            "ray_actor_options": actor,
            "max_ongoing_requests": max(2, math.ceil(2 * self.target_ongoing_requests)),
            "autoscaling_config": {
                "min_replicas": self.min_replicas,
                "initial_replicas": max(1, self.min_replicas),
                "max_replicas": self.max_replicas,
                "target_ongoing_requests": self.target_ongoing_requests,
                "upscale_delay_s": self.upscale_delay_s,
                "downscale_delay_s": self.downscale_delay_s,
                "metrics_interval_s": 1.0,
                "look_back_period_s": 5.0,
            },
            "health_check_period_s": 5.0,
            "health_check_timeout_s": 15.0,
            "graceful_shutdown_timeout_s": 30.0,
        }


class Layout(Params):
    """lanes.yaml. A lane that is null is not deployed: it stays where the service is."""

    cpu: Shape | None = Shape()
    sandbox: Shape | None = Shape(batch=1)
    models: Shape | None = Shape(num_cpus=1.0, max_replicas=1, target_ongoing_requests=8.0, batch=32)


Lane = Literal["cpu", "sandbox", "models"]


def read(path: Path | None) -> Layout:
    """The file's layout, lane by lane over the default one. Raises :class:`BadShape`."""
    if path is None:
        return Layout()
    try:
        document = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (OSError, ValueError, yaml.YAMLError) as failure:
        raise BadShape(f"{path}: {failure}") from failure
    if not isinstance(document, dict):
        raise BadShape(f"{path}: not a mapping of lanes")
    default = Layout().model_dump()
    try:
        lanes = {name: _over(default.get(name), given) for name, given in document.items()}
        return Layout.model_validate({**default, **lanes})
    except ValidationError as wrong:
        said = "; ".join(f"{'.'.join(map(str, error['loc']))}: {error['msg']}" for error in wrong.errors())
        raise BadShape(f"{path}: {said}") from wrong


def _over(default: object, given: object) -> object:
    return {**default, **given} if isinstance(default, dict) and isinstance(given, dict) else given


def arguments(layout: Layout, settings: Settings) -> dict[str, JsonValue]:
    """Of the application: the layout, and the settings that its replicas get."""
    given = settings.model_dump(mode="json", include=set(_GIVEN))
    return {"layout": layout.model_dump(mode="json"), "settings": given}
