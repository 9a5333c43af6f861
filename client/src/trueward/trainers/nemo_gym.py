"""Forwards NeMo Gym's ``/verify`` to a Trueward service, for a resources server that Gym itself starts.

Gym takes no server that it does not start, so its resources server is three lines around :class:`Forwarder`
(``trueward trainers show nemo-gym``); prime's verifiers need none, they take the service's URL. The answer is the
protocol's: the request echoed, ``reward``, ``reward_components`` that sum to it, and where the reward is missing the
marks of :func:`mark_missing`. A service that is away for longer than ``deadline_s`` makes such a row too, which Gym
keeps apart and may try again; a refusal (unknown recipe, bad key) raises.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack
from urllib.parse import quote, urlencode

from pydantic import JsonValue, TypeAdapter

from trueward.client.call import Call, json_bytes
from trueward.errors import RequestRefused, TruewardError
from trueward.trainers.connection import DEADLINE_S, Connection, Options

Row = dict[str, JsonValue]
_READ = TypeAdapter(Row)
_CLASS = "judge_failed"
"""Of failures that Gym tells apart from wrong answers."""


class Forwarder:
    """``recipe`` is a name, or ``name@hash``: the protocol carries no inline recipe."""

    def __init__(self, url: str | None = None, *, recipe: str, **options: Unpack[Options]) -> None:
        self._connection = Connection(url, recipe, "nemo-gym", **options)
        self._deadline_s = options.get("deadline_s", DEADLINE_S)
        self._path = f"/t/{quote(recipe, safe='@')}/nemo-gym/verify?{urlencode({'run': self._connection.run})}"

    async def verify(self, row: Mapping[str, JsonValue]) -> Row:
        """The answer to a row of ``/verify``."""
        call = Call("POST", self._path, _READ.validate_json, lambda remaining_s: [json_bytes(dict(row))])
        try:
            return await self._connection.awaiting().call(call, self._deadline_s)
        except RequestRefused:
            raise
        except TruewardError as failure:
            return mark_missing({**row, "reward": 0.0}, f"{failure.code}: {failure.detail}")


def mark_missing(row: Mapping[str, JsonValue], reason: str) -> Row:
    """The row with what says that its reward measures nothing.

    Gym keeps rows with ``_ng_failure_class`` apart, and its ``gym eval reverify --judge-failed-only`` asks again for
    those of this class. ``mask_sample`` leaves a row out of its metrics, and of training by NeMo RL: it stands in the
    row since Gym 0.7, in ``instance_config`` before. ``failure_kind`` is a word of Gym's own.
    """
    instance = row.get("instance_config")
    return {
        **row,
        "mask_sample": True,
        "failure_kind": _CLASS,
        "failure_reason": reason,
        "instance_config": {**(instance if isinstance(instance, dict) else {}), "mask_sample": True},
        "_ng_failure_class": _CLASS,
        "_ng_failure_judge_error": reason,
    }
