"""A model's modules, by what they do here, and the rows that they say of a batch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch

from judges.engine.attention import PACKED
from judges.engine.beginnings import Beginnings
from judges.engine.heads import Labels, Squeeze, next_token_rows
from judges.engine.packing import run_packed, run_padded, whole_logits
from judges.engine.render import Says
from judges.engine.work import Row, Work


@dataclass
class Network:
    """``model`` has the checkpoint's names of tensors, ``base`` is the part of it that makes hidden states.

    ``labels`` reads those; where it is None the head reads more than one position, and the model runs whole, or it
    projects to the vocabulary (``says`` is ``next``), with ``squeeze`` after it. ``attention`` is the implementation
    for what does not run packed, ``pairs`` says that the model takes token types, ``pads_left`` that texts of several
    lengths can be written together, ``shares_beginnings`` that what they begin with can be computed once.
    ``beginnings`` is what is known of that.
    """

    model: torch.nn.Module
    base: torch.nn.Module
    says: Says
    attention: str
    labels: Labels | None = None
    squeeze: Squeeze | None = None
    packed: bool = False
    pairs: bool = False
    pads_left: bool = False
    shares_beginnings: bool = False
    beginnings: Beginnings = field(default_factory=Beginnings)

    @contextmanager
    def using(self, attention: str) -> Iterator[None]:
        """Another attention implementation meanwhile."""
        self.base.set_attn_implementation(attention)
        try:
            yield
        finally:
            self.base.set_attn_implementation(PACKED if self.packed else self.attention)


def rows_of(network: Network, works: Sequence[Work]) -> list[Row]:
    """The rows that the works read, one after another, in one forward pass."""
    if network.labels is None and network.says != "next":
        return _rows(whole_logits(network.model, works, pairs=network.pairs))
    states = run_packed(network.base, works) if network.packed else run_padded(network.base, works)
    if network.labels is not None:
        return _rows(network.labels(states))
    targets = [target for work in works for target in work.read.targets or ()]
    return next_token_rows(states, targets, network.model.get_output_embeddings(), network.squeeze)


def _rows(logits: torch.Tensor) -> list[Row]:
    return list(map(tuple, logits.float().tolist()))
