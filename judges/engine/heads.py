"""What is read of hidden states: labels, an ArmoRM's objectives and gate, or chosen next tokens.

Only rows that are read come here. Probabilities of next tokens are normalised over the vocabulary in float32, in
chunks of rows: a tensor of positions times vocabulary is never made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import torch

from judges.engine.work import Row

CHUNK_BYTES = 64 * 2**20
"""Of float32 logits over the vocabulary, at a time."""

Labels = Callable[[torch.Tensor], torch.Tensor]
"""Hidden states (rows, hidden) to a row of numbers each."""
Squeeze = Callable[[torch.Tensor], torch.Tensor]
"""What a model does to its logits over the vocabulary after the last projection."""


class Gated(torch.nn.Module):  # type: ignore[misc]
    """Head of ArmoRM (arXiv 2406.12845): what each row says as the answer's end, and as the prompt's.

    A row is the objectives, mixed by ``reward_transform_matrix``, then the gate's weights of them. Names and shapes
    are those of the release: a linear layer of objectives, and a gate of linear layers with ReLU between them.
    """

    def __init__(self, objectives: int, hidden: int, widths: Sequence[int], temperature: float) -> None:
        super().__init__()
        self.regression_layer = torch.nn.Linear(hidden, objectives, bias=False)
        self.reward_transform_matrix = torch.nn.Parameter(torch.eye(objectives), requires_grad=False)
        self.gating = torch.nn.Module()
        sizes = (hidden, *widths, objectives)
        self.gating.layers = torch.nn.ModuleList(map(torch.nn.Linear, sizes[:-1], sizes[1:]))
        self.gating.logit_scale = torch.nn.Parameter(torch.ones(1))
        self.temperature = temperature

    def forward(self, hidden: torch.Tensor) -> torch.Tensor:
        *inner, last = self.gating.layers
        gate = hidden
        for layer in inner:
            gate = layer(gate).relu()
        weights = torch.softmax(last(gate) / self.temperature, dim=-1) * self.gating.logit_scale
        return torch.cat([self.regression_layer(hidden) @ self.reward_transform_matrix, weights], dim=-1)


def apply_gate(rows: Sequence[Row]) -> tuple[Row, Row, Row]:
    """Score, objectives and gate's weights, of the rows at the prompt's end and at the answer's."""
    at_prompt, at_end = rows
    half = len(at_end) // 2
    objectives, gate = at_end[:half], at_prompt[half:]
    return (sum(a * b for a, b in zip(objectives, gate, strict=True)),), objectives, gate


def next_token_rows(
    hidden: torch.Tensor, targets: Sequence[tuple[int, ...]], project: torch.nn.Module, squeeze: Squeeze | None
) -> list[Row]:
    """Log-probabilities of each row's targets as the next token, nats; ``hidden`` has shape (rows, hidden)."""
    if not targets:
        return []
    most = max(map(len, targets))
    wanted = torch.tensor([(*row, *(0,) * (most - len(row))) for row in targets], device=hidden.device)
    size = max(1, CHUNK_BYTES // (4 * project.weight.shape[0]))
    found = []
    for some, chosen in zip(hidden.split(size), wanted.split(size), strict=True):
        logits = project(some).float()
        logits = squeeze(logits) if squeeze else logits
        found.append(logits.gather(1, chosen) - logits.logsumexp(1, keepdim=True))
    rows = torch.cat(found).tolist()
    return [tuple(row[: len(some)]) for row, some in zip(rows, targets, strict=True)]


def squeeze_of(config: object) -> Squeeze | None:
    """Softcap (Gemma 2), scale (Cohere) or divisor (Granite) of the logits, where the configuration has one."""
    cap = getattr(config, "final_logit_softcapping", None)
    scale = getattr(config, "logit_scale", None) or 1.0
    scale /= getattr(config, "logits_scaling", None) or 1.0
    if cap:
        return lambda logits: torch.tanh(logits / cap) * cap
    return None if scale == 1.0 else lambda logits: logits * scale
