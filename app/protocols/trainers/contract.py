"""What a plug-in that speaks a trainer's protocol has to say: how payloads are read, and how rewards are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, JsonValue

from trueward.plugins import Kind, list_installed
from trueward.wire.reward import Reward
from trueward.wire.sample import Sample


@dataclass(frozen=True, slots=True)
class TrainerProtocol:
    """``POST /t/{recipe}/{name}``, where the name is that of the entry point.

    ``parse`` makes samples of a ``payload``, at least one; it raises :class:`trueward.errors.InvalidRequest` where that
    cannot be. ``render`` makes the answer of the payload, the rewards and the numbers, one a sample in their order: a
    reward may be missing, and the number is what stands in for it. ``deadline_s`` is less than the client waits.
    ``single``: the members of a group come one by one. ``held``: the client does not survive a refusal, so what cannot
    be judged in time is a missing score.
    """

    payload: type[BaseModel]
    parse: Callable[[Any], list[Sample]]
    render: Callable[[Any, Sequence[Reward], Sequence[float]], JsonValue]
    deadline_s: float = 60.0
    single: bool = True
    held: bool = True


GROUP = "trueward.protocols"
BUILT_IN = frozenset({"eval-protocol", "llamafactory", "nemo-gym", "openrlhf", "roll", "slime"})
_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")


def _defect(found: object, name: str) -> str:
    if not isinstance(found, TrainerProtocol):
        return f"{found!r:.80} is not a TrainerProtocol"
    if name in BUILT_IN:
        return f"the name {name!r} is that of a built-in protocol"
    return "" if _NAME.fullmatch(name) else f"{name!r} is no part of a URL: use small letters, digits, - and _"


PROTOCOLS: Kind[TrainerProtocol] = Kind("protocol", [], list_installed(GROUP), _defect)
"""Those of plug-ins; the built-in ones have endpoints of their own, with parameters of their own."""
