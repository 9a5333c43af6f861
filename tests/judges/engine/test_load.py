"""What cannot be loaded is said so, and nothing is ever made up: no head, no tensor, no shape."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AttentionInterface, AutoModelForCausalLM

from judges.base import ModelUnavailable
from judges.engine import attention
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.questions import Classify, Spans
from tests.judges.engine.plain import asked, entry, told
from tests.judges.tiny import Tiny, config
from tests.judges.words import tokenizer


def copy(path: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(path, tmp_path / "copy"))


def retold(path: Path, change: Callable[[dict[str, torch.Tensor]], dict[str, torch.Tensor]]) -> None:
    file = path / "model.safetensors"
    save_file(change(load_file(file)), file, {"format": "pt"})


def refused(kind: str, path: Path, match: str, **fields: object) -> None:
    with pytest.raises(ModelUnavailable, match=match):
        load(entry(kind, path, **fields))


def test_a_causal_model_is_no_reward_model(tiny: Tiny) -> None:
    refused("reward", tiny.causal("llama"), r"no score\.weight.*: it was never trained to score")
    refused("process", tiny.causal("llama"), r"score\..*: it was never trained to score")


def test_a_reward_model_is_no_causal_model(tiny: Tiny) -> None:
    refused("causal", tiny.classifier("llama"), r"no lm_head\.weight, which a model of kind causal needs$")


def test_weights_that_are_missing_or_of_another_shape_or_without_a_place(tiny: Tiny, tmp_path: Path) -> None:
    lost = copy(tiny.classifier("llama"), tmp_path)
    layer = "model.layers.1.mlp.up_proj.weight"
    retold(lost, lambda known: {name: tensor for name, tensor in known.items() if name != layer})
    refused("reward", lost, layer)
    retold(lost, lambda known: known | {layer: torch.zeros(3, 3)})
    refused("reward", lost, "(?i)mismatch|shape|size")
    retold(
        lost, lambda known: known | {layer: torch.zeros(128, 64), "model.layers.7.mlp.up_proj.weight": torch.ones(2)}
    )
    refused("reward", lost, r"layers\.7")


def test_a_head_of_several_labels_is_not_read_as_one(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.classifier("llama", labels=3), tmp_path)
    known = json.loads((path / "config.json").read_text())
    (path / "config.json").write_text(json.dumps(known | {"id2label": {"0": "good"}, "label2id": {"good": 0}}))
    refused("reward", path, "(?i)mismatch|shape|size")


def test_the_gate_of_a_gated_model_is_whole(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.gated(), tmp_path)
    retold(path, lambda known: {k: v for k, v in known.items() if k != "gating.layers.1.weight"})
    refused("reward", path, r"gating\.layers\.1\.weight", reading={"kind": "gated"})
    refused("reward", tiny.classifier("llama"), "no regression_layer", reading={"kind": "gated"})


def test_a_file_that_is_cut_off(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.causal("llama"), tmp_path)
    whole = (path / "model.safetensors").read_bytes()
    for length in (0, 7, 1000, len(whole) - 1):
        (path / "model.safetensors").write_bytes(whole[:length])
        refused("causal", path, "cannot be read")


def test_pickles_are_never_read(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.causal("llama"), tmp_path)
    torch.save(load_file(path / "model.safetensors"), path / "pytorch_model.bin")
    (path / "model.safetensors").unlink()
    refused("causal", path, "pytorch_model.bin.*safetensors")


def test_a_shard_that_is_not_there(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.causal("llama"), tmp_path)
    index = {"metadata": {}, "weight_map": {"lm_head.weight": "model-00002-of-00002.safetensors"}}
    (path / "model.safetensors.index.json").write_text(json.dumps(index))
    refused("causal", path, "lacks model-00002-of-00002.safetensors")
    (path / "model.safetensors.index.json").write_text("[1")
    refused("causal", path, "cannot be read")


def test_no_directory_no_configuration_no_such_architecture(tiny: Tiny, tmp_path: Path) -> None:
    refused("causal", tmp_path / "nowhere", "not a directory")
    refused("causal", tmp_path, "no config.json")
    path = copy(tiny.causal("llama"), tmp_path)
    (path / "config.json").write_text(json.dumps({"model_type": "nobody_knows_it"}))
    refused("causal", path, "nobody_knows_it")
    (path / "config.json").write_text("{")
    refused("causal", path, "config.json")


def test_a_tokenizer_with_more_tokens_than_the_model(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.causal("llama"), tmp_path)
    words = tokenizer("llama")
    words.add_tokens([f"more{n}" for n in range(50)])
    words.save_pretrained(path)
    refused("causal", path, "embeddings are")


def test_what_this_machine_or_architecture_cannot_do(tiny: Tiny) -> None:
    refused("reward", tiny.encoder(), "does not run packed", attention="packed")
    refused("causal", tiny.causal("llama"), "the model takes 512", max_tokens=100_000)
    if not torch.cuda.is_available():
        refused("causal", tiny.causal("llama"), "no such device", device="cuda")


def test_remote_code_is_not_run(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.process_reward(), tmp_path)
    (path / "modeling_remote.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nraise SystemExit\n")
    assert load(entry("process", path)).packed
    assert not (tmp_path / "ran").exists()


def test_what_is_loaded_says_what_it_is(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("llama"), max_tokens=64))
    assert isinstance(model, LoadedModel)
    stored = load_file(tiny.causal("llama") / "model.safetensors").values()
    assert model.bytes == pytest.approx(sum(tensor.nbytes for tensor in stored), rel=0.01)
    assert model.weights == 0
    assert model.packed
    assert model.renderer.limit == 64
    half = load(entry("causal", tiny.causal("llama"), dtype="bfloat16"))
    assert half.bytes * 2 == pytest.approx(model.bytes, rel=0.01)


def test_a_broken_model_says_nan_and_does_not_fail(tiny: Tiny, tmp_path: Path) -> None:
    path = copy(tiny.classifier("llama"), tmp_path)
    retold(path, lambda known: known | {"model.norm.weight": torch.full((64,), torch.nan)})
    model = load(entry("reward", path))
    ((row,),) = model.run([model.encode(Classify(told("yes")))])
    assert row[0] != row[0]


def test_an_architecture_that_changes_its_logits_is_not_taken_on_trust(
    tiny: Tiny, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judges.engine.load.squeeze_of", lambda config: None)
    refused("causal", tiny.causal("gemma2"), "changes its logits")


def test_an_architecture_that_mixes_packed_sequences_is_padded(tiny: Tiny) -> None:
    plain = load(entry("causal", tiny.causal("llama")))

    def mixing(*args: torch.Tensor, segments: attention.Segments, scaling: float, **_: object) -> object:
        whole = attention.Segments((sum(segments.lengths),), segments.device)
        module, query, key, value, mask = args
        return attention.packed_attention(module, query, key, value, mask, segments=whole, scaling=scaling)

    AttentionInterface.register(attention.PACKED, mixing)
    try:
        model = load(entry("causal", tiny.causal("llama")))
    finally:
        AttentionInterface.register(attention.PACKED, attention.packed_attention)
    assert (plain.packed, model.packed) == (True, False)
    question = Spans(asked(), "It is 42.", ((0, 9),))
    works = [model.encode(question), model.encode(Spans(asked(), "No", ((0, 2),)))]
    for ours, theirs in zip(model.run(works), plain.run(works), strict=True):
        assert ours == [pytest.approx(row, abs=1e-4) for row in theirs]


def test_a_configuration_without_special_ids_still_loads(tiny: Tiny, tmp_path: Path) -> None:
    path = tmp_path / "bare"
    AutoModelForCausalLM.from_config(config("llama", pad_token_id=None, eos_token_id=None)).save_pretrained(path)
    tokenizer("llama").save_pretrained(path)
    assert load(entry("causal", path)).packed
