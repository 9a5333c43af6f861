"""The plain way, to hold the engine against: transformers, one text at a time, eager attention, whole logits."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import torch
from transformers import (
    AutoModel,
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    AutoTokenizer,
)

from judges.engine.work import Row
from judges.questions import Turn
from trueward.wire.model import ModelEntry

REPLIES = (
    "It is 42.",
    "The sum of 12 and 30 is 42, because 10 + 30 = 40 and 2 more are 42. Therefore the answer is 42.",
    "Größer als null 🙂, e\u0301 und 答案是四十二。",
    "Step 1: add 10.\n\nStep 2: add 2.\n\nSo \\boxed{42}. " * 6,
    "No",
)


def entry(kind: str, path: Path, **fields: object) -> ModelEntry:
    return ModelEntry.model_validate({"name": "tiny", "kind": kind, "path": str(path), "device": "cpu"} | fields)


def asked(question: str = "What is 12 + 30?") -> tuple[Turn, ...]:
    return (Turn("user", question),)


def told(reply: str, question: str = "What is 12 + 30?") -> tuple[Turn, ...]:
    return (*asked(question), Turn("assistant", reply))


def ids_of(path: Path, turns: Sequence[Turn], *, opened: bool = False) -> list[int]:
    """As transformers itself makes tokens of a conversation."""
    messages = [{"role": turn.role, "content": turn.content} for turn in turns]
    tokenizer = AutoTokenizer.from_pretrained(path)
    ids = tokenizer.apply_chat_template(messages, add_generation_prompt=opened, return_dict=False)
    return [int(token) for token in ids]


class Plain:
    """A model as anybody would load it."""

    def __init__(self, kind: str, path: Path, dtype: torch.dtype = torch.float32) -> None:
        auto = {
            "causal": AutoModelForCausalLM,
            "reward": AutoModelForSequenceClassification,
            "process": AutoModelForTokenClassification,
            "base": AutoModel,
        }[kind]
        self.model = auto.from_pretrained(path, dtype=dtype, attn_implementation="eager").eval()

    def logits(self, ids: Sequence[int]) -> torch.Tensor:
        """(labels) for a classifier of texts, else (tokens, labels) or (tokens, vocabulary); float32."""
        with torch.inference_mode():
            found: torch.Tensor = self.model(torch.tensor([list(ids)])).logits[0].float()
        return found

    def states(self, ids: Sequence[int]) -> torch.Tensor:
        with torch.inference_mode():
            found: torch.Tensor = self.model(torch.tensor([list(ids)])).last_hidden_state[0]
        return found

    def log_probabilities(self, ids: Sequence[int], begin: int) -> list[float]:
        """Of the tokens from ``begin`` on."""
        said = self.logits(ids).log_softmax(-1)
        return [said[n - 1, ids[n]].item() for n in range(begin, len(ids))]


def differ(rows: Sequence[Row], others: Sequence[Row] | torch.Tensor) -> float:
    """The largest difference."""
    theirs = others if isinstance(others, torch.Tensor) else torch.tensor(others)
    return float((torch.tensor(rows) - theirs.reshape(len(rows), -1)).abs().max())
