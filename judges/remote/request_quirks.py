"""How a server wants to be asked, where it does not say so but refuses: learned from what it refuses.

A refusal that speaks of a field is followed by the same question without it, and what was answered at last is how the
server is asked from then on. What is never answered teaches nothing: a server may repeat words of a prompt in its
refusal, and prompts have words of a policy in them. Not covered: unlearning, before the service starts anew.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, replace

from pydantic import JsonValue

from judges.asking.bounds import bounded, unbounded
from judges.asking.schema_fit import bare
from judges.remote.dialect import served_name
from judges.remote.server import Refused, Server
from trueward.wire.model import ModelEntry, Structured

REMEMBERED = 1024
_LEVELS: tuple[Structured, ...] = ("schema", "json", "none")
_TEACHING = (400, 404, 415, 422)
_SPARED = ("top_p", "seed", "temperature")
"""What a question can do without, the least needed first."""
_FORMAT = re.compile(r"response_format|json_?schema|json_object|structured output|schema|guided|grammar", re.IGNORECASE)
_THIS_SCHEMA = re.compile(r"invalid (?:json ?)?schema|schema (?:is invalid|contains)", re.IGNORECASE)
"""The server takes schemas, and not this one."""
_EXACT = re.compile(r"maxLength|minItems|maxItems|prefixItems|repetition|grammar", re.IGNORECASE)
_Body = dict[str, JsonValue]
_Key = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Manner:
    """``levels`` are the ways to demand a form that are left, the present one first; ``exact``: it says how long texts
    may be, and which rows there are."""

    levels: tuple[Structured, ...] = _LEVELS
    limit: str = "max_tokens"
    without: frozenset[str] = frozenset()
    exact: bool = True

    def body(self, asked: _Body, max_tokens: int, form: str | None) -> _Body:
        """The request: ``asked``, the most tokens of the reply, and its form where there is one."""
        body = {name: value for name, value in asked.items() if name not in self.without}
        body[self.limit] = max_tokens
        if form is not None and self.levels[0] == "schema":
            schema = bare(json.loads(form))
            shown = bounded(schema, max_tokens) if self.exact else unbounded(schema)
            named: _Body = {"name": "reply", "strict": True, "schema": shown}
            body["response_format"] = {"type": "json_schema", "json_schema": named}
        elif form is not None and self.levels[0] == "json":
            body["response_format"] = {"type": "json_object"}
        return body

    def milder(self, refusal: Refused, sent: _Body) -> Manner | None:
        """What to try next; None where the refusal speaks of nothing that can be done without."""
        if refusal.status not in _TEACHING:
            return None
        if self.limit == "max_tokens" and "max_completion_tokens" in refusal.words:
            return replace(self, limit="max_completion_tokens")
        has_schema = "response_format" in sent and self.levels[0] == "schema"
        if has_schema and self.exact and (_EXACT.search(refusal.words) or _THIS_SCHEMA.search(refusal.words)):
            return replace(self, exact=False)
        if "response_format" in sent and len(self.levels) > 1 and _FORMAT.search(refusal.words):
            return replace(self, levels=self.levels[1:])
        for name in _SPARED:
            if name in sent and re.search(rf"\b{name}\b", refusal.words):
                return replace(self, without=self.without | {name})
        return None


class Manners:
    """What is known of models by their URL and name there; of a schema that alone is refused, by that too."""

    def __init__(self) -> None:
        self._known: OrderedDict[_Key, Manner] = OrderedDict()

    async def post(
        self, server: Server, entry: ModelEntry, path: str, form: str | None, body: Callable[[Manner], _Body]
    ) -> JsonValue:
        """The answer's JSON. Raises as :meth:`judges.remote.server.Server.post`."""
        model: _Key = (entry.url, served_name(entry), entry.structured)
        place = (*model, form) if (*model, form) in self._known else model
        begun = manner = self._known.get(place) or Manner(_levels(entry.structured))
        while True:
            sent = body(manner)
            try:
                said = await server.post(path, sent)
            except Refused as refusal:
                milder = manner.milder(refusal, sent)
                if milder is None:
                    raise
                if milder.levels != manner.levels and _THIS_SCHEMA.search(refusal.words):
                    place = (*model, form)
                manner = milder
                continue
            if manner != begun:
                self._learn(place, manner)
            return said

    def _learn(self, place: _Key, manner: Manner) -> None:
        self._known[place] = manner
        if len(self._known) > REMEMBERED:
            self._known.popitem(last=False)


def _levels(structured: Structured) -> tuple[Structured, ...]:
    return _LEVELS if structured == "auto" else (structured,)
