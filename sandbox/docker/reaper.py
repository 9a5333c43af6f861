"""Removes what killed servers have left in the engine: containers, running or not, and volumes.

A server is known by its process, start time included, in its process namespace. Of a server in another namespace
(another machine's, another container's) only the end can be seen: its containers end by themselves when it dies,
because their runner's input closes, and are removed when they have been over for a while.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import docker
from docker.errors import APIError, NotFound

from sandbox.docker.engine import LABEL, NAMESPACE, PROCESS, Engine, process_identity

FOREIGN_GRACE_S = 600.0


async def reap(engine: Engine) -> None:
    """Removes the leftovers of dead servers."""
    await engine.call("remove leftovers", lambda api: _reap(api, engine))


def _reap(api: docker.APIClient, engine: Engine) -> None:
    found = api.containers(all=True, filters={"label": LABEL})
    dead = [container for container in found if _orphaned(api, container, engine)]
    for container in dead:
        _quietly(partial(api.remove_container, container["Id"], force=True, v=True))
    for volume in api.volumes(filters={"label": LABEL})["Volumes"] or []:
        if _dead(volume["Labels"], engine):
            _quietly(partial(api.remove_volume, volume["Name"]))


def _dead(labels: dict[str, str], engine: Engine) -> bool:
    """Whether the server that wrote these labels is known to have ended."""
    process = labels.get(PROCESS, "")
    if labels.get(NAMESPACE) != engine.labels[NAMESPACE]:
        return False
    return process_identity(int(process.partition(":")[0] or 0)) != process


def _orphaned(api: docker.APIClient, container: dict[str, Any], engine: Engine) -> bool:
    if container["Labels"].get(NAMESPACE) == engine.labels[NAMESPACE]:
        return _dead(container["Labels"], engine)
    age_s: float = time.time() - container["Created"]
    return container["State"] != "running" and age_s > FOREIGN_GRACE_S


def _quietly(remove: Callable[[], object]) -> None:
    """Another server may be reaping the same."""
    try:
        remove()
    except NotFound:
        return
    except APIError as error:
        if error.status_code != 409:
            raise
