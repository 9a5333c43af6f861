"""What a GGUF file holds: the size of its model, and its tokenizer as the file has it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from judges.base import ModelUnavailable
from judges.engine.checkpoint import is_gguf
from trueward.wire.model import ModelEntry

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

_NUMBER_BYTES = 4
"""Of a number that was read back from a quantised one, on a CPU; a GPU takes half."""
_ROLES = ("bos_token", "eos_token", "unk_token", "pad_token")


def bytes_of(entry: ModelEntry) -> int:
    """What a model will take in memory, about; 0 where that is not known before. Raises ModelUnavailable."""
    if entry.path is None:
        return 0
    if is_gguf(entry.path):
        return _NUMBER_BYTES * _numbers(Path(entry.path))
    return sum(file.stat().st_size for file in Path(entry.path).glob("*.safetensors"))


def own_tokens(tokenizer: PreTrainedTokenizerBase, count: int) -> PreTrainedTokenizerBase:
    """The tokenizer with its first ``count`` tokens: transformers adds some that a file may lack, and the model too."""
    from tokenizers import Tokenizer
    from transformers import PreTrainedTokenizerFast

    known = json.loads(tokenizer.backend_tokenizer.to_str())
    known["added_tokens"] = [one for one in known["added_tokens"] if one["id"] < count]
    found = PreTrainedTokenizerFast(
        tokenizer_object=Tokenizer.from_str(json.dumps(known)),
        model_max_length=tokenizer.model_max_length,
        **{role: getattr(tokenizer, role) for role in _ROLES if getattr(tokenizer, role) is not None},
    )
    found.chat_template = tokenizer.chat_template
    return found


def _numbers(file: Path) -> int:
    from gguf import GGUFReader

    try:
        return sum(int(tensor.n_elements) for tensor in GGUFReader(file).tensors)
    except Exception as failure:  # the reader fails in many ways on a damaged file
        raise ModelUnavailable(f"{file} is no GGUF file that can be read: {str(failure)[:300]}") from failure
