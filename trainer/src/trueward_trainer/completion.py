"""One answer of a completions endpoint (OpenAI's, vLLM's, SGLang's, llama.cpp's), read as responses of the policy.

The tokens are those that the server tells (``return_token_ids``; llama.cpp numbers them beside their probabilities).
Where it tells the text alone, the text is split into tokens again; other tokens than those that were sampled may spell
the same text, so the guess must decode to the text and have as many tokens as the server told log-probabilities, else
the response is not ``known``. A response that ended by itself ends with its end token, which some servers keep to
themselves. Log-probabilities are the server's, NaN where it tells none.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, ValidationError
from transformers import PreTrainedTokenizerBase

from trueward.errors import UnexpectedAnswer
from trueward.wire.sample import FinishReason
from trueward_trainer.rollout import Response

_CUT_CHARACTER = "\N{REPLACEMENT CHARACTER}"


class _Token(BaseModel):
    logprob: float | None = None
    id: int | None = None


class _Logprobs(BaseModel):
    """As OpenAI's completions have them, or as llama.cpp does: ``content``, a token after the other."""

    token_logprobs: list[float | None] | None = None
    content: list[_Token] | None = None

    @property
    def told(self) -> list[float | None]:
        return self.token_logprobs or [one.logprob for one in self.content or ()]

    @property
    def ids(self) -> list[int] | None:
        ids = [one.id for one in self.content or () if one.id is not None]
        return ids if ids and len(ids) == len(self.content or ()) else None


class _Choice(BaseModel):
    index: int
    text: str = ""
    finish_reason: str | None = None
    token_ids: list[int] | None = None
    prompt_token_ids: list[int] | None = None
    logprobs: _Logprobs | None = None
    stop_reason: int | str | None = None
    matched_stop: int | str | None = None

    @property
    def ids(self) -> list[int] | None:
        """The tokens' numbers, where the server tells them."""
        if self.token_ids is not None or self.logprobs is None:
            return self.token_ids
        return self.logprobs.ids


class _Completion(BaseModel):
    choices: list[_Choice]


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """``size`` tokens, of which ``ends`` end a response."""

    tokenizer: PreTrainedTokenizerBase
    ends: frozenset[int]
    size: int

    @property
    def end(self) -> int:
        own: int | None = self.tokenizer.eos_token_id
        return own if own in self.ends and own is not None else min(self.ends)

    def decode(self, tokens: Sequence[int]) -> str:
        text = self.tokenizer.decode(list(tokens), skip_special_tokens=True)
        assert isinstance(text, str)
        return text


def read(body: bytes, prompt_ids: list[int], count: int, vocabulary: Vocabulary) -> list[Response]:
    """``count`` responses in order. Raises :class:`UnexpectedAnswer`."""
    try:
        choices = _Completion.model_validate_json(body).choices
    except ValidationError as wrong:
        first = wrong.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise UnexpectedAnswer(f"the rollout server's answer is no completion: {where}: {first['msg']}") from wrong
    if sorted(choice.index for choice in choices) != list(range(count)):
        raise UnexpectedAnswer(f"the rollout server gave {len(choices)} responses, not {count}")
    return [_response(choice, prompt_ids, vocabulary) for choice in sorted(choices, key=lambda one: one.index)]


def _response(choice: _Choice, prompt_ids: list[int], vocabulary: Vocabulary) -> Response:
    if choice.prompt_token_ids is not None and choice.prompt_token_ids != prompt_ids:
        raise UnexpectedAnswer("the rollout server sampled after other tokens than those of the prompt")
    told = [math.nan if one is None else one for one in (choice.logprobs and choice.logprobs.told) or []]
    tokens, known = _tokens(choice, len(told), vocabulary)
    finish = _finish(choice, tokens, vocabulary)
    if finish == "stop":
        tokens = _ended(tokens, choice, vocabulary)
    body = tokens[:-1] if finish == "stop" else tokens
    return Response(
        prompt_ids=prompt_ids,
        tokens=tokens or [vocabulary.end],
        logprobs=_aligned(told, len(tokens or [0])),
        text=choice.text if choice.ids is None else vocabulary.decode(body),
        finish_reason=finish,
        known=known and bool(tokens) and finish != "aborted",
    )


def _tokens(choice: _Choice, told: int, vocabulary: Vocabulary) -> tuple[list[int], bool]:
    """The tokens, and whether they are those that were sampled."""
    if choice.ids is not None:
        if any(not 0 <= token < vocabulary.size for token in choice.ids):
            raise UnexpectedAnswer("the rollout server has tokens that the policy has not: it serves another model")
        return choice.ids, True
    tokens: list[int] = vocabulary.tokenizer(choice.text, add_special_tokens=False)["input_ids"]
    counts = {len(tokens), len(tokens) + 1} if choice.finish_reason == "stop" else {len(tokens)}
    # a character that was cut in two decodes to the same sign as any other
    spelt = vocabulary.decode(tokens) == choice.text and _CUT_CHARACTER not in choice.text
    return tokens, spelt and (not told or told in counts)


def _finish(choice: _Choice, tokens: Sequence[int], vocabulary: Vocabulary) -> FinishReason:
    """What a server stops for reasons of its own is cut off, whatever it calls that; only an abort is no response."""
    if choice.finish_reason == "abort":
        return "aborted"
    return "stop" if choice.finish_reason == "stop" or vocabulary.ends.intersection(tokens) else "length"


def _ended(tokens: Sequence[int], choice: _Choice, vocabulary: Vocabulary) -> list[int]:
    """Up to the first end token; where there is none, with the one that the server names, or the usual one."""
    place = next((place for place, token in enumerate(tokens) if token in vocabulary.ends), None)
    if place is not None:
        return list(tokens[: place + 1])
    named = [one for one in (choice.stop_reason, choice.matched_stop) if one in vocabulary.ends]
    return [*tokens, int(named[0]) if named else vocabulary.end]


def _aligned(told: Sequence[float], count: int) -> list[float]:
    """One a token: more than there are tokens were told of what came after the end, one less leaves the end out."""
    finite = [one if math.isfinite(one) else math.nan for one in told[:count]]
    return [*finite, *[math.nan] * (count - len(finite))]
