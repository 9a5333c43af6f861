"""An adapter makes of each weight W + scale * B @ A, computed here by hand, and is taken off to the bit."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import GPT2Config, GPT2LMHeadModel

from judges.engine.load import load
from judges.engine.weights import LiveWeights
from tests.judges.engine.plain import entry
from tests.judges.engine.swapping import (
    LAYER,
    TOLERANCE,
    adapter_of,
    cut,
    file_of,
    furthest,
    pair,
    plainly,
    push,
    retold,
    said,
    tensors_of,
)
from tests.judges.tiny import Tiny


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_an_adapter_stands_on_the_base_and_not_on_the_one_before(tiny: Tiny, tmp_path: Path, dtype: str) -> None:
    path, query = tiny.causal("llama", seed=1), "model.layers.0.self_attn.q_proj"
    base = tensors_of(path)
    model = load(entry("causal", tiny.causal("llama"), dtype=dtype))
    push(model, path, 1)
    alone, whole = said(model), model.bytes
    first = adapter_of(tmp_path / "first", {LAYER: pair(64, 128), query: pair(64, 64, seed=1)})
    a, b = pair(64, 128, seed=2)
    second = adapter_of(tmp_path / "second", {LAYER: (a, b)})
    assert push(model, first, 2, adapter=True).tensors == 2
    weights = push(model, second, 3, adapter=True)
    assert (weights.tensors, weights.whole, weights.rests_on) == (1, False, [1])
    assert model.bytes == whole + base[f"{LAYER}.weight"].numel() * (4 if dtype == "float32" else 2)
    rounded = base[f"{LAYER}.weight"].to(getattr(torch, dtype)).float()
    merged = retold(path, tmp_path, {f"{LAYER}.weight": rounded + 4 * b @ a})
    if dtype == "float32":
        assert furthest(said(model), plainly(model, merged, "causal")) < TOLERANCE
    else:
        assert said(model) == said(load(entry("causal", merged, dtype=dtype)))
    assert furthest(said(model), alone) > 0.1
    norm = "model.norm.weight"
    assert push(model, file_of({norm: base[norm]}, tmp_path), 4).rests_on == [1]
    assert said(model) == alone
    assert model.bytes == whole


def test_scales_and_ranks_of_adapters(tiny: Tiny, tmp_path: Path) -> None:
    path, other = tiny.causal("llama"), "model.layers.0.mlp.up_proj"
    (a, b), (c, d) = pair(64, 128), pair(64, 128, rank=2, seed=1)
    patterns = {"rank_pattern": {r"layers\.0\.mlp\.up_proj": 2}, "alpha_pattern": {"layers.0.mlp.up_proj": 6}}
    adapter = adapter_of(tmp_path / "a", {LAYER: (a, b), other: (c, d)}, use_rslora=True, **patterns)
    model = load(entry("causal", path))
    push(model, adapter, adapter=True)
    base = tensors_of(path)
    merged = {
        f"{LAYER}.weight": base[f"{LAYER}.weight"] + 16 / math.sqrt(4) * b @ a,
        f"{other}.weight": base[f"{other}.weight"] + 6 / math.sqrt(2) * d @ c,
    }
    assert furthest(said(model), plainly(model, retold(path, tmp_path, merged), "causal")) < TOLERANCE


def test_an_adapter_of_embeddings_with_a_head_trained_beside_it(tiny: Tiny, tmp_path: Path) -> None:
    path, embeddings = tiny.classifier("llama"), "model.embed_tokens"
    base = tensors_of(path)
    rows = len(base[f"{embeddings}.weight"])
    a, b = pair(rows, 64)
    head = torch.randn(base["score.weight"].shape, generator=torch.Generator().manual_seed(0))
    adapter = adapter_of(tmp_path / "a", {embeddings: (a, b)}, {"score.weight": head}, modules_to_save=["score"])
    model = load(entry("reward", path))
    before = said(model, "reward")
    assert push(model, adapter, adapter=True).tensors == 2
    changed = {f"{embeddings}.weight": base[f"{embeddings}.weight"] + 4 * (b @ a).T, "score.weight": head}
    assert furthest(said(model, "reward"), plainly(model, retold(path, tmp_path, changed), "reward")) < TOLERANCE
    norm = "model.norm.weight"
    push(model, file_of({norm: base[norm]}, tmp_path), 2)
    assert said(model, "reward") == before


def test_a_layer_that_keeps_its_weight_as_in_and_out(tmp_path: Path) -> None:
    torch.manual_seed(0)
    model = GPT2LMHeadModel(GPT2Config(vocab_size=50, n_positions=16, n_embd=16, n_layer=1, n_head=2))
    square, wide = "transformer.h.0.attn.c_proj", "transformer.h.0.mlp.c_fc"
    before = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    (a, b), (c, d) = pair(16, 16), pair(16, 64, seed=1)
    live = LiveWeights(model)
    assert live.adapt(adapter_of(tmp_path / "a", {square: (a, b), wide: (c, d)}, fan_in_fan_out=True)) == 2
    after = model.state_dict()
    torch.testing.assert_close(after[f"{square}.weight"], before[f"{square}.weight"] + 4 * (b @ a).T)
    torch.testing.assert_close(after[f"{wide}.weight"], before[f"{wide}.weight"] + 4 * (d @ c).T)


def lone(path: Path) -> None:
    file = path / "adapter_model.safetensors"
    save_file({name: tensor for name, tensor in load_file(file).items() if "lora_A" in name}, file)


def told_of(**fields: object) -> Callable[[Path], object]:
    def change(path: Path) -> None:
        file = path / "adapter_config.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | fields))

    return change


def swollen(path: Path) -> None:
    """Finite matrices whose product is not."""
    file = path / "adapter_model.safetensors"
    save_file({name: tensor * 1e30 for name, tensor in load_file(file).items()}, file)


ADAPTER_FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "lone": (lone, "has A of model.layers.1.mlp.up_proj: A and B are needed"),
    "rank": (told_of(r=8), r"shapes \(128, 4\) and \(4, 64\), and its rank is 8"),
    "targets": (told_of(target_modules=["q_proj"]), "none of its target_modules"),
    "target pattern": (told_of(target_modules=r".*\.q_proj"), "none of its target_modules"),
    "no pattern": (told_of(target_modules="("), "has a pattern that is none"),
    "no rank pattern": (told_of(rank_pattern={"(": 1}), "has a pattern that is none"),
    "dora": (told_of(use_dora=True), "use_dora"),
    "other method": (told_of(peft_type="LOHA"), "peft_type"),
    "no alpha": (told_of(lora_alpha=None), "lora_alpha"),
    "not finite": (swollen, "not finite"),
    "no config": (lambda path: (path / "adapter_config.json").unlink(), "has no adapter_config.json"),
    "no tensors": (lambda path: (path / "adapter_model.safetensors").unlink(), "cannot be read"),
    "cut": (lambda path: cut(path / "adapter_model.safetensors", 1000), "cannot be read"),
}


@pytest.mark.parametrize("fault", ADAPTER_FAULTS)
def test_an_adapter_that_does_not_fit_changes_nothing(tiny: Tiny, tmp_path: Path, fault: str) -> None:
    spoil, match = ADAPTER_FAULTS[fault]
    model = load(entry("causal", tiny.causal("llama")))
    other = "model.layers.0.mlp.up_proj"
    push(model, adapter_of(tmp_path / "good", {LAYER: pair(64, 128), other: pair(64, 128)}), 1, adapter=True)
    before, size = said(model), model.bytes
    spoilt = adapter_of(tmp_path / "spoilt", {LAYER: pair(64, 128, seed=1)})
    spoil(spoilt)
    with pytest.raises(ValueError, match=match):
        push(model, spoilt, 2, adapter=True)
    assert (said(model), model.bytes, model.weights) == (before, size, 1)


def test_adapters_of_other_models_change_nothing(tiny: Tiny, tmp_path: Path) -> None:
    model = load(entry("causal", tiny.causal("llama")))
    before = said(model)
    for n, (module, match) in enumerate(
        {"model.layers.9.mlp.up_proj": "has no model.layers.9", "model.norm": "LlamaRMSNorm", LAYER: "shape"}.items()
    ):
        with pytest.raises(ValueError, match=match):
            push(model, adapter_of(tmp_path / str(n), {module: pair(32, 128)}), adapter=True)
    assert said(model) == before
