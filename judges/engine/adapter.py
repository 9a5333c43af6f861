"""LoRA adapters in PEFT's format: ``adapter_config.json`` beside ``adapter_model.safetensors``.

A layer's weight becomes ``W + scale * B @ A`` (arXiv 2106.09685) with ``scale = alpha / r``, or ``alpha / sqrt(r)``
under ``use_rslora`` (arXiv 2312.03732); patterns may give a module a rank or an alpha of its own. Heads that were
trained beside the adapter come as whole tensors. DoRA, biases of adapters and adapters of bare parameters are refused.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Literal, TypeVar

import torch
from pydantic import BaseModel, Field, ValidationError

from judges.base import ModelUnavailable
from judges.engine.checkpoint import map_tensors

CONFIG = "adapter_config.json"
TENSORS = "adapter_model.safetensors"
_PAIR = re.compile(r"(?:base_model\.model\.)?(?P<module>.+)\.lora_(?P<embedding>embedding_)?(?P<side>[AB])(\..+)?")

Rank = Annotated[int, Field(ge=1)]
Alpha = Annotated[float, Field(allow_inf_nan=False)]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LowRank:
    """What is added to a weight: ``scale * left @ right``, of shapes (rows, r) and (r, columns)."""

    left: torch.Tensor
    right: torch.Tensor
    scale: float
    embedding: bool

    @property
    def shape(self) -> tuple[int, int]:
        return self.left.shape[0], self.right.shape[1]

    def transpose(self) -> LowRank:
        """The same for a layer that keeps its weight as (in, out)."""
        return replace(self, left=self.right.T, right=self.left.T)

    def to(self, device: torch.device) -> LowRank:
        return replace(self, left=self.left.to(device), right=self.right.to(device))

    def apply_to(self, base: torch.Tensor) -> torch.Tensor:
        """In float32: rounded once, when it is written."""
        return torch.addmm(base.float(), self.left, self.right, alpha=self.scale)


@dataclass(frozen=True, slots=True)
class Adapter:
    """Matrices by module, and the tensors that come ``whole``, by name; in memory of their own."""

    pairs: dict[str, LowRank]
    whole: dict[str, torch.Tensor]


class _Config(BaseModel):
    peft_type: Literal["LORA"]
    r: Rank
    lora_alpha: Alpha
    use_rslora: bool = False
    use_dora: Literal[False] = False
    lora_bias: Literal[False] = False
    target_modules: list[str] | str | None = None
    target_parameters: Annotated[list[str], Field(max_length=0)] | None = None
    rank_pattern: dict[str, Rank] = {}
    alpha_pattern: dict[str, Alpha] = {}

    def targets(self, module: str) -> bool:
        if isinstance(self.target_modules, str):
            return self.target_modules == "all-linear" or re.fullmatch(self.target_modules, module) is not None
        return not self.target_modules or any(f".{module}".endswith(f".{name}") for name in self.target_modules)

    def rank(self, module: str) -> int:
        return _of(self.rank_pattern, module, self.r)

    def scale(self, module: str) -> float:
        rank = self.rank(module)
        return _of(self.alpha_pattern, module, self.lora_alpha) / (math.sqrt(rank) if self.use_rslora else rank)


def read_adapter(directory: Path) -> Adapter:
    """Raises ValueError with what is wrong with it."""
    config = _config(directory)
    try:
        stored = map_tensors(directory / TENSORS)
    except ModelUnavailable as failure:
        raise ValueError(str(failure)) from failure
    sides: defaultdict[str, dict[str, torch.Tensor]] = defaultdict(dict)
    embeddings, whole = set(), {}
    for name, tensor in stored.items():
        found = _PAIR.fullmatch(name)
        if found is None:
            whole[name] = tensor.clone()
            continue
        sides[found["module"]][found["side"]] = tensor.to(torch.float32, copy=True)
        embeddings |= {found["module"]} if found["embedding"] else set()
    if not sides:
        raise ValueError(f"{TENSORS} has no matrices lora_A and lora_B")
    try:
        pairs = {module: _pair(config, module, known, module in embeddings) for module, known in sides.items()}
    except re.error as wrong:
        raise ValueError(f"{CONFIG} has a pattern that is none: {wrong}") from wrong
    return Adapter(pairs, whole)


def _pair(config: _Config, module: str, sides: dict[str, torch.Tensor], embedding: bool) -> LowRank:
    if not config.targets(module):
        raise ValueError(f"the adapter has matrices of {module}, which is none of its target_modules")
    if sides.keys() != {"A", "B"}:
        raise ValueError(f"the adapter has {' and '.join(sorted(sides))} of {module}: A and B are needed")
    left, right, rank = sides["B"], sides["A"], config.rank(module)
    if left.ndim != 2 or right.ndim != 2 or (left.shape[1], right.shape[0]) != (rank, rank):
        shapes = f"{tuple(left.shape)} and {tuple(right.shape)}"
        raise ValueError(f"the adapter's B and A of {module} have shapes {shapes}, and its rank is {rank}")
    return LowRank(left, right, config.scale(module), embedding)


def _config(directory: Path) -> _Config:
    try:
        return _Config.model_validate_json((directory / CONFIG).read_bytes())
    except OSError as failure:
        raise ValueError(f"{directory} has no {CONFIG}: an adapter is a directory as PEFT saves it") from failure
    except ValidationError as refusal:
        first = refusal.errors()[0]
        where = ".".join(map(str, first["loc"])) or CONFIG
        raise ValueError(f"{CONFIG} is none that can be merged: {where}: {first['msg']}") from refusal


def _of(patterns: Mapping[str, T], module: str, default: T) -> T:
    """The value of the first pattern that ends the module's name, as PEFT reads them."""
    found = (value for pattern, value in patterns.items() if re.match(rf"(.*\.)?({pattern})$", module))
    return next(found, default)
