"""Forwards NeMo Gym's ``/verify`` to a Trueward service, for a resources server that Gym itself starts.

Gym takes no server that it does not start, so its resources server is three lines around :class:`Forwarder`
(``trueward trainers show nemo-gym``); prime's verifiers need none, they take the service's URL. The answer is the
protocol's: the request echoed, ``reward``, ``reward_components`` that sum to it, and where the reward is missing
``_ng_failure_class`` and ``instance_config.mask_sample``. A service that is away for longer than ``deadline_s`` makes
such a row too, which Gym keeps apart and may try again; a refusal (unknown recipe, bad key) raises.
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
            return _failed(row, failure)


def _failed(row: Mapping[str, JsonValue], failure: TruewardError) -> Row:
    instance = row.get("instance_config")
    return {
        **row,
        "reward": 0.0,
        "_ng_failure_class": failure.code,
        "_ng_failure_judge_error": failure.detail,
        "instance_config": {**(instance if isinstance(instance, dict) else {}), "mask_sample": True},
    }
