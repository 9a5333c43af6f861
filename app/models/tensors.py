"""What tensors a file or directory of safetensors has, read from their headers alone.

The format: eight bytes with the header's length (little-endian), the header (a JSON object of tensors by name, each
with its ``data_offsets``), the data (https://huggingface.co/docs/safetensors). A file that was cut off is found out.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path

_LONGEST_HEADER = 100_000_000


def files_of(path: Path) -> list[Path]:
    """The file itself, or those of a directory. Raises ValueError where there is none."""
    if path.is_file() and path.suffix == ".safetensors":
        return [path]
    found = sorted(file for file in path.glob("*.safetensors") if file.is_file()) if path.is_dir() else []
    if not found:
        raise ValueError(f"{path} has no safetensors file; other formats, such as pickled ones, are never loaded")
    return found


def tensor_names(path: Path) -> frozenset[str]:
    """Names of all tensors. Raises ValueError with what is wrong with which file."""
    return frozenset(name for file in files_of(path) for name in _header(file))


def begins_as_gguf(path: Path) -> bool:
    """Whether it is a file that begins as GGUF files do."""
    try:
        with path.open("rb") as source:
            return source.read(4) == b"GGUF"
    except OSError:
        return False


def names_hash(names: Iterable[str]) -> str:
    """A name for a set of names."""
    return hashlib.sha256("\0".join(sorted(names)).encode()).hexdigest()


def _header(file: Path) -> list[str]:
    size = file.stat().st_size
    with file.open("rb") as source:
        length = int.from_bytes(source.read(8), "little")
        if length > min(_LONGEST_HEADER, size - 8):
            raise ValueError(f"{file} is no safetensors file, or was cut off: its header would have {length} bytes")
        text = source.read(length)
    try:
        header = json.loads(text)
        tensors = {name: entry["data_offsets"][1] for name, entry in header.items() if name != "__metadata__"}
        end = max(tensors.values(), default=0) + 0
        "".join(tensors).encode()  # a lone surrogate is no name
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as refusal:
        raise ValueError(f"{file} is no safetensors file: its header cannot be read") from refusal
    if end != size - 8 - length:
        raise ValueError(f"{file} was cut off: its tensors end at byte {8 + length + end}, and it has {size}")
    return list(tensors)
