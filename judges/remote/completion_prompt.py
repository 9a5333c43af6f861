"""Prompts as strings that a completion follows, with a conversation rendered by the server's chat template or ours.

vLLM renders no string for us but makes tokens of conversations and strings of tokens; a string that does not give the
same tokens again is refused.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import JsonValue

from judges.base import Unaskable
from judges.questions import Prompt, Turn
from judges.remote.dialect import messages_of, served_name
from judges.remote.fields import field, rows, text, whole
from judges.remote.server import Server
from judges.remote.template import disarm, render_turns, with_system
from trueward.wire.model import ModelEntry

REMEMBERED = 1024


@dataclass(frozen=True, slots=True)
class Opened:
    """``special``: the server is to put its tokenizer's own tokens around the text."""

    text: str
    special: bool = True


@dataclass(frozen=True, slots=True)
class _Key:
    url: str | None
    digest: str
    turns: tuple[Turn, ...]
    opened: bool


class Renderer:
    """Renders by the entry's template, or, where the server can, by the server's; the latest are remembered."""

    def __init__(self, *, by_server: bool) -> None:
        self._by_server = by_server
        self._known: OrderedDict[_Key, Opened] = OrderedDict()

    async def prompt(self, server: Server, entry: ModelEntry, prompt: Prompt) -> Opened:
        """The prompt, a conversation opened for the assistant."""
        if isinstance(prompt, str):
            return Opened(prompt)
        return await self._rendered(server, entry, with_system(entry, prompt), opened=True)

    async def render_continued(self, server: Server, entry: ModelEntry, prompt: Prompt, said: str, role: str) -> Opened:
        """The prompt and what is said after it, disarmed, which is where the text ends."""
        said = disarm(said)
        if isinstance(prompt, str) or role == "assistant":
            before = await self.prompt(server, entry, prompt)
            return Opened(before.text + said, before.special)
        closed = await self.render_closed(server, entry, [*with_system(entry, prompt), Turn(role, said)])
        start = closed.text.rfind(said) if said else -1
        if start < 0:
            raise Unaskable("the chat template changes what is said: nothing can be read at places in it")
        return Opened(closed.text[: start + len(said)], closed.special)

    async def render_closed(self, server: Server, entry: ModelEntry, turns: Sequence[Turn]) -> Opened:
        """A conversation that nobody opens any more; its turns are taken as they are."""
        return await self._rendered(server, entry, turns, opened=False)

    async def _rendered(self, server: Server, entry: ModelEntry, turns: Sequence[Turn], *, opened: bool) -> Opened:
        if entry.chat_template is not None or not self._by_server:
            return Opened(render_turns(entry, turns, opened=opened))
        key = _Key(entry.url, entry.digest, tuple(turns), opened)
        if key not in self._known:
            self._known[key] = await _by_server(server, entry, turns, opened)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return self._known[key]


async def token_ids(server: Server, entry: ModelEntry, text: str, *, special: bool) -> list[int]:
    """The tokens that the server makes of a text; ``special``: with its tokenizer's own around it."""
    asked: JsonValue = {"model": served_name(entry), "prompt": text, "add_special_tokens": special}
    return [whole(one) for one in rows(field(await server.post("/tokenize", asked), "tokens"))]


async def singles(server: Server, entry: ModelEntry, choices: Sequence[str | int]) -> list[int]:
    """The one token that each choice is. Raises :class:`judges.base.Unaskable` where one is several."""
    found: list[int] = []
    for choice in choices:
        ids = [choice] if isinstance(choice, int) else await token_ids(server, entry, choice, special=False)
        if len(ids) != 1:
            raise Unaskable(f"not one token of this model: {choice!r}")
        found += ids
    return found


async def _by_server(server: Server, entry: ModelEntry, turns: Sequence[Turn], opened: bool) -> Opened:
    name = served_name(entry)
    asked: JsonValue = {"model": name, "messages": [*messages_of(turns)], "add_generation_prompt": opened}
    made = await server.post("/tokenize", asked)
    ids = [whole(one) for one in rows(field(made, "tokens"))]
    back = await server.post("/detokenize", {"model": name, "tokens": [*ids]})
    string = text(field(back, "prompt"))
    if await token_ids(server, entry, string, special=False) != ids:
        raise Unaskable("the server's chat template cannot be had as text: give the entry a chat_template")
    return Opened(string, special=False)
