"""Heads: only what is read, no tensor of positions times vocabulary, and ArmoRM's gate as it was released."""

from __future__ import annotations

import pytest
import torch

from judges.engine import heads
from judges.engine.heads import Gated, apply_gate, next_token_rows
from judges.engine.load import load
from judges.questions import Classify
from tests.judges.engine.plain import REPLIES, Plain, entry, ids_of, told
from tests.judges.tiny import Tiny


def test_a_gated_score_worked_by_hand() -> None:
    """Objectives .6 and .2, each less .1 and .4 of verbosity .9; the gate gives each a half."""
    objectives = torch.tensor([0.6, 0.2, 0.9])
    mixing = torch.tensor([[1.0, 0, 0], [0, 1, 0], [-0.1, 0, 1]])
    at_end = (*(objectives @ mixing).tolist(), 9.0, 9.0, 9.0)
    score, said, gate = apply_gate([(7.0, 7.0, 7.0, 0.5, 0.5, 0.0), at_end])
    assert score[0] == pytest.approx(0.355)
    assert said == pytest.approx((0.51, 0.2, 0.9))
    assert gate == (0.5, 0.5, 0.0)


def test_a_gated_model_says_what_its_tensors_say(tiny: Tiny) -> None:
    path = tiny.gated()
    model = load(entry("reward", path, reading={"kind": "gated"}))
    head = model.network.model
    assert isinstance(head, Gated)
    tensors = {name: tensor.float() for name, tensor in head.state_dict().items()}
    works = [model.encode(Classify(told(reply))) for reply in REPLIES]
    states_of = Plain("base", path)
    for reply, work, said in zip(REPLIES, works, model.run(works), strict=True):
        ids = ids_of(path, told(reply))
        states = states_of.states(ids)
        gate = states[len(ids_of(path, told(reply)[:1]))]
        for n in range(3):
            gate = torch.relu(tensors[f"gating.layers.{n}.weight"] @ gate + tensors[f"gating.layers.{n}.bias"])
        gate = tensors["gating.layers.3.weight"] @ gate + tensors["gating.layers.3.bias"]
        gate = torch.softmax(gate / 2, 0) * tensors["gating.logit_scale"][0]
        objectives = tensors["regression_layer.weight"] @ states[-1] @ tensors["reward_transform_matrix"]
        rows = model.answer(work, said).rows
        assert rows[0][0] == pytest.approx((gate * objectives).sum().item(), abs=1e-4)
        assert rows[1] == pytest.approx(objectives.tolist(), abs=1e-4)
        assert rows[2] == pytest.approx(gate.tolist(), abs=1e-5)


def test_rows_have_as_many_numbers_as_targets_and_chunks_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    torch.manual_seed(0)
    project = torch.nn.Linear(16, 1000, bias=False)
    hidden = torch.randn(37, 16)
    targets = [tuple(range(n % 4 + 1)) for n in range(37)]
    brute = (hidden @ project.weight.T).log_softmax(-1)
    for size in (64 * 2**20, 4 * 1000 * 5, 1):
        monkeypatch.setattr(heads, "CHUNK_BYTES", size)
        with torch.inference_mode():
            rows = next_token_rows(hidden, targets, project, None)
        for n, row in enumerate(rows):
            assert row == pytest.approx([brute[n, token].item() for token in targets[n]], abs=1e-5)
    assert next_token_rows(hidden[:0], [], project, None) == []


def test_the_vocabulary_is_never_laid_out_over_all_positions(monkeypatch: pytest.MonkeyPatch) -> None:
    largest = 0
    project = torch.nn.Linear(8, 50_000, bias=False)
    project.register_forward_hook(lambda *_: None)

    def watch(_: object, __: object, logits: torch.Tensor) -> None:
        nonlocal largest
        largest = max(largest, logits.numel() * 4)

    project.register_forward_hook(watch)
    monkeypatch.setattr(heads, "CHUNK_BYTES", 2**20)
    with torch.inference_mode():
        next_token_rows(torch.randn(200, 8), [(1,)] * 200, project, None)
    assert 0 < largest <= 2**20
