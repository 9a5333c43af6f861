"""Sequences made one batch, and the hidden states of the positions that are read.

Packed they stand in one row, one after another: no token is spent on padding, and a prompt that several share is there
once (:mod:`judges.engine.prefix`). An architecture that cannot do so gets them padded on the right. Which it is, is a
property of the loaded model.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from judges.engine.attention import Segments
from judges.engine.prefix import lay_out
from judges.engine.work import Work


def run_packed(base: torch.nn.Module, works: Sequence[Work]) -> torch.Tensor:
    """Hidden states after the last norm, of the positions that are read, in order: (rows, hidden)."""
    device = next(base.parameters()).device
    row = lay_out(works)
    states = base(
        input_ids=torch.tensor([row.ids], device=device),
        position_ids=torch.tensor([row.places], device=device),
        use_cache=False,
        segments=Segments(row.lengths, device, row.parents),
    ).last_hidden_state[0]
    return states[torch.tensor(row.reads, dtype=torch.long, device=device)]


def run_padded(base: torch.nn.Module, works: Sequence[Work]) -> torch.Tensor:
    """The same, over sequences that are padded on the right."""
    states = base(**_padded(base, works), use_cache=False).last_hidden_state
    return _read(states, works)


def whole_logits(model: torch.nn.Module, works: Sequence[Work], *, pairs: bool) -> torch.Tensor:
    """Labels of models whose head reads more than one position (encoders): (rows, labels).

    ``pairs`` says that the model tells first and second texts apart by token types.
    """
    batch = _padded(model, works)
    if pairs:
        batch["token_type_ids"] = _types(works, batch["input_ids"])
    logits: torch.Tensor = model(**batch).logits
    return logits if logits.ndim == 2 else _read(logits, works)


def _padded(model: torch.nn.Module, works: Sequence[Work]) -> dict[str, torch.Tensor]:
    device = next(model.parameters()).device
    ids = [torch.tensor(work.ids) for work in works]
    # what stands at a padded place is masked, but some heads find the last token by what is no padding
    padding = getattr(model.config, "pad_token_id", None) or 0
    padded = torch.nn.utils.rnn.pad_sequence(ids, batch_first=True, padding_value=padding)
    lengths = torch.tensor([work.tokens for work in works])
    mask = torch.arange(padded.shape[1])[None] < lengths[:, None]
    return {"input_ids": padded.to(device), "attention_mask": mask.long().to(device)}


def _read(states: torch.Tensor, works: Sequence[Work]) -> torch.Tensor:
    reads = [(row, n) for row, work in enumerate(works) for n in work.read.positions]
    rows, places = torch.tensor(reads, dtype=torch.long, device=states.device).reshape(-1, 2).T
    return states[rows, places]


def _types(works: Sequence[Work], ids: torch.Tensor) -> torch.Tensor:
    begins = torch.tensor([work.second or ids.shape[1] for work in works], device=ids.device)
    return (torch.arange(ids.shape[1], device=ids.device)[None] >= begins[:, None]).long()
