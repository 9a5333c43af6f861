"""The tensors of one update, and their parts for gradient accumulation.

Shapes: ``B`` responses, ``T`` positions of prompt and response, right-padded. Position ``t`` of every ``[B, T]`` tensor
speaks of token ``t``: a log-probability there is that of token ``t`` given those before it. What stands where ``mask``
is 0 is never read, so it may be anything, NaN too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields, replace

import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Size:
    """What means of an update divide by: responses with a token that learns, such tokens, and groups of such responses.

    That of the whole update, also in its parts: so losses and metrics of the parts add up to those of the whole.
    """

    sequences: int
    tokens: int
    groups: int


@dataclass(frozen=True, slots=True)
class Batch:
    """One update: ``mask`` is 1 on response tokens that learn and 0 elsewhere, ``group`` numbers the prompts.

    ``logp_old`` is of the policy that sampled (or a frozen copy of the present one), ``logp_ref`` of the reference
    policy of the KL term. ``answer_mask`` is 1 on tokens of a reference that was appended to the reasoning (VeriFree),
    which ``mask`` has, too. ``weight`` multiplies the loss of each token, but not its KL term
    (:mod:`trueward_trainer.correction`). A response whose ``mask`` is 0 everywhere takes no part and counts nowhere.
    """

    ids: Tensor
    mask: Tensor
    logp_old: Tensor
    advantages: Tensor
    group: Tensor
    logp_ref: Tensor | None = None
    answer_mask: Tensor | None = None
    weight: Tensor | None = None
    whole: Size | None = None

    @property
    def size(self) -> Size:
        """That of the whole update of which this may be a part."""
        if self.whole is not None:
            return self.whole
        learns = self.mask.sum(-1) > 0
        return Size(int(learns.sum()), int(self.mask.sum()), len(self.group[learns].unique()))

    def rows(self, chosen: Tensor) -> Batch:
        """Some of the responses, as a part of this update."""
        parts = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "whole"}
        taken = {name: None if tensor is None else tensor[chosen] for name, tensor in parts.items()}
        return replace(self, **taken, whole=self.size)

    def split(self, at_most: int, *, whole_groups: bool = False) -> Iterator[tuple[Tensor, Batch]]:
        """Parts of ``at_most`` responses with the rows that each one has; gradients of all of them are the update's.

        With ``whole_groups`` no group is torn: a part may be one group that is larger.
        """
        if not whole_groups:
            pieces = list(torch.arange(len(self.group), device=self.group.device).split(at_most))
        else:
            pieces = _cut_by_group(self.group, at_most)
        for rows in pieces:
            yield rows, self.rows(rows)


def _cut_by_group(group: Tensor, at_most: int) -> list[Tensor]:
    held: list[list[Tensor]] = []
    room = 0
    for number in group.unique():
        rows = (group == number).nonzero()[:, 0]
        if len(rows) > room:
            held.append([])
            room = at_most
        held[-1].append(rows)
        room -= len(rows)
    return [torch.cat(rows) for rows in held]
