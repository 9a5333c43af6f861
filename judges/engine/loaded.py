"""A model in memory: questions made works, batches of works run, rows made answers.

How it was loaded decides how it is read (:mod:`judges.engine.load`); a batch is one forward pass.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path

import torch

from judges.engine.failures import device_failures
from judges.engine.forms import Forms
from judges.engine.generation import TextWriting, ends
from judges.engine.heads import apply_gate
from judges.engine.network import Network, rows_of
from judges.engine.render import Renderer
from judges.engine.weights import LiveWeights
from judges.engine.work import Row, Work
from judges.questions import Answer, Question
from trueward.wire.model import ModelEntry, Weights, WeightsRequest


class LoadedModel:
    """See :class:`judges.engine.work.Loaded`."""

    def __init__(self, entry: ModelEntry, network: Network, renderer: Renderer) -> None:
        self.entry = entry
        self.weights = 0
        self.network = network
        self.renderer = renderer
        self._live = LiveWeights(network.model)

    @property
    def packed(self) -> bool:
        return self.network.packed

    @property
    def bytes(self) -> int:
        model = self.network.model
        held: int = sum(tensor.numel() * tensor.element_size() for tensor in (*model.parameters(), *model.buffers()))
        return held + self._live.base_bytes

    def encode(self, question: Question) -> Work:
        return self.renderer.encode(question)

    def run(self, works: Sequence[Work]) -> list[list[Row]]:
        with torch.inference_mode(), device_failures():
            rows = rows_of(self.network, works)
        ends = accumulate((len(work.read.positions) for work in works), initial=0)
        return [rows[begin:end] for begin, end in pairwise(ends)]

    def answer(self, work: Work, rows: Sequence[Row]) -> Answer:
        answer = Answer(tuple(rows), tokens=work.tokens, truncated=work.truncated, weights=self.weights)
        if self.network.says == "gated":
            return replace(answer, rows=apply_gate(rows))
        if work.told is not None:
            return replace(answer, rows=(tuple(row[0] for row in rows),), token_ids=(work.ids[work.told :],))
        if not work.offsets:
            return answer
        ends = list(pairwise(accumulate(work.spans, initial=0)))
        said = [row[0] for row in rows]
        ids = [target[0] for target in work.read.targets or ()]
        return replace(
            answer,
            rows=tuple(tuple(said[begin:end]) for begin, end in ends),
            offsets=work.offsets,
            token_ids=tuple(tuple(ids[begin:end]) for begin, end in ends),
        )

    def write(self, works: Sequence[Work]) -> TextWriting:
        return TextWriting(self.network, self.renderer.tokenizer, self._forms, works, self.weights)

    @cached_property
    def _forms(self) -> Forms:
        tokenizer = self.renderer.tokenizer
        width = self.network.model.get_output_embeddings().weight.shape[0]
        return Forms(tokenizer, width, sorted(ends(self.network, tokenizer)), self.entry.structured)

    def swap(self, source: WeightsRequest, version: int) -> Weights:
        began, path = time.perf_counter(), Path(source.path)
        self.network.beginnings.forget()  # before the first tensor changes, should it break in the middle
        with device_failures():
            changed = self._live.adapt(path) if source.adapter else self._live.replace(path, version)
        self.weights = version
        rests_on = [earlier for earlier in self._live.versions if 0 < earlier < version]
        return Weights(
            model=self.entry.name,
            version=version,
            tensors=changed,
            whole=self._live.versions == [version],
            rests_on=rests_on,
            swap_s=time.perf_counter() - began,
        )
