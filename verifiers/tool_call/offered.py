"""The tools that a prompt offered, from ``metadata.tools``: their names, and the defaults of their parameters.

As chat APIs write them (``{"type": "function", "function": {"name", "parameters"}}``), or the function alone, as the
Berkeley Function Calling Leaderboard does; a list of these, or its JSON text.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from trueward.authoring.verifier import Abstain
from trueward.wire.sample import Sample
from verifiers.tool_call.call import Call

MOST = 1_000
"""Tools that a prompt may offer."""


class Tools:
    """``properties``: the schemas of each tool's parameters, by its name and theirs. ``names``: of all tools."""

    def __init__(self, properties: Mapping[str, Mapping[str, JsonValue]], wanted: Iterable[str]) -> None:
        self._properties = properties
        self.names = frozenset((*properties, *wanted))
        # chat APIs allow no dots in names, so models write a_b for a.b
        self._written = {name.replace(".", "_"): name for name in self.names}

    def resolve(self, call: Call) -> Call:
        """The call with the name of the tool that it means."""
        return call if call.name in self.names else call._replace(name=self._written.get(call.name, call.name))

    def whole(self, call: Call) -> Call:
        """The call with the defaults of the arguments that it leaves out."""
        defaults = {
            name: schema["default"]
            for name, schema in self._properties.get(call.name, {}).items()
            if isinstance(schema, dict) and schema.get("default") is not None
        }
        return Call(call.name, {**defaults, **call.arguments})


def tools_of(sample: Sample, wanted: Iterable[str]) -> Tools:
    """With the names that the references want. Raises :class:`Abstain` where ``metadata.tools`` cannot be read."""
    given = (sample.metadata or {}).get("tools")
    if given is None:
        return Tools({}, wanted)
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError) as failure:
            raise Abstain("bad_tools", f"metadata.tools is not JSON: {str(failure)[:100]}") from None
    if not isinstance(given, list) or len(given) > MOST:
        raise Abstain("bad_tools", f"metadata.tools is a list of at most {MOST} tools")
    return Tools(dict(_tool(one) for one in given), wanted)


def _tool(value: JsonValue) -> tuple[str, Mapping[str, JsonValue]]:
    if isinstance(value, dict) and isinstance(value.get("function"), dict):
        value = value["function"]
    name = value.get("name") if isinstance(value, dict) else None
    if not isinstance(value, dict) or not isinstance(name, str):
        raise Abstain("bad_tools", "a tool is an object with a name")
    schema = value.get("parameters") or {}
    properties = schema.get("properties", {}) if isinstance(schema, dict) else None
    if not isinstance(properties, dict):
        raise Abstain("bad_tools", f"the parameters of {name[:80]} are no JSON schema")
    return name, properties
