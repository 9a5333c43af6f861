"""A model's directory or GGUF file: what is in it, and whether it is whole. No pickle is read."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from judges.base import ModelUnavailable
from trueward.wire.model import ModelEntry

if TYPE_CHECKING:
    import torch

INDEX = "model.safetensors.index.json"
SINGLE = "model.safetensors"
GGUF = ".gguf"
HARMLESS = ("rotary_emb.inv_freq", ".attn.bias", ".attn.masked_bias", "position_ids")
"""Endings of buffers that old checkpoints carry and nobody reads."""
_WANTED = ["*.safetensors", "*.json", "*.txt", "*.model", "*.jinja"]


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Files of safetensors, by the names of the tensors in them; or the name of a GGUF file, which holds all."""

    directory: Path
    files: dict[str, Path]
    gguf_file: str | None = None

    @property
    def source(self) -> dict[str, Any]:
        """What transformers' ``from_pretrained`` reads it with."""
        return {} if self.gguf_file is None else {"gguf_file": self.gguf_file}

    def shapes(self) -> dict[str, tuple[int, ...]]:
        """Shapes by tensor name, read from the files' headers."""
        from safetensors import safe_open

        found: dict[str, tuple[int, ...]] = {}
        for file in sorted(set(self.files.values())):
            with safe_open(file, "pt") as tensors:
                found |= {name: tuple(tensors.get_slice(name).get_shape()) for name in tensors.keys()}  # noqa: SIM118
        return found


def checkpoint_of(entry: ModelEntry) -> Checkpoint:
    """Finds (or downloads) what the entry names. Raises :class:`judges.base.ModelUnavailable`."""
    if is_gguf(entry.path):
        file = Path(entry.path or "")
        return Checkpoint(file.parent, {}, file.name)
    directory = _directory(entry)
    if not (directory / "config.json").is_file():
        raise ModelUnavailable(f"{directory} has no config.json: it is not a model's directory")
    return Checkpoint(directory, files_of(directory))


def is_gguf(path: str | None) -> bool:
    """Whether a path is that of a GGUF file: weights of a causal model, often quantised, with its tokenizer."""
    return path is not None and path.endswith(GGUF) and Path(path).is_file()


def _directory(entry: ModelEntry) -> Path:
    path = Path(entry.path or "")
    if path.is_dir():
        return path
    if path.is_absolute() or path.exists() or len(path.parts) > 2:
        raise ModelUnavailable(f"{path} is not a directory")
    from huggingface_hub import snapshot_download
    from huggingface_hub.errors import HfHubHTTPError, HFValidationError, LocalEntryNotFoundError

    wanted = [*_WANTED, "*.py"] if entry.trust_remote_code else _WANTED
    try:
        return Path(snapshot_download(str(path), revision=entry.revision, allow_patterns=wanted))
    except (HfHubHTTPError, HFValidationError, LocalEntryNotFoundError, OSError) as failure:
        raise ModelUnavailable(f"{path} is no directory here, and cannot be downloaded: {failure}") from failure


def files_of(path: Path) -> dict[str, Path]:
    """Files by the names of their tensors: of a directory, or of one file. Raises ModelUnavailable."""
    from safetensors import SafetensorError, safe_open

    single = path if path.is_file() else path / SINGLE
    try:
        if (path / INDEX).is_file():
            index = json.loads((path / INDEX).read_text())["weight_map"]
            return _all_there(path, {str(name): path / str(file) for name, file in index.items()})
        if single.is_file():
            with safe_open(single, "pt") as tensors:
                return dict.fromkeys(tensors.keys(), single)
    except (SafetensorError, OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as failure:
        raise ModelUnavailable(f"the weights in {path} cannot be read: {failure}") from failure
    raise ModelUnavailable(_without_weights(path))


def map_tensors(file: Path) -> dict[str, torch.Tensor]:
    """A file's tensors by name, read from the page cache when they are used. Raises ModelUnavailable."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "pt") as tensors:
            return {name: tensors.get_tensor(name) for name in tensors.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as failure:
        raise ModelUnavailable(f"{file} cannot be read: {failure}") from failure


def _all_there(directory: Path, files: dict[str, Path]) -> dict[str, Path]:
    if any(file.parent != directory for file in files.values()):
        raise ModelUnavailable(f"the index in {directory} names files elsewhere")
    missing = sorted({file.name for file in files.values() if not file.is_file()})
    if missing:
        raise ModelUnavailable(f"{directory} lacks {', '.join(missing)}, which its index names")
    return files


def _without_weights(directory: Path) -> str:
    pickles = [file.name for pattern in ("*.bin", "*.pt", "*.pth") for file in directory.glob(pattern)]
    if pickles:
        return (
            f"{directory} has its weights in {pickles[0]}, which can run code when it is read: save them as safetensors"
        )
    return f"{directory} has no {SINGLE}"
