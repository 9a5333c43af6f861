"""Any OpenAI-compatible server: chat completions, and the log-probabilities of a reply's first token.

The entry's ``url`` is what OpenAI's clients call the base URL: ``/chat/completions`` is put behind its path, and behind
``/v1`` where it has none. Choices are read among the 20 likeliest first tokens, which is all that the protocol tells: a
label that is not among them counts as :data:`UNTOLD`. Where none is, or nothing is told (of an end, or of a part of a
character), the model is asked again, held to the labels: its first token, or the one behind the quotation mark, tells
them. A server that told log-probabilities once, and no label then, has given a reply that cannot be read. Not covered:
rewards, steps, spans, what was ``said`` before a choice, labels of more than one token: the protocol has none of these.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from urllib.parse import urlsplit

from judges.base import Malformed, Unaskable
from judges.questions import Answer, Choices, Generate, Prompt, Question, Turn
from judges.remote.chat import ask_chat
from judges.remote.completions import has_model
from judges.remote.dialect import served_name
from judges.remote.request_quirks import Manners
from judges.remote.server import Refused, Server
from trueward.wire.model import ModelEntry

UNTOLD = -50.0
TOLD = 20
ATTEMPTS = 3
HELD = 16
"""Tokens of a reply that is held to the labels, in quotation marks."""
_PLACES = 2
_WORD_STARTS = " \t\r\n\u2581\u0120"
"""White space, and how tokenizers write it."""


class OpenAI:
    """See :class:`judges.remote.dialect.Dialect`."""

    def __init__(self) -> None:
        self._manners = Manners()
        self._tell: set[tuple[str | None, str]] = set()

    async def ask(self, server: Server, entry: ModelEntry, question: Question) -> Answer:
        match question:
            case Generate():
                return await self._chatted(server, entry, question)
            case Choices():
                return await self._choices(server, entry, question)
            case _:
                raise Unaskable("an openai server writes and tells next tokens: it can be asked nothing else")

    async def count(self, server: Server, entry: ModelEntry, prompt: Prompt) -> int:
        raise Unaskable("an openai server counts no tokens of what it is not asked")

    async def ready(self, server: Server, entry: ModelEntry) -> None:
        """A server without a list of models is taken at the word of whoever registered it."""
        try:
            await has_model(server, entry, _path(entry, "models"))
        except Refused as refusal:
            if refusal.status not in (404, 405):
                raise

    async def _chatted(self, server: Server, entry: ModelEntry, question: Generate) -> Answer:
        return await ask_chat(server, entry, question, self._manners, path=_path(entry, "chat/completions"))

    async def _choices(self, server: Server, entry: ModelEntry, question: Choices) -> Answer:
        """Asked again, held to the labels, where no label is told, and then with a word more. Raises
        :class:`judges.base.Malformed` in the end, and :class:`judges.base.Unaskable` where the server never told a
        log-probability."""
        labels = _labels(question)
        prompt = (Turn("user", question.prompt),) if isinstance(question.prompt, str) else question.prompt
        model = (entry.url, served_name(entry))
        read = written = untold = 0
        for attempt in range(ATTEMPTS):
            most, form = (1, None) if attempt == 0 else (HELD, json.dumps({"enum": labels}))
            turns = _reminded(prompt, labels, attempt - 1)
            asked = Generate(turns, most, temperature=1.0, alternatives=TOLD, form=form)
            answer = await self._chatted(server, entry, asked)
            read, written = read + answer.tokens, written + answer.written
            if any(answer.alternatives):
                self._tell.add(model)
            untold += bool(answer.text) and not any(answer.alternatives)
            row = _row(labels, answer)
            if row is not None:
                return Answer(rows=(row,), tokens=read, written=written, model=answer.model)
        if untold and model not in self._tell:
            raise Unaskable("the server tells no log-probabilities (top_logprobs)")
        raise Malformed(f"{entry.name} begins its reply with none of {', '.join(labels)}", ATTEMPTS)


def _path(entry: ModelEntry, name: str) -> str:
    """The server's root is without ``/v1``: see :class:`judges.remote.server.Server`."""
    path = urlsplit(entry.url or "").path.rstrip("/")
    return f"/v1/{name}" if not path or path.endswith("/v1") else f"/{name}"


def _labels(question: Choices) -> list[str]:
    if question.said:
        raise Unaskable("an openai server cannot be asked for what follows a reply that is begun")
    labels = [_bare(choice) for choice in question.choices if isinstance(choice, str)]
    if len(labels) < len(question.choices):
        raise Unaskable("an openai server knows tokens by their texts, not by numbers")
    if not all(labels) or len(set(labels)) < len(labels):
        raise Unaskable("choices of an openai server differ in more than white space")
    return labels


def _bare(token: str) -> str:
    return token.lstrip(_WORD_STARTS)


def _reminded(prompt: tuple[Turn, ...], labels: Sequence[str], attempt: int) -> tuple[Turn, ...]:
    if attempt < 1:
        return prompt
    words = f"Begin your reply with one of these, and with nothing before it: {', '.join(labels)}."
    words += f" This is reminder {attempt}." if attempt > 1 else ""
    return (*prompt[:-1], replace(prompt[-1], content=f"{prompt[-1].content}\n\n{words}"))


def _row(labels: Sequence[str], answer: Answer) -> tuple[float, ...] | None:
    """The labels' log-probabilities as the first token, or as that behind a quotation mark; None where none is told."""
    for alternatives in answer.alternatives[:_PLACES]:
        told: dict[str, float] = {}
        for token, logprob in alternatives:
            told[_bare(token)] = told.get(_bare(token), 0.0) + math.exp(min(logprob, 0.0))
        if not told.keys().isdisjoint(labels):
            return tuple(_log(told.get(label, 0.0)) for label in labels)
        likeliest = max(told, key=told.__getitem__, default="")
        if likeliest and any(label.startswith(likeliest) for label in labels):
            raise Unaskable(f"the choices are not one token each of this model: it begins with {likeliest!r}")
    return None


def _log(share: float) -> float:
    return max(math.log(share), UNTOLD) if share > 0 else UNTOLD
