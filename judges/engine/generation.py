"""What a model says next, token after token: greedy, or sampled under a seed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import torch

from judges.engine.network import Network
from judges.questions import Generate

if TYPE_CHECKING:
    from transformers import GenerationConfig, PreTrainedTokenizerBase

_COLD = 1e-6
"""Up to here sampling takes the likeliest token; much below logits over it overflow, which a GPU does not survive."""


def said_next(
    network: Network, tokenizer: PreTrainedTokenizerBase, ids: tuple[int, ...], question: Generate, limit: int
) -> str:
    """The text up to the end of the turn, a stop (which is not part of it), ``max_tokens`` or the model's limit."""
    device = next(network.model.parameters()).device
    prompt = torch.tensor([ids], device=device)
    # packed attention has no cache
    with network.using(network.attention), _seeded(question.seed, device):
        out = network.model.generate(
            prompt,
            attention_mask=torch.ones_like(prompt),
            generation_config=_config(network, tokenizer, question, limit - len(ids)),
            tokenizer=tokenizer,
        )
    text = str(tokenizer.decode(out[0, len(ids) :], skip_special_tokens=True))
    return text[: min((place for place in map(text.find, question.stop) if place >= 0), default=len(text))]


def _config(network: Network, tokenizer: PreTrainedTokenizerBase, question: Generate, room: int) -> GenerationConfig:
    """Nothing but what was asked for: a checkpoint's own penalties and cuts would make greedy something else."""
    from transformers import GenerationConfig

    ends = network.model.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    first = ends[0] if isinstance(ends, list) else ends
    sampled = question.temperature > _COLD
    sampling = {"temperature": question.temperature, "top_k": 0, "top_p": 1.0} if sampled else {}
    return GenerationConfig(
        max_new_tokens=min(question.max_tokens, room),
        do_sample=sampled,
        eos_token_id=ends,
        pad_token_id=first if tokenizer.pad_token_id is None else tokenizer.pad_token_id,
        stop_strings=list(question.stop) or None,
        **sampling,
    )


@contextmanager
def _seeded(seed: int | None, device: torch.device) -> Iterator[None]:
    with torch.random.fork_rng([device] if device.type == "cuda" else [], enabled=seed is not None):
        if seed is not None:
            torch.manual_seed(seed)
        yield
