"""SGLang: ``/classify`` (launched with ``--is-embedding``), ``/generate``, ``/tokenize``, OpenAI's completions.

These paths take texts: a conversation is rendered by the entry's chat template, but for generation, where the server
has its own. Not covered: pairs, steps.
"""

from __future__ import annotations

from pydantic import JsonValue

from judges.base import Unaskable
from judges.questions import Answer, Choices, Classify, Generate, Prompt, Question, Spans
from judges.remote.alignment import Token, answer_spans
from judges.remote.completion_prompt import Renderer, singles, token_ids
from judges.remote.completions import ask_completion, has_model
from judges.remote.dialect import served_name
from judges.remote.fields import field, number, numbers, raise_malformed, rows, text, whole
from judges.remote.request_quirks import Manners
from judges.remote.server import Server
from judges.remote.template import with_system
from trueward.wire.model import ModelEntry


class SGLang:
    """See :class:`judges.remote.dialect.Dialect`."""

    def __init__(self) -> None:
        self._renderer = Renderer(by_server=False)
        self._manners = Manners()

    async def ask(self, server: Server, entry: ModelEntry, question: Question) -> Answer:
        match question:
            case Classify(pair=None):
                read = await self._read(server, entry, question.text)
                said = await server.post("/classify", {"model": served_name(entry), "text": [read]})
                return Answer((numbers(field(said, 0, "embedding")),), tokens=_read_tokens(field(said, 0)))
            case Spans():
                return await self._spans(server, entry, question)
            case Choices():
                return await self._choices(server, entry, question)
            case Generate():
                return await ask_completion(server, entry, question, self._renderer, self._manners)
            case _:
                raise Unaskable("an sglang server is asked neither for pairs, nor for steps, nor about every token")

    async def count(self, server: Server, entry: ModelEntry, prompt: Prompt) -> int:
        opened = await self._renderer.prompt(server, entry, prompt)
        return len(await token_ids(server, entry, opened.text, special=True))

    async def ready(self, server: Server, entry: ModelEntry) -> None:
        await has_model(server, entry)

    async def _read(self, server: Server, entry: ModelEntry, prompt: Prompt) -> str:
        if isinstance(prompt, str):
            return prompt
        return (await self._renderer.render_closed(server, entry, with_system(entry, prompt))).text

    async def _spans(self, server: Server, entry: ModelEntry, question: Spans) -> Answer:
        if any(not 0 <= start <= end <= len(question.text) for start, end in question.spans):
            raise Unaskable("a span is not within its text")
        opened = await self._renderer.render_continued(server, entry, question.prompt, question.text, question.role)
        told: dict[str, JsonValue] = {"logprob_start_len": 0, "return_text_in_logprobs": True}
        said = await self._generate(server, opened.text, told, new=0)
        tokens = [_token(one) for one in rows(field(said, "meta_info", "input_token_logprobs"))]
        return answer_spans(question, tokens, _read_tokens(said))

    async def _choices(self, server: Server, entry: ModelEntry, question: Choices) -> Answer:
        opened = await self._renderer.render_continued(server, entry, question.prompt, question.said, "assistant")
        chosen = await singles(server, entry, question.choices)
        said = await self._generate(server, opened.text, {"token_ids_logprob": [*chosen]}, new=1)
        found = {whole(field(one, 1)): number(field(one, 0)) for one in _next(said)}
        if not found.keys() >= set(chosen):
            raise_malformed("a choice has no log-probability")
        return Answer((tuple(found[one] for one in chosen),), tokens=_read_tokens(said))

    async def _generate(self, server: Server, text: str, told: dict[str, JsonValue], *, new: int) -> JsonValue:
        """At temperature 1, where log-probabilities are the model's own."""
        drawn: dict[str, JsonValue] = {"max_new_tokens": new, "temperature": 1.0, "skip_special_tokens": False}
        return await server.post("/generate", {"text": text, "sampling_params": drawn, "return_logprob": True, **told})


def _next(said: JsonValue) -> list[JsonValue]:
    return rows(field(said, "meta_info", "output_token_ids_logprobs", 0))


def _token(value: JsonValue) -> Token:
    """``[log-probability, number, text]``; the first of all has no log-probability."""
    logprob, said = field(value, 0), field(value, 2)
    return Token(
        text(said) if said is not None else "",
        None if logprob is None else number(logprob),
        whole(field(value, 1)),
    )


def _read_tokens(said: JsonValue) -> int:
    return whole(field(said, "meta_info", "prompt_tokens"))
