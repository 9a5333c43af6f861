"""The reference of a procedural task: a row of the library, or where to generate it again.

``{"dataset", "answer", "metadata", "config"}`` is a row as the library gives it (``dataset`` may stand in the metadata
as ``source_dataset``); ``{"dataset", "config": {"seed", ...}, "index"}`` generates the row anew. ``config`` holds
numbers and booleans alone, because the library evaluates or opens some texts of its configuration.
"""

from __future__ import annotations

import json
from importlib.util import find_spec
from typing import NamedTuple

from pydantic import JsonValue, StrictInt, with_config
from typing_extensions import TypedDict

from trueward.authoring.verifier import Abstain, Text
from verifiers.procedural.tasks import ALLOWED, REFUSED

INSTALL = "pip install 'trueward-server[procedural]', or pip install reasoning-gym==0.1.25"


@with_config(extra="forbid")
class ProceduralReference(TypedDict, total=False):
    """As it is sent."""

    dataset: Text
    question: JsonValue
    answer: JsonValue
    metadata: JsonValue
    config: JsonValue
    index: StrictInt


class Reference(NamedTuple):
    """``config`` and ``entry`` as canonical JSON; where ``entry`` is empty the row at ``place`` is generated."""

    dataset: str
    config: str
    entry: str
    place: int


def reference(value: JsonValue) -> Reference:
    """Raises Abstain where there is no such task, it is not judged, or the library is not installed."""
    if not isinstance(value, dict):
        raise Abstain("reference_type", "a reference is an object: a row of the library, or dataset, config and index")
    if unknown := sorted(value.keys() - ProceduralReference.__annotations__.keys()):
        raise Abstain("reference_unparsable", f"a reference has no field {', '.join(unknown)[:200]}")
    dataset = _dataset(value)
    config = _config(value.get("config") or {})
    if find_spec("reasoning_gym") is None:
        raise Abstain("missing_extra", f"reasoning-gym is not installed: {INSTALL}")
    if isinstance(value.get("metadata"), dict) and "answer" in value:
        entry = {name: value.get(name) for name in ("question", "answer", "metadata")}
        return Reference(dataset, _canonical(config), _canonical(entry), 0)
    index = value.get("index")
    if isinstance(index, bool) or not isinstance(index, int) or index < 0 or "metadata" in value:
        raise Abstain("reference_unparsable", "a reference has answer and metadata, or a config and an index from 0")
    if "seed" not in config:
        raise Abstain("reference_unparsable", "the config of a generated task needs its seed")
    return Reference(dataset, _canonical(config), "", index)


def _dataset(value: dict[str, JsonValue]) -> str:
    metadata = value.get("metadata")
    named = value.get("dataset") or (metadata.get("source_dataset") if isinstance(metadata, dict) else None)
    if not isinstance(named, str):
        raise Abstain("reference_unparsable", "a reference names its dataset")
    if named in REFUSED:
        raise Abstain("unsafe_task", f"{named} is not judged: {REFUSED[named]}")
    if named not in ALLOWED:
        raise Abstain("unknown_task", f"there is no data set {named[:80]!r} among those that are judged")
    return named


def _config(value: JsonValue) -> dict[str, JsonValue]:
    if not isinstance(value, dict) or not all(map(_is_plain, value.values())):
        raise Abstain("reference_unparsable", "a config holds numbers and booleans alone: send the row instead")
    return value


def _is_plain(value: JsonValue) -> bool:
    if isinstance(value, list):
        return all(isinstance(one, (bool, int, float)) for one in value)
    return isinstance(value, (bool, int, float))


def _canonical(value: object) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))
