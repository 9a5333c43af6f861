"""What is tried on a model when it is loaded: a few tokens, run in the engine's way and in the model's own.

An architecture that nobody here has heard of may mix packed sequences (states that run on, chunks, sinks) or change
its logits; it is seen to do so, and not taken on trust. NaN is like NaN: a broken model is its answers' business.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from judges.engine.attention import PACKED
from judges.engine.growing import Growing
from judges.engine.heads import next_token_rows
from judges.engine.network import Network
from judges.engine.packing import run_packed, run_padded
from judges.engine.prefix import LEAST_SAVED
from judges.engine.work import Read, Work

_LENGTHS = (7, 12, 5)
_KNOWN_LAYERS = {"full_attention", "sliding_attention"}
_REFUSALS = (TypeError, ValueError, KeyError, IndexError, AttributeError, NotImplementedError, RuntimeError)


def runs_packed(network: Network) -> bool:
    """Whether sequences in one row have the hidden states that each has alone, where they share a prompt too."""
    config = network.base.config.get_text_config()
    layers = set(getattr(config, "layer_types", None) or ())
    if not network.base._supports_attention_backend or not layers <= _KNOWN_LAYERS:
        return False
    works = [*_works(network), *_sharing(network)]
    alone = torch.cat([run_padded(network.base, [work]) for work in works])
    try:
        with network.using(PACKED):
            packed = run_packed(network.base, works)
    except _REFUSALS as refusal:
        if isinstance(refusal, torch.OutOfMemoryError):
            raise
        return False
    if not _alike(packed, alone, alone.dtype):
        return False
    network.base.set_attn_implementation(PACKED)
    return True


def writes_padded(network: Network) -> bool:
    """Whether sequences that grow together, padded on the left, have the hidden states that each has alone."""
    return _grows(network, [*_works(network), *_sharing(network)[:1]])


def shares_beginnings(network: Network) -> bool:
    """The same where what they begin with is computed once, or known from before, and padding stands behind it.

    Not with a window, which counts padding.
    """
    config = network.base.config.get_text_config()
    windows = getattr(config, "sliding_window", None) and getattr(config, "use_sliding_window", True)
    if windows or not set(getattr(config, "layer_types", None) or ()) <= {"full_attention"}:
        return False
    network.shares_beginnings = True
    try:
        # the second time their beginning is known
        return _grows(network, _sharing(network)) and _grows(network, _sharing(network))
    finally:
        network.beginnings.forget()


def _grows(network: Network, works: Sequence[Work]) -> bool:
    ends = [replace(work, read=Read((work.tokens - 2, work.tokens - 1))) for work in works]
    with network.using(network.attention):
        alone = torch.cat([run_padded(network.base, [work]) for work in ends])
    growing = Growing(network, [work.ids[:-1] for work in works])
    try:
        together = torch.stack([growing.read(), growing.grow([work.ids[-1] for work in works])], dim=1).flatten(0, 1)
    except _REFUSALS as refusal:
        if isinstance(refusal, torch.OutOfMemoryError):
            raise
        return False
    return _alike(together, alone, alone.dtype)


def reads_alike(network: Network) -> bool:
    """Whether the head, on hidden states, says what the model says whole."""
    work = _works(network)[0]
    states = run_padded(network.base, [work])
    if not hasattr(network.model, "forward") or network.says == "gated" or not _has_own_logits(network):
        return True
    whole = network.model(torch.tensor([work.ids], device=states.device)).logits
    whole = (whole[0] if whole.ndim == 3 else whole)[-1]
    if network.labels is not None:
        return _alike(network.labels(states)[-1], whole, states.dtype)
    targets = tuple(range(0, whole.shape[0], max(1, whole.shape[0] // 32)))
    ours = next_token_rows(states[-1:], [targets], network.model.get_output_embeddings(), network.squeeze)[0]
    theirs = whole.float().log_softmax(-1)[list(targets)]
    return _alike(torch.tensor(ours, device=theirs.device), theirs, states.dtype)


def _has_own_logits(network: Network) -> bool:
    """Heads that were built here (ArmoRM's, Qwen2.5-Math-PRM's) have no model to be held against."""
    return hasattr(network.model, "base_model")


def _works(network: Network) -> list[Work]:
    rows = network.base.get_input_embeddings().num_embeddings
    ids = torch.randint(0, rows, (sum(_LENGTHS),), generator=torch.Generator().manual_seed(0)).split(_LENGTHS)
    return [Work(tuple(part.tolist()), Read(tuple(range(len(part))))) for part in ids]


def _sharing(network: Network) -> list[Work]:
    """Two sequences that go on from one prompt, just long enough to be shared."""
    prompt = tuple(token for work in _works(network) * 2 for token in work.ids)[:LEAST_SAVED]
    both = [Work((*prompt, *work.ids), Read(()), shared=len(prompt)) for work in _works(network)[:2]]
    return [replace(work, read=Read(tuple(range(len(prompt) - 1, work.tokens)))) for work in both]


def _alike(ours: torch.Tensor, theirs: torch.Tensor, dtype: torch.dtype) -> bool:
    """Up to what rounding makes of other kernels: half precision has 8 to 11 bits."""
    tolerance = 1e-3 if dtype == torch.float32 else 0.1
    size = theirs.float().abs().nan_to_num().max().item()
    return bool(torch.allclose(ours.float(), theirs.float(), rtol=0, atol=tolerance * max(size, 1e-6), equal_nan=True))
