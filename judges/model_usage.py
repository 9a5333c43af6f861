"""Models as one task sees them, watched: what each was asked and cost, what it said that could not be read, and which
model its server says that it is.

What is asked of harmless responses, to find out how a model is doing, is counted apart: no response pays for it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field

from pydantic import JsonValue

from judges.asking.usage import Usage, total
from judges.base import Malformed, Models
from judges.probing import is_probing
from judges.questions import Answer, Question
from sandbox.base import Execution, Program
from sandbox.limits import Limits
from trueward.wire.model import ModelEntry
from verifiers.legible import shorten

MOST_REPLIES = 4
"""Replies that could not be read, of which the evidence repeats the beginning."""
_HIDDEN = frozenset({"Cc", "Cf", "Co", "Cn", "Zl", "Zp"})


@dataclass(slots=True)
class Watched:
    """As :class:`judges.base.Models`."""

    models: Models
    used: dict[str, Usage] = field(default_factory=dict)
    probed: Usage = field(default_factory=Usage)
    reported: dict[str, str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)

    def entry(self, name: str) -> ModelEntry:
        return self.models.entry(name)

    async def ask(self, name: str, question: Question) -> Answer:
        try:
            answer = await self.models.ask(name, question)
        except Malformed as malformed:
            self._count(name, Usage(calls=malformed.asked, malformed=malformed.asked))
            raise
        self._count(name, Usage.of(self.models.entry(name), answer))
        if answer.model:
            self.reported[name] = answer.model
        return answer

    def unreadable(self, name: str, question: Question, answer: Answer) -> None:
        self._count(name, Usage(malformed=1))
        if not is_probing() and len(self.unread) < MOST_REPLIES:
            self.unread.append(escape_hidden(shorten(answer.text)))
        self.models.unreadable(name, question, answer)

    async def run(self, program: Program, limits: Limits, stdin: bytes = b"") -> Execution:
        return await self.models.run(program, limits, stdin)

    def _count(self, name: str, usage: Usage) -> None:
        if is_probing():
            self.probed += usage
        else:
            self.used[name] = self.used.get(name, Usage()) + usage

    @property
    def usage(self) -> dict[str, JsonValue]:
        """Of the task itself."""
        return total(self.used.values()).evidence

    @property
    def provenance(self) -> Mapping[str, JsonValue]:
        """By name: what the model is called where it is served, the hash of its entry, and what its server says it is.

        Models that were not asked, or did not answer, are not there.
        """
        return {name: self._told(self.models.entry(name)) for name in self.used}

    def _told(self, entry: ModelEntry) -> dict[str, JsonValue]:
        told: dict[str, JsonValue] = {"served": entry.served_name or entry.path or entry.name, "entry": entry.digest}
        reported = self.reported.get(entry.name)
        return told if reported is None else {**told, "reported": shorten(reported)}


def escape_hidden(text: str) -> str:
    """The text with what nobody sees written as its number: a reply may hold it, and it may be why none could read."""
    return "".join(
        f"\\u{{{ord(mark):x}}}" if mark != "\n" and unicodedata.category(mark) in _HIDDEN else mark for mark in text
    )
