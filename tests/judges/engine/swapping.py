"""Weights to swap, as trainers save them, and what a model says with them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import torch
from safetensors.torch import load_file, save_file

from judges.engine.loaded import LoadedModel
from judges.engine.work import Loaded, Row
from judges.questions import Classify, Question, Spans, Steps
from tests.judges.engine.plain import REPLIES, Plain, asked, differ, told
from trueward.wire.model import Weights, WeightsRequest

TOLERANCE = 1e-4
QUESTIONS: dict[str, list[Question]] = {
    "causal": [Spans(asked(), reply, ((0, len(reply)),)) for reply in REPLIES],
    "reward": [Classify(told(reply)) for reply in REPLIES],
    "process": [Steps(asked(), (reply, "So 42.")) for reply in REPLIES],
}
LAYER = "model.layers.1.mlp.up_proj"
Tensors = dict[str, torch.Tensor]


def push(model: Loaded, path: Path, version: int = 1, *, adapter: bool = False) -> Weights:
    return model.swap(WeightsRequest(path=str(path), adapter=adapter), version)


def said(model: Loaded, kind: str = "causal") -> list[list[Row]]:
    return model.run([model.encode(question) for question in QUESTIONS[kind]])


def plainly(model: LoadedModel, path: Path, kind: str, dtype: torch.dtype = torch.float32) -> list[list[Row]]:
    """What a plain model says of the same tokens."""
    plain, found = Plain(kind, path, dtype), []
    for question in QUESTIONS[kind]:
        work = model.encode(question)
        if work.read.targets is None:
            found.append([tuple(plain.logits(work.ids).reshape(-1).tolist())])
        else:
            rows = plain.logits(work.ids).log_softmax(-1)
            reads = zip(work.read.positions, work.read.targets, strict=True)
            found.append([tuple(rows[place, list(targets)].tolist()) for place, targets in reads])
    return found


def furthest(ours: list[list[Row]], theirs: list[list[Row]]) -> float:
    return max(differ(some, others) for some, others in zip(ours, theirs, strict=True))


def tensors_of(path: Path) -> Tensors:
    tensors: Tensors = load_file(path / "model.safetensors")
    return tensors


def retold(path: Path, tmp_path: Path, change: Tensors, name: str = "retold") -> Path:
    """A copy of a model with some tensors changed."""
    copy = Path(shutil.copytree(path, tmp_path / name))
    save_file(tensors_of(path) | change, copy / "model.safetensors", {"format": "pt"})
    return copy


def file_of(tensors: Tensors, tmp_path: Path) -> Path:
    save_file(tensors, tmp_path / "some.safetensors")
    return tmp_path / "some.safetensors"


def cut(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])


def adapter_of(
    path: Path, pairs: dict[str, tuple[torch.Tensor, torch.Tensor]], whole: Tensors | None = None, **config: object
) -> Path:
    """As PEFT saves it; ``pairs`` are A and B by module."""
    path.mkdir()
    known = {"peft_type": "LORA", "r": 4, "lora_alpha": 16, "target_modules": sorted({m.split(".")[-1] for m in pairs})}
    (path / "adapter_config.json").write_text(json.dumps(known | config))
    stored = {f"base_model.model.{name}": tensor for name, tensor in (whole or {}).items()}
    for module, (a, b) in pairs.items():
        names = ("lora_embedding_A", "lora_embedding_B") if "embed" in module else ("lora_A.weight", "lora_B.weight")
        for name, matrix in zip(names, (a, b), strict=True):
            stored[f"base_model.model.{module}.{name}"] = matrix.contiguous()
    save_file(stored, path / "adapter_model.safetensors")
    return path


def pair(inside: int, outside: int, rank: int = 4, seed: int = 0) -> tuple[torch.Tensor, torch.Tensor]:
    draw = torch.Generator().manual_seed(seed)
    return 0.2 * torch.randn(rank, inside, generator=draw), 0.2 * torch.randn(outside, rank, generator=draw)
