"""Sequences that grow by a token at a time, together: padded on the left, with the keys and values of what was read.

Equal prompts are computed once, and so is what all begin with, where it is long enough: a judge's prompts have their
rules first. What earlier ones began with is known already (:mod:`judges.engine.beginnings`). A sequence that is done
leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from judges.engine.network import Network

_SHARED = 32
"""As many tokens at least are computed apart because all begin with them."""
_KEYS_AND_VALUES = "past_key_values"
_CACHES = (_KEYS_AND_VALUES, "cache_params")
"""What architectures call that which they keep."""


class Growing:
    """``read`` first, then ``grow`` again and again: hidden states of the last token of each, (rows, hidden)."""

    def __init__(self, network: Network, prompts: Sequence[tuple[int, ...]]) -> None:
        self._network = network
        self._prompts = prompts
        self._padded = len({len(prompt) for prompt in prompts}) > 1
        self._begun = 0
        self._device = next(network.base.parameters()).device
        self._mask = torch.ones(0)
        self._kept: dict[str, object] = {}

    def read(self) -> torch.Tensor:
        """The prompts."""
        places = {prompt: place for place, prompt in enumerate(dict.fromkeys(self._prompts))}
        self._mask = torch.ones(len(places), 0, dtype=torch.long, device=self._device)
        if self._network.shares_beginnings:
            self._read_beginning([*places])
        rests = [prompt[self._begun :] for prompt in places]
        longest = max(map(len, rests))
        padded = [(0,) * (longest - len(rest)) + rest for rest in rests]
        lengths = torch.tensor([len(rest) for rest in rests], device=self._device)
        mask = (torch.arange(longest, device=self._device)[None] >= longest - lengths[:, None]).long()
        self._mask = torch.cat([self._mask, mask], dim=1)
        states = self._states(torch.tensor(padded, device=self._device))
        if len(places) == 1 and self._network.shares_beginnings:
            self._network.beginnings.keep(self._prompts[0], self._kept.get(_KEYS_AND_VALUES))
        rows = [places[prompt] for prompt in self._prompts]
        self.keep(rows)
        return states[torch.tensor(rows, device=self._device)]

    def _read_beginning(self, prompts: Sequence[tuple[int, ...]]) -> None:
        """What all begin with, once, but for what is known of it; then each row has it."""
        ids = prompts[0][: _alike(prompts)]
        found, known = self._network.beginnings.find(ids)
        self._begun = len(ids) if len(prompts) > 1 and len(ids) - found >= _SHARED else found
        if not self._begun:
            return
        self._kept = {_KEYS_AND_VALUES: known} if known is not None else {}
        self._mask = torch.ones(1, self._begun, dtype=torch.long, device=self._device)
        if self._begun > found:
            self._states(torch.tensor([ids[found:]], device=self._device))
            self._network.beginnings.keep(ids, self._kept.get(_KEYS_AND_VALUES))
        self.keep([0] * len(prompts))

    def grow(self, ids: Sequence[int]) -> torch.Tensor:
        """A token more of each."""
        self._mask = torch.cat([self._mask, self._mask.new_ones(len(ids), 1)], dim=1)
        return self._states(torch.tensor(ids, device=self._device)[:, None])

    def keep(self, rows: Sequence[int]) -> None:
        """Only these, in this order; one may be there several times."""
        if list(rows) == list(range(len(self._mask))):
            return
        chosen = torch.tensor(rows, device=self._device)
        self._mask = self._mask[chosen]
        for kept in self._kept.values():
            kept.reorder_cache(chosen)  # type: ignore[attr-defined]

    def _states(self, ids: torch.Tensor) -> torch.Tensor:
        places = (self._mask.cumsum(1) - 1).clamp(min=0)[:, -ids.shape[1] :]
        with self._network.using(self._network.attention):  # packed attention keeps nothing
            said = self._network.base(
                input_ids=ids,
                attention_mask=self._mask if self._padded else None,
                position_ids=places,
                use_cache=True,
                **self._kept,
            )
        self._kept = {name: said[name] for name in _CACHES if said.get(name) is not None}
        states: torch.Tensor = said.last_hidden_state[:, -1]
        return states


def _alike(prompts: Sequence[tuple[int, ...]]) -> int:
    """How many tokens all begin with, short of their ends: the last token of each is read for what follows it."""
    least, most = min(prompts), max(prompts)  # what these two share, all between them share
    alike = next(
        (place for place, (one, other) in enumerate(zip(least, most, strict=False)) if one != other), len(least)
    )
    return min(alike, min(map(len, prompts)) - 1)
