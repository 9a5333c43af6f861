"""Deploys the lanes on a Ray cluster, looks at them, takes them away: what `trueward ray` does.

All functions block, and raise :class:`ControlFailed` with what is wrong.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import ray
import yaml
from pydantic import JsonValue
from ray import serve
from ray.serve.config import ProxyLocation

from app.lanes.ray.gateway import connect
from app.lanes.ray.messages import APP, LANES

_LOOK_S = 1.0
_ANSWER_S = 5.0


class ControlFailed(Exception):
    """What was asked of the cluster did not come about."""


def up(address: str, arguments: Mapping[str, JsonValue], wait_s: float, say: Callable[[str], None]) -> None:
    """Deploys the lanes, over those that are there, and returns when every one has the replicas that it needs."""
    from app.lanes.ray.deployments import application

    with _connected(address):
        # the lanes are called through handles alone: nothing listens for HTTP
        serve.start(proxy_location=ProxyLocation.Disabled)
        target = serve.RunTarget(target=application(arguments), name=APP, route_prefix=None)
        serve.run_many([target], wait_for_applications_running=False)
        deadline = time.monotonic() + wait_s
        told = ""
        while (state := _state()) != "RUNNING":
            if state == "DEPLOY_FAILED" or time.monotonic() > deadline:
                raise ControlFailed(f"{APP} is {state or 'not there'}:\n" + "\n".join(_lines()))
            if told != (told := "\n".join(_lines())):
                say(told)
            time.sleep(_LOOK_S)
        say("\n".join(_lines()))


def status(address: str) -> str:
    """The lanes, their replicas and what these say of themselves, a line each."""
    with _connected(address):
        if not _state():
            raise ControlFailed(f"the cluster has no application {APP}: `trueward ray up` deploys it")
        return "\n".join([*_lines(), *_describe_lanes()])


def down(address: str) -> None:
    """Takes the lanes away; what is under way there is lost."""
    with _connected(address):
        if not _state():
            raise ControlFailed(f"the cluster has no application {APP}")
        serve.delete(APP)


def config(arguments: Mapping[str, JsonValue]) -> str:
    """The Serve config, YAML, for `serve deploy` or a RayService of KubeRay."""
    application: dict[str, Any] = {
        "name": APP,
        "route_prefix": None,
        "import_path": "app.lanes.ray.deployments:application",
        "args": dict(arguments),
    }
    return yaml.safe_dump({"proxy_location": "Disabled", "applications": [application]}, sort_keys=False)


@contextmanager
def _connected(address: str) -> Iterator[None]:
    try:
        connect(address)
    except Exception as failure:  # of whatever kind Ray raises; raised again as ours
        raise ControlFailed(f"no Ray cluster at {address!r}: {failure}") from failure
    try:
        yield
    finally:
        ray.shutdown()


def _state() -> str:
    """Of the application; empty where there is none."""
    found = serve.status().applications.get(APP)
    return found.status.value if found is not None else ""


def _lines() -> Iterator[str]:
    for lane, deployment in _deployments().items():
        replicas = ", ".join(f"{count} {state.lower()}" for state, count in sorted(deployment.replica_states.items()))
        yield f"{lane:8} {deployment.status.value:10} {replicas or 'no replicas'}  {deployment.message}".rstrip()


def _describe_lanes() -> Iterator[str]:
    for lane in _deployments():
        replicas = serve.get_deployment_handle(lane, APP).broadcast("stats")
        for stats in replicas.results(timeout_s=_ANSWER_S, return_exceptions=True):
            said = repr(stats) if isinstance(stats, BaseException) else _join_stats(stats)
            yield f"{lane:8} replica    {said}"


def _join_stats(stats: Mapping[str, object]) -> str:
    return " ".join(f"{name}={value}" for name, value in stats.items() if not isinstance(value, dict))


def _deployments() -> dict[str, Any]:
    found = serve.status().applications.get(APP)
    deployments = found.deployments if found is not None else {}
    return {lane: deployments[lane] for lane in LANES if lane in deployments}
