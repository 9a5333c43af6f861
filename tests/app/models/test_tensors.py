"""Headers of safetensors that whoever uploads them made up: refused by name, and nothing waits for them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from app.models.tensors import names_hash, tensor_names
from tests.app.models.scripted import safetensors

HEADERS = {
    "no object": b"[1]",
    "deep": b"[" * 100_000,
    "number of many digits": b'{"a": {"data_offsets": [0, ' + b"9" * 6000 + b"]}}",
    "offsets in a text": b'{"a": {"data_offsets": "04"}}',
    "offsets of lists": b'{"a": {"data_offsets": [0, [4]]}}',
    "not a number": b'{"a": {"data_offsets": [0, NaN]}}',
    "lone surrogate": b'{"\\ud800": {"data_offsets": [0, 0]}}',
}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_that_is_none_is_refused(tmp_path: Path, name: str) -> None:
    file = tmp_path / "w.safetensors"
    file.write_bytes(len(HEADERS[name]).to_bytes(8, "little") + HEADERS[name])
    with pytest.raises(ValueError, match=r"w\.safetensors"):
        names_hash(tensor_names(file))


def test_what_is_no_file_is_not_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "model.safetensors")  # whoever opened it would wait for ever
    with pytest.raises(ValueError, match="has no safetensors file"):
        tensor_names(tmp_path)
    safetensors(tmp_path / "w.safetensors", ["a"])
    assert tensor_names(tmp_path) == {"a"}
