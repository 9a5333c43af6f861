"""vLLM: ``/classify``, ``/score``, ``/pooling``, ``/v1/completions``, ``/v1/chat/completions``, ``/tokenize``.

Logits are asked for by ``use_activation: false``, so the server must be one that knows it. A conversation is rendered
by the server. Steps are read where its pooler gives a row a separator, or a row a token with separators to be found.
Not covered: steps of other styles, gated models.
"""

from __future__ import annotations

from pydantic import JsonValue

from judges.base import Unaskable
from judges.questions import Answer, Choices, Classify, EachToken, Generate, Prompt, Question, Spans, Steps, Turn
from judges.remote.alignment import Token, answer_spans
from judges.remote.completion_prompt import Renderer, singles, token_ids
from judges.remote.completions import ask_completion, has_model
from judges.remote.dialect import messages_of, served_name
from judges.remote.fields import field, number, numbers, raise_malformed, rows, text, tokens_read, whole
from judges.remote.request_quirks import Manners
from judges.remote.server import Server
from judges.remote.template import disarm, with_system
from trueward.wire.model import ModelEntry


class VLLM:
    """See :class:`judges.remote.dialect.Dialect`."""

    def __init__(self) -> None:
        self._renderer = Renderer(by_server=True)
        self._manners = Manners()

    async def ask(self, server: Server, entry: ModelEntry, question: Question) -> Answer:
        match question:
            case Classify(text=first, pair=str(second)):
                return await self._score(server, entry, first, second)
            case Classify():
                body = await self._read(server, entry, question.text)
                said = await server.post("/classify", {**body, "use_activation": False})
                return Answer((numbers(field(said, "data", 0, "probs")),), tokens=tokens_read(said))
            case Steps():
                return await self._steps(server, entry, question)
            case Spans():
                return await self._spans(server, entry, question)
            case Choices():
                return await self._choices(server, entry, question)
            case Generate():
                return await ask_completion(server, entry, question, self._renderer, self._manners)
            case EachToken():
                raise Unaskable("a vllm server is not asked about every token")

    async def count(self, server: Server, entry: ModelEntry, prompt: Prompt) -> int:
        opened = await self._renderer.prompt(server, entry, prompt)
        return len(await token_ids(server, entry, opened.text, special=opened.special))

    async def ready(self, server: Server, entry: ModelEntry) -> None:
        await has_model(server, entry)

    async def _read(self, server: Server, entry: ModelEntry, prompt: Prompt) -> dict[str, JsonValue]:
        """What a pooling path reads: a text, or a conversation that nobody opens any more."""
        name = served_name(entry)
        if isinstance(prompt, str):
            return {"model": name, "input": prompt}
        if entry.chat_template is not None:
            closed = await self._renderer.render_closed(server, entry, with_system(entry, prompt))
            return {"model": name, "input": closed.text}
        return {"model": name, "messages": [*messages_of(with_system(entry, prompt))]}

    async def _score(self, server: Server, entry: ModelEntry, first: Prompt, second: str) -> Answer:
        if not isinstance(first, str):
            raise Unaskable("the first text of a pair is a plain text, not a conversation")
        body: JsonValue = {"model": served_name(entry), "text_1": first, "text_2": second, "use_activation": False}
        said = await server.post("/score", body)
        return Answer(((number(field(said, "data", 0, "score")),),), tokens=tokens_read(said))

    async def _steps(self, server: Server, entry: ModelEntry, question: Steps) -> Answer:
        reading = entry.steps
        if reading.style != "separator":
            raise Unaskable(f"a vllm server is read at separators: not in the style {reading.style!r}")
        mark = reading.joint + reading.separator
        content = "".join(_unseparated(step, reading.separator) + mark for step in question.steps)
        body = await self._stepped(server, entry, question.prompt, content)
        said = await server.post("/pooling", {**body, "use_activation": False})
        found = [numbers(row) for row in rows(field(said, "data", 0, "data"))]
        if len(found) != len(question.steps):
            places = await self._separators(server, entry, body)
            if len(found) <= max(places, default=0) or len(places) != len(question.steps):
                raise Unaskable(f"the server gives {len(found)} rows for {len(question.steps)} steps")
            found = [found[place] for place in places]
        return Answer(tuple(found), tokens=tokens_read(said))

    async def _stepped(self, server: Server, entry: ModelEntry, prompt: Prompt, content: str) -> dict[str, JsonValue]:
        """What is read of the steps: the separators in them are ours, and stay."""
        name = served_name(entry)
        if isinstance(prompt, str):
            return {"model": name, "input": prompt + content}
        said = Turn("assistant", content)
        if entry.chat_template is not None:
            closed = await self._renderer.render_closed(server, entry, [*with_system(entry, prompt), said])
            return {"model": name, "input": closed.text}
        return {"model": name, "messages": [*messages_of([*with_system(entry, prompt), said])]}

    async def _separators(self, server: Server, entry: ModelEntry, body: dict[str, JsonValue]) -> list[int]:
        """The places of the separators among the tokens of what was read."""
        if "input" in body:
            ids = await token_ids(server, entry, text(body["input"]), special=True)
        else:
            made = await server.post("/tokenize", {**body, "add_generation_prompt": False})
            ids = [whole(one) for one in rows(field(made, "tokens"))]
        separator = await token_ids(server, entry, entry.steps.separator, special=False)
        return [place for place, one in enumerate(ids) if [one] == separator]

    async def _spans(self, server: Server, entry: ModelEntry, question: Spans) -> Answer:
        if any(not 0 <= start <= end <= len(question.text) for start, end in question.spans):
            raise Unaskable("a span is not within its text")
        opened = await self._renderer.render_continued(server, entry, question.prompt, question.text, question.role)
        said = await self._completion(server, entry, opened.text, special=opened.special)
        tokens = [_prompt_token(one) for one in rows(field(said, "choices", 0, "prompt_logprobs"))]
        return answer_spans(question, tokens, tokens_read(said))

    async def _choices(self, server: Server, entry: ModelEntry, question: Choices) -> Answer:
        """Each choice as the last token of a prompt of its own, by its number: nothing can be joined with it."""
        opened = await self._renderer.render_continued(server, entry, question.prompt, question.said, "assistant")
        ids = await token_ids(server, entry, opened.text, special=opened.special)
        chosen = await singles(server, entry, question.choices)
        said = await self._completion(server, entry, [[*ids, one] for one in chosen], special=False)
        row: list[float] = [0.0] * len(chosen)
        for choice in rows(field(said, "choices")):
            place = whole(field(choice, "index"))
            if not 0 <= place < len(chosen):
                raise_malformed("a choice of the answer is none of those asked")
            row[place] = _prompt_token(field(choice, "prompt_logprobs", -1)).likely
        if len(rows(field(said, "choices"))) != len(chosen):
            raise_malformed("not every prompt has its choice")
        return Answer((tuple(row),), tokens=len(ids))

    async def _completion(self, server: Server, entry: ModelEntry, prompt: JsonValue, *, special: bool) -> JsonValue:
        """One token more, which nobody reads, and the log-probability of each token of the prompt."""
        asked: JsonValue = {
            "model": served_name(entry),
            "prompt": prompt,
            "max_tokens": 1,
            "temperature": 1.0,
            "prompt_logprobs": 0,
            "add_special_tokens": special,
        }
        return await server.post("/v1/completions", asked)


def _unseparated(step: str, separator: str) -> str:
    """A step without separators of its own: their first character is another."""
    return disarm(step).replace(separator, "\N{REPLACEMENT CHARACTER}" + separator[1:])


def _prompt_token(value: JsonValue) -> Token:
    """One token of ``prompt_logprobs``: the first of all has none, each other an object with one entry."""
    if value is None:
        return Token("", None, None)
    if not isinstance(value, dict) or len(value) != 1:
        raise_malformed("a token of the prompt has not one log-probability")
    [(name, said)] = value.items()
    token_id = int(name) if name.isdecimal() else raise_malformed("a token has no number")
    return Token(text(field(said, "decoded_token") or ""), number(field(said, "logprob")), token_id)
