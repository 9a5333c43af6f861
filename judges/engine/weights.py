"""The tensors of a model in memory, replaced in place: all of them, some, or those that a LoRA adapter changes.

Before anything is written everything is checked: names, shapes, types, and that each number is finite and within the
model's precision. Then tensors are copied one by one out of the page cache, so there is never a second model in memory.
An adapter stands on the base: the next weights, or the next adapter, take it off first.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import torch

from judges.base import ModelUnavailable
from judges.engine.adapter import LowRank, read_adapter
from judges.engine.checkpoint import HARMLESS, files_of, map_tensors

_WRAPPERS = frozenset({"module", "_orig_mod", "_fsdp_wrapped_module", "_checkpoint_wrapped_module", "base_layer"})
"""What data parallelism, compilation and adapters write into the names of tensors."""
_FLOATS = {torch.float64, torch.float32, torch.float16, torch.bfloat16}
_UNUSED = "lm_head.weight"
"""A trainer's checkpoint of a reward model may still have it."""
_NAMED = 4


class Change(Protocol):
    def apply_to(self, base: torch.Tensor) -> torch.Tensor:
        """What becomes of the base."""
        ...


@dataclass(frozen=True, slots=True)
class Kept:
    """A tensor that an adapter brings whole: a head that was trained beside it."""

    tensor: torch.Tensor

    def apply_to(self, base: torch.Tensor) -> torch.Tensor:
        return self.tensor.to(base.device)


class LiveWeights:
    """``model`` has the checkpoint's names of tensors. Its tensors are written, never replaced by others."""

    def __init__(self, model: torch.nn.Module) -> None:
        self._model = model
        self._prefix = getattr(model, "base_model_prefix", "model") + "."
        self._tensors: dict[str, torch.Tensor] = model.state_dict()
        owners: dict[tuple[int, torch.Size], str] = {}
        self._owner = {
            name: owners.setdefault((tensor.data_ptr(), tensor.shape), name) for name, tensor in self._tensors.items()
        }
        self._made = dict.fromkeys(owners.values(), 0)
        self._base: dict[str, torch.Tensor] = {}
        self._adapter: Mapping[str, Change] = {}

    @property
    def versions(self) -> list[int]:
        """Of which there are tensors in the base, oldest first; 0 is the checkpoint that was loaded."""
        return sorted(set(self._made.values()))

    @property
    def base_bytes(self) -> int:
        """What the base's copies of changed tensors take where main memory is the model's own."""
        return sum(base.nbytes for name, base in self._base.items() if base.device == self._tensors[name].device)

    def replace(self, path: Path, version: int) -> int:
        """How many tensors were replaced. Raises ValueError with what is wrong; then nothing has changed.

        What fails after the checks is no ValueError: the model is then neither old nor new, and to be loaded anew.
        """
        new = self._placed(_stored(path))
        with torch.no_grad():
            self._put_on({})
            for owner, tensor in new.items():
                self._tensors[owner].copy_(tensor)
        self._made |= dict.fromkeys(new, version)
        return len(new)

    def adapt(self, directory: Path) -> int:
        """Puts an adapter of PEFT's format onto the base, and says how many tensors it changed. Raises as ``replace``.

        The base's copies of these tensors are kept, in main memory, until the adapter is taken off.
        """
        changes, before = self._changes(directory), self._adapter
        with torch.no_grad():
            try:
                self._put_on(changes)
            except ValueError:
                self._put_on(before)
                raise
        return len(changes)

    def _placed(self, stored: Mapping[str, torch.Tensor]) -> dict[str, torch.Tensor]:
        """The tensors by where in the model they belong, once for those that are tied. Raises ValueError."""
        places = {name: self._place(name) for name in stored}
        strangers = [name for name, place in places.items() if not place and not name.endswith((*HARMLESS, _UNUSED))]
        if strangers:
            raise ValueError(f"the model has no {_listed(strangers)}")
        known = {name: self._owner[place] for name, place in places.items() if place}
        if not known:
            raise ValueError("there are no tensors of this model in it")
        for name, owner in known.items():
            _refuse_other(name, stored[name], self._tensors[owner])
        placed: dict[str, torch.Tensor] = {}
        for name, owner in known.items():
            first = placed.setdefault(owner, stored[name])
            if first is stored[name]:
                _refuse_unfit(name, first, self._tensors[owner].dtype)
            elif not torch.equal(first, stored[name]):
                raise ValueError(f"{name} and another are one tensor in this model, {owner}, and differ here")
        return placed

    def _place(self, name: str) -> str | None:
        """The model's own name of a tensor, however whoever saved it had wrapped the model."""
        bare = ".".join(part for part in name.split(".") if part not in _WRAPPERS).removeprefix("base_model.model.")
        spellings = (name, bare, self._prefix + bare, bare.removeprefix("model."), bare.removeprefix(self._prefix))
        return next((spelling for spelling in spellings if spelling in self._owner), None)

    def _changes(self, directory: Path) -> dict[str, Change]:
        adapter = read_adapter(directory)
        changes: dict[str, Change] = {}
        given = {self._place(name) for name in adapter.whole}
        for module, pair in adapter.pairs.items():
            place = self._place(module + ".weight")
            if place is None:
                raise ValueError(f"the model has no {module}, which the adapter changes")
            changes[self._owner[place]] = self._fitted(module, pair, place)
            given.add(place)
        for owner, tensor in (self._placed(adapter.whole) if adapter.whole else {}).items():
            if owner in changes:
                raise ValueError(f"the adapter both changes and replaces {owner}")
            changes[owner] = Kept(tensor)
        tied = sorted(name for name, owner in self._owner.items() if owner in changes and name not in given)
        if tied:
            raise ValueError(f"{_listed(tied)} is tied to a tensor that the adapter changes: save the model merged")
        return changes

    def _fitted(self, module: str, pair: LowRank, place: str) -> LowRank:
        """The matrices as the layer has them: PEFT goes by the kind of layer, whatever ``fan_in_fan_out`` says."""
        from transformers.pytorch_utils import Conv1D

        layer, live = self._model.get_submodule(place.removesuffix(".weight")), self._tensors[place]
        known = torch.nn.Embedding if pair.embedding else (torch.nn.Linear, Conv1D)
        if not isinstance(layer, known):
            raise ValueError(f"{module} is a {type(layer).__name__}, which such an adapter cannot change")
        pair = pair.transpose() if isinstance(layer, (torch.nn.Embedding, Conv1D)) else pair
        if pair.shape != tuple(live.shape):
            raise ValueError(f"{module} has shape {tuple(live.shape)}, and the adapter is for {pair.shape}")
        for matrix in (pair.left, pair.right):
            _refuse_unfit(f"the adapter's {module}", matrix, torch.float32)
        return pair.to(live.device)

    def _put_on(self, changes: Mapping[str, Change]) -> None:
        """Makes each tensor what its change makes of the base, and all others the base."""
        for name in self._base.keys() - changes.keys():
            self._tensors[name].copy_(self._base[name])
            del self._base[name]
        for name, change in changes.items():
            live = self._tensors[name]
            if name not in self._base:
                self._base[name] = _aside(live)
            changed = change.apply_to(self._base[name].to(live.device))
            _refuse_unfit(f"{name} with the adapter", changed, live.dtype)
            live.copy_(changed)
        self._adapter = changes


def _stored(path: Path) -> dict[str, torch.Tensor]:
    """The tensors at a path, by name, mapped into memory. Raises ValueError where not all are there to be read."""
    try:
        files = files_of(path)
        stored = {file: map_tensors(file) for file in set(files.values())}
    except ModelUnavailable as failure:
        raise ValueError(str(failure)) from failure
    lacking = sorted(name for name, file in files.items() if name not in stored[file])
    if lacking:
        raise ValueError(f"its files have no {_listed(lacking)}, which the index says are there")
    return {name: stored[file][name] for name, file in files.items()}


def _refuse_other(name: str, tensor: torch.Tensor, live: torch.Tensor) -> None:
    if tensor.shape != live.shape:
        raise ValueError(f"{name} has shape {tuple(tensor.shape)}, and the model's has {tuple(live.shape)}")
    if tensor.dtype != live.dtype and not {tensor.dtype, live.dtype} <= _FLOATS:
        raise ValueError(f"{name} is {_said(tensor.dtype)}, which cannot be made the model's {_said(live.dtype)}")


def _refuse_unfit(name: str, tensor: torch.Tensor, dtype: torch.dtype) -> None:
    """Raises ValueError where a number is not finite in ``dtype``; one pass over the tensor."""
    if not tensor.is_floating_point() or tensor.numel() == 0:
        return
    low, high = (bound.item() for bound in torch.aminmax(tensor))
    if not (abs(low) <= torch.finfo(tensor.dtype).max and abs(high) <= torch.finfo(tensor.dtype).max):
        raise ValueError(f"{name} has numbers that are not finite")
    if max(-low, high) > torch.finfo(dtype).max:
        raise ValueError(f"{name} has numbers beyond what {_said(dtype)} holds")


def _aside(tensor: torch.Tensor) -> torch.Tensor:
    """A copy in main memory, from which a device copies quickly."""
    copy = tensor.to("cpu", copy=True)
    return copy.pin_memory() if tensor.is_cuda else copy


def _listed(names: list[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _said(dtype: torch.dtype) -> str:
    return str(dtype).removeprefix("torch.")
