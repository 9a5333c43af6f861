"""Responses of the policy, sampled in batches, with the log-probability of each token that was sampled.

A response is sampled from ``softmax(logits / temperature)``, nothing cut off, and its log-probabilities are of that
distribution: what the update takes the gradient of. Temperature 0 is greedy. Prompts are padded on the left. The
generator is the caller's, so the same state of it gives the same responses. Not covered: models without attention
masks and a key-value cache, top-p and top-k. A server that samples instead: :mod:`trueward_trainer.served`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import torch
from transformers import PreTrainedModel, PreTrainedTokenizerBase

from trueward.errors import InvalidRequest
from trueward.wire.sample import FinishReason, Sample


@dataclass(frozen=True, slots=True)
class Response:
    """``tokens`` ends with the end token where ``finish_reason`` is ``stop``; ``text`` is without it.

    ``prompt_ids`` is the prompt without its hint; ``hinted_ids`` is what the response was sampled after, where a hint
    stood in it. ``logprobs`` are NaN where the sampler tells none. ``known`` is False where a server told the text and
    its tokens can only be guessed: nothing is learnt from those.
    """

    prompt_ids: list[int]
    tokens: list[int]
    logprobs: list[float]
    text: str
    finish_reason: FinishReason
    hinted_ids: list[int] | None = None
    known: bool = True


class Sampling(Protocol):
    """Who samples: the model itself, or a server that has its weights."""

    def encode(self, prompt: Sample) -> list[int]: ...

    def sample(
        self, prompts: Sequence[Sample], count: int, temperature: float, generator: torch.Generator
    ) -> list[Response]: ...

    def refresh(self, step: int) -> None:
        """From here on samples are those of the policy as it is after ``step`` updates."""


class Sampler:
    """Samples from one model; holds no state of its own."""

    def __init__(
        self, model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase, *, chat: bool, max_new_tokens: int
    ) -> None:
        self._model = model
        self._tokenizer = tokenizer
        self._chat = chat
        self._limit = max_new_tokens
        self._ends = end_tokens(model, tokenizer)

    def sample(
        self, prompts: Sequence[Sample], count: int, temperature: float, generator: torch.Generator
    ) -> list[Response]:
        """``count`` responses to each prompt, those of one prompt side by side."""
        encoded = [ids for prompt in prompts for ids in [self.encode(prompt)] * count]
        with torch.no_grad():
            tokens, logprobs = self._generate(encoded, temperature, generator)
        return [self._response(*row) for row in zip(encoded, tokens, logprobs, strict=True)]

    def encode(self, prompt: Sample) -> list[int]:
        return prompt_ids(self._tokenizer, prompt, chat=self._chat)

    def refresh(self, step: int) -> None:
        """Nothing to do: the model that samples is the one that learns."""

    def _generate(
        self, prompts: Sequence[list[int]], temperature: float, generator: torch.Generator
    ) -> tuple[list[list[int]], list[list[float]]]:
        device = self._model.device
        ids, attention = _padded_left(prompts, device)
        ends = torch.tensor(sorted(self._ends), device=device)
        finished = torch.zeros(len(prompts), dtype=torch.bool, device=device)
        tokens, logprobs = [], []
        past, positions = None, attention.cumsum(1).sub(1).clamp(min=0)
        for _ in range(self._limit):
            out = self._model(
                input_ids=ids,
                attention_mask=attention,
                position_ids=positions,
                past_key_values=past,
                use_cache=True,
                logits_to_keep=1,
            )
            past = out.past_key_values
            chosen, said = _choose(out.logits[:, -1].float(), temperature, generator)
            tokens.append(chosen)
            logprobs.append(said)
            finished |= torch.isin(chosen, ends)
            if bool(finished.all()):
                break
            ids = chosen[:, None]
            attention = torch.cat([attention, attention.new_ones(len(prompts), 1)], dim=1)
            positions = positions[:, -1:] + 1
        return torch.stack(tokens, dim=1).tolist(), torch.stack(logprobs, dim=1).tolist()

    def _response(self, prompt_ids: list[int], tokens: list[int], logprobs: list[float]) -> Response:
        end = next((place for place, token in enumerate(tokens) if token in self._ends), None)
        kept = len(tokens) if end is None else end + 1
        text = self._tokenizer.decode(tokens[: len(tokens) if end is None else end], skip_special_tokens=True)
        finish: FinishReason = "length" if end is None else "stop"
        return Response(prompt_ids, tokens[:kept], logprobs[:kept], text, finish)


def prompt_ids(tokenizer: PreTrainedTokenizerBase, prompt: Sample, *, chat: bool) -> list[int]:
    """The prompt's tokens, through the chat template or as they are; a hint that stands in it stays."""
    if not chat:
        return _not_empty(tokenizer(prompt.prompt_text)["input_ids"])
    said = prompt.prompt if isinstance(prompt.prompt, list) else None
    messages = (
        [{"role": "user", "content": prompt.prompt_text}]
        if said is None
        else [{"role": one.role, "content": one.text} for one in said]
    )
    text = tokenizer.apply_chat_template(messages, add_generation_prompt=True, tokenize=False)
    return _not_empty(tokenizer(text + (prompt.prefix or ""), add_special_tokens=False)["input_ids"])


def end_tokens(model: PreTrainedModel, tokenizer: PreTrainedTokenizerBase) -> frozenset[int]:
    """The tokens that end a response, by the model's generation settings and by the tokenizer."""
    named = getattr(model.generation_config, "eos_token_id", None)
    several = named if isinstance(named, list) else [named]
    found = frozenset(token for token in [*several, tokenizer.eos_token_id] if token is not None)
    if not found:
        raise InvalidRequest("neither the model nor its tokenizer names an end token: no response could ever stop")
    return found


def _choose(logits: torch.Tensor, temperature: float, generator: torch.Generator) -> tuple[torch.Tensor, torch.Tensor]:
    scaled = torch.log_softmax(logits / (temperature or 1.0), dim=-1)
    chosen = scaled.argmax(-1) if not temperature else torch.multinomial(scaled.exp(), 1, generator=generator)[:, 0]
    return chosen, scaled.gather(1, chosen[:, None])[:, 0]


def _padded_left(rows: Sequence[list[int]], device: torch.device) -> tuple[torch.Tensor, torch.Tensor]:
    width = max(map(len, rows))
    ids = torch.tensor([[0] * (width - len(row)) + row for row in rows], device=device)
    attention = torch.tensor([[0] * (width - len(row)) + [1] * len(row) for row in rows], device=device)
    return ids, attention


def _not_empty(ids: list[int]) -> list[int]:
    if not ids:
        raise InvalidRequest("a prompt has no tokens: nothing could be sampled after it")
    return ids
