"""Plain transformers, as a reward function has it, and the limit: the bare forward pass of the same tokens."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import torch
from transformers import AutoModelForSequenceClassification, AutoTokenizer

from judges.engine.attention import PACKED, Segments

Ids = Sequence[int]


class Plain:
    """``AutoModelForSequenceClassification`` with the attention that transformers chooses."""

    def __init__(self, path: Path, device: str) -> None:
        self.tokenizer = AutoTokenizer.from_pretrained(path)
        self.model = AutoModelForSequenceClassification.from_pretrained(path, dtype="auto").to(device).eval()
        self.device = device

    def loop(self, texts: Sequence[str], batch: int) -> list[float]:
        """Batches of ``batch`` texts in the order in which they came, tokenised and padded."""
        found: list[float] = []
        with torch.inference_mode():
            for at in range(0, len(texts), batch):
                encoded = self.tokenizer(texts[at : at + batch], return_tensors="pt", padding=True)
                encoded.pop("token_type_ids", None)
                found += self.model(**encoded.to(self.device)).logits[:, 0].float().tolist()
        return found


class Bare:
    """The forward pass alone, over tokens that are there already, in batches that were made beforehand."""

    def __init__(self, path: Path, device: str) -> None:
        model = AutoModelForSequenceClassification.from_pretrained(path, dtype="auto").to(device).eval()
        self.base, self.device = model.base_model, device

    def padded(self, sequences: Sequence[Ids], batch: int) -> None:
        """Sorted by length, so that little is padding."""
        self.base.set_attn_implementation("sdpa")
        ordered = sorted(sequences, key=len)
        for at in range(0, len(ordered), batch):
            rows = [torch.tensor(one) for one in ordered[at : at + batch]]
            padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
            mask = torch.arange(padded.shape[1])[None] < torch.tensor([len(row) for row in rows])[:, None]
            whole = bool(mask.all())
            self._forward(padded, attention_mask=None if whole else mask.to(self.device))
        self._wait()

    def packed(self, sequences: Sequence[Ids], budget: int) -> None:
        """One row a batch, each sequence with causal attention of its own."""
        self.base.set_attn_implementation(PACKED)
        for pack in packs(sequences, budget):
            lengths = tuple(len(one) for one in pack)
            places = torch.cat([torch.arange(length) for length in lengths])
            row = torch.tensor([token for one in pack for token in one])
            segments = Segments(lengths, torch.device(self.device))
            self._forward(row[None], position_ids=places[None].to(self.device), segments=segments)
        self._wait()

    def _forward(self, ids: torch.Tensor, **more: object) -> None:
        with torch.inference_mode():
            self.base(input_ids=ids.to(self.device), use_cache=False, **more)

    def _wait(self) -> None:
        if self.device != "cpu":
            torch.cuda.synchronize()


def packs(sequences: Sequence[Ids], budget: int) -> Iterator[list[Ids]]:
    """Sequences in order, as many as the budget of tokens takes; a longer one stands alone."""
    pack: list[Ids] = []
    for one in sequences:
        if pack and sum(map(len, pack)) + len(one) > budget:
            yield pack
            pack = []
        pack.append(one)
    if pack:
        yield pack
