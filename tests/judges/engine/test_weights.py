"""After a swap the engine says what a model says that was loaded so; after a refused one, what it said before."""

from __future__ import annotations

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForCausalLM

from judges.base import ModelUnavailable
from judges.engine.load import load
from judges.engine.residency import Residency
from judges.questions import Classify
from tests.judges.engine.plain import REPLIES, entry
from tests.judges.engine.swapping import (
    LAYER,
    QUESTIONS,
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
from tests.judges.tiny import FAMILIES, Family, Tiny
from trueward.wire.model import WeightsRequest


@pytest.mark.parametrize("family", FAMILIES)
def test_whole_weights(tiny: Tiny, family: Family) -> None:
    old, new = tiny.causal(family), tiny.causal(family, seed=1)
    model = load(entry("causal", old))
    before = said(model)
    weights = push(model, new, 7)
    assert (weights.version, weights.whole, weights.rests_on) == (7, True, [])
    assert weights.tensors == len(tensors_of(new))
    assert furthest(said(model), plainly(model, new, "causal")) < TOLERANCE
    assert furthest(said(model), before) > 1.0
    work = model.encode(QUESTIONS["causal"][0])
    assert model.answer(work, model.run([work])[0]).weights == 7


def test_whole_weights_in_shards(tiny: Tiny, tmp_path: Path) -> None:
    new = tiny.causal("llama", seed=1)
    AutoModelForCausalLM.from_pretrained(new).save_pretrained(tmp_path, max_shard_size="200KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 2
    model = load(entry("causal", tiny.causal("llama")))
    assert push(model, tmp_path).whole
    assert furthest(said(model), plainly(model, new, "causal")) < TOLERANCE


@pytest.mark.parametrize("kind", ["reward", "process"])
def test_heads_that_are_built_here(tiny: Tiny, kind: str) -> None:
    old, new = (tiny.gated(seed) if kind == "reward" else tiny.process_reward(seed) for seed in (0, 1))
    fields = {"reading": {"kind": "gated"}} if kind == "reward" else {}
    model, fresh = load(entry(kind, old, **fields)), load(entry(kind, new, **fields))
    assert said(model, kind) != said(fresh, kind)
    assert push(model, new).whole
    assert said(model, kind) == said(fresh, kind)


def test_an_encoder(tiny: Tiny, tmp_path: Path) -> None:
    old = tiny.encoder()
    new = retold(old, tmp_path, {name: 0.9 * tensor for name, tensor in tensors_of(old).items()})
    model, fresh = (load(entry("reward", path, attention="sdpa")) for path in (old, new))
    works = [model.encode(Classify(reply)) for reply in REPLIES]
    assert model.run(works) != fresh.run(works)
    assert push(model, new).whole
    assert model.run(works) == fresh.run(works)


def test_some_weights_and_then_others_rest_on_each_other(tiny: Tiny, tmp_path: Path) -> None:
    old, new = tiny.causal("llama"), tensors_of(tiny.causal("llama", seed=1))
    names = [f"{LAYER}.weight", "lm_head.weight", "model.norm.weight"]
    model = load(entry("causal", old))
    first = push(model, file_of({name: new[name] for name in names[:2]}, tmp_path), 3)
    assert (first.tensors, first.whole, first.rests_on) == (2, False, [])
    second = push(model, file_of({name: 2 * new[name] for name in names[1:]}, tmp_path), 4)
    assert (second.tensors, second.whole, second.rests_on) == (2, False, [3])
    merged = {names[0]: new[names[0]], names[1]: 2 * new[names[1]], names[2]: 2 * new[names[2]]}
    assert furthest(said(model), plainly(model, retold(old, tmp_path, merged), "causal")) < TOLERANCE
    third = push(model, file_of({name: new[name] for name in names}, tmp_path), 5)
    assert third.rests_on == []
    assert push(model, tiny.causal("llama", seed=1), 6).whole


@pytest.mark.parametrize(
    "wrapped",
    [
        lambda name: "module." + name,
        lambda name: "module.base_model.model." + name,
        lambda name: name.replace("layers.1.", "layers.1._fsdp_wrapped_module."),
        lambda name: "_orig_mod." + name,
        lambda name: name.replace("up_proj.", "up_proj.base_layer."),
        lambda name: name.removeprefix("model."),
    ],
)
def test_names_as_whoever_saved_them_had_wrapped_the_model(
    tiny: Tiny, tmp_path: Path, wrapped: Callable[[str], str]
) -> None:
    new = tiny.causal("llama", seed=1)
    model = load(entry("causal", tiny.causal("llama")))
    assert push(model, file_of({wrapped(name): tensor for name, tensor in tensors_of(new).items()}, tmp_path)).whole
    assert furthest(said(model), plainly(model, new, "causal")) < TOLERANCE


def test_a_checkpoint_in_another_precision_is_converted(tiny: Tiny, tmp_path: Path) -> None:
    old, new = tiny.causal("llama"), tiny.causal("llama", seed=1)
    half = load(entry("causal", old, dtype="bfloat16"))
    push(half, new)
    assert said(half) == said(load(entry("causal", new, dtype="bfloat16")))
    rounded = {name: tensor.bfloat16() for name, tensor in tensors_of(new).items()}
    model = load(entry("causal", old))
    push(model, file_of(rounded, tmp_path))
    copy = retold(new, tmp_path, {name: tensor.float() for name, tensor in rounded.items()})
    assert furthest(said(model), plainly(model, copy, "causal")) < TOLERANCE


def test_tied_tensors_are_one(tiny: Tiny, tmp_path: Path) -> None:
    new = tensors_of(tiny.causal("qwen2", seed=1))
    embeddings = new["model.embed_tokens.weight"]
    assert "lm_head.weight" not in new
    model = load(entry("causal", tiny.causal("qwen2")))
    assert push(model, file_of(new | {"lm_head.weight": embeddings.clone()}, tmp_path), 1).tensors == len(new)
    assert furthest(said(model), plainly(model, tiny.causal("qwen2", seed=1), "causal")) < TOLERANCE
    push(model, tiny.causal("qwen2"), 2)
    push(model, file_of({"lm_head.weight": embeddings}, tmp_path), 3)
    changed = retold(tiny.causal("qwen2"), tmp_path, {"model.embed_tokens.weight": embeddings})
    assert furthest(said(model), plainly(model, changed, "causal")) < TOLERANCE


def test_a_reward_model_has_no_use_for_the_head_of_a_causal_one(tiny: Tiny, tmp_path: Path) -> None:
    new = tensors_of(tiny.classifier("llama", seed=1)) | {"lm_head.weight": torch.ones(3, 64)}
    model = load(entry("reward", tiny.classifier("llama")))
    assert push(model, file_of(new, tmp_path)).whole
    assert furthest(said(model, "reward"), plainly(model, tiny.classifier("llama", seed=1), "reward")) < TOLERANCE


def sharded(path: Path, index: object) -> None:
    (path / "model.safetensors.index.json").write_text(json.dumps(index))


def of_other(tensor: Callable[[torch.Tensor], torch.Tensor], name: str = f"{LAYER}.weight") -> Callable[[Path], None]:
    """The last of the tensors is changed: those before it are good."""
    file = "model.safetensors"
    return lambda path: save_file((known := load_file(path / file)) | {name: tensor(known[name])}, path / file)


def more(**tensors: torch.Tensor) -> Callable[[Path], None]:
    return lambda path: save_file(tensors_of(path) | tensors, path / "model.safetensors")


def with_number(number: float) -> Callable[[torch.Tensor], torch.Tensor]:
    def change(tensor: torch.Tensor) -> torch.Tensor:
        tensor[-1, -1] = number
        return tensor

    return change


FAULTS: dict[str, tuple[Callable[[Path], object], str]] = {
    "nan": (of_other(with_number(math.nan)), "up_proj.weight has numbers that are not finite"),
    "infinity": (of_other(with_number(-math.inf)), "not finite"),
    "beyond half": (of_other(with_number(-70000.0)), "beyond what float16 holds"),
    "shape": (of_other(lambda tensor: tensor[:-1].contiguous()), r"shape \(127, 64\), and the model's has \(128, 64\)"),
    "turned": (of_other(lambda tensor: tensor.T.contiguous()), "has shape"),
    "integers": (of_other(lambda tensor: tensor.int()), "is int32, which cannot be made the model's float16"),
    "eight bits": (of_other(lambda tensor: tensor.to(torch.float8_e4m3fn)), "is float8_e4m3fn"),
    "stranger": (more(**{"model.layers.9.mlp.up_proj.weight": torch.ones(2)}), "the model has no model.layers.9"),
    "cut": (lambda path: cut(path / "model.safetensors", 100_000), "cannot be read"),
    "cut by one": (
        lambda path: cut(path / "model.safetensors", (path / "model.safetensors").stat().st_size - 1),
        "read",
    ),
    "empty": (lambda path: cut(path / "model.safetensors", 0), "cannot be read"),
    "nothing in it": (lambda path: save_file({}, path / "model.safetensors"), "no tensors"),
    "nothing there": (lambda path: (path / "model.safetensors").unlink(), "has no model.safetensors"),
    "gone": (shutil.rmtree, "has no model.safetensors"),
    "shard": (
        lambda path: sharded(path, {"weight_map": {"lm_head.weight": "two.safetensors"}}),
        "lacks two.safetensors",
    ),
    "file elsewhere": (
        lambda path: sharded(path, {"weight_map": {"lm_head.weight": "../retold/model.safetensors"}}),
        "names files elsewhere",
    ),
    "index": (lambda path: sharded(path, [1]), "cannot be read"),
    "deep index": (
        lambda path: (path / "model.safetensors.index.json").write_text("[" * 100_000),
        "cannot be read",
    ),
    "unkept index": (
        lambda path: sharded(path, {"weight_map": {"x": "model.safetensors"}}),
        "have no x, which the index says",
    ),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_what_does_not_fit_changes_nothing(tiny: Tiny, tmp_path: Path, fault: str) -> None:
    spoil, match = FAULTS[fault]
    model = load(entry("causal", tiny.causal("llama"), dtype="float16"))
    push(model, adapter_of(tmp_path / "adapter", {LAYER: pair(64, 128)}), 1, adapter=True)
    before = said(model)
    copy = retold(tiny.causal("llama", seed=1), tmp_path, {})
    spoil(copy)
    with pytest.raises(ValueError, match=match):
        push(model, copy, 2)
    assert said(model) == before
    assert model.weights == 1


def test_tied_tensors_that_differ_change_nothing(tiny: Tiny, tmp_path: Path) -> None:
    model = load(entry("causal", tiny.causal("qwen2")))
    before, new = said(model), tensors_of(tiny.causal("qwen2", seed=1))
    untied = new | {"lm_head.weight": new["model.embed_tokens.weight"] + 1}
    with pytest.raises(ValueError, match="one tensor in this model"):
        push(model, file_of(untied, tmp_path))
    head = adapter_of(tmp_path / "head", {"lm_head": pair(64, len(new["model.embed_tokens.weight"]))})
    with pytest.raises(ValueError, match=r"embed_tokens\.weight is tied to a tensor that the adapter changes"):
        push(model, head, 1, adapter=True)
    with pytest.raises(ValueError, match=r"lm_head\.weight is tied to a tensor that the adapter changes"):
        push(
            model,
            adapter_of(tmp_path / "a", {"model.embed_tokens": pair(len(new["model.embed_tokens.weight"]), 64)}),
            1,
            adapter=True,
        )
    assert said(model) == before


def test_what_breaks_in_the_middle_is_loaded_anew(tiny: Tiny, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Half of the tensors are written when memory runs out: nobody is ever answered by the mixture."""
    models = Residency(load, device="cpu", memory_bytes=2**30)
    models.register(entry("causal", tiny.causal("llama")), [])
    models.swap("tiny", WeightsRequest(path=str(tiny.causal("llama", seed=1))))
    before = said(models.get("tiny"))
    copy_, calls = torch.Tensor.copy_, iter(range(5))

    def failing(self: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        if next(calls, None) is None:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return copy_(self, source)

    monkeypatch.setattr(torch.Tensor, "copy_", failing)
    with pytest.raises(ModelUnavailable, match="the old ones stay"):
        models.swap("tiny", WeightsRequest(path=str(tiny.causal("llama", seed=2))))
    monkeypatch.undo()
    assert said(models.get("tiny")) == before
    assert models.weights("tiny") == 1


def test_what_is_loaded_again_needs_only_files_of_which_something_is_left(tiny: Tiny, tmp_path: Path) -> None:
    old, norm = tiny.causal("llama"), "model.norm.weight"
    models = Residency(load, device="cpu", memory_bytes=2**30)
    models.register(entry("causal", old), [])

    def given(name: str, *, adapter: bool = False) -> None:
        models.swap("tiny", WeightsRequest(path=str(tmp_path / name), adapter=adapter))

    for n in range(3):
        save_file({norm: torch.full((64,), 1.0 + n)}, tmp_path / f"{n}.safetensors")
        given(f"{n}.safetensors")
        adapter_of(tmp_path / f"adapter{n}", {LAYER: pair(64, 128, seed=n)})
        given(f"adapter{n}", adapter=True)
    for n in range(2):
        (tmp_path / f"{n}.safetensors").unlink()
        shutil.rmtree(tmp_path / f"adapter{n}")
    before = said(models.get("tiny"))
    models.evict("tiny")
    assert said(models.get("tiny")) == before
    assert models.weights("tiny") == 6
