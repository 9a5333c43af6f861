"""Sequences that grow by a token at a time, together: padded on the left, with the keys and values of what was read.

Equal prompts are computed once. Prompts that merely begin alike are not shared, and a sequence that is done leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from judges.engine.network import Network

_CACHES = ("past_key_values", "cache_params")
"""What architectures call that which they keep."""


class Growing:
    """``read`` first, then ``grow`` again and again: hidden states of the last token of each, (rows, hidden)."""

    def __init__(self, network: Network, prompts: Sequence[tuple[int, ...]]) -> None:
        self._network = network
        self._prompts = prompts
        self._padded = len({len(prompt) for prompt in prompts}) > 1
        self._device = next(network.base.parameters()).device
        self._mask = torch.ones(0)
        self._kept: dict[str, object] = {}

    def read(self) -> torch.Tensor:
        """The prompts."""
        places = {prompt: place for place, prompt in enumerate(dict.fromkeys(self._prompts))}
        longest = max(map(len, places))
        padded = [(0,) * (longest - len(prompt)) + prompt for prompt in places]
        lengths = torch.tensor([len(prompt) for prompt in places], device=self._device)
        self._mask = (torch.arange(longest, device=self._device)[None] >= longest - lengths[:, None]).long()
        states = self._states(torch.tensor(padded, device=self._device))
        rows = [places[prompt] for prompt in self._prompts]
        self.keep(rows)
        return states[torch.tensor(rows, device=self._device)]

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
