"""Tiny models that the tests of judges ask: real tokenizers, trained on the spot, and weights of a fixed seed.

``Tiny`` builds each once under a directory (the fixture ``tiny`` of this folder, once a session) and gives its path::

    tiny.causal("llama")                 next tokens; families llama, qwen2, qwen3, gemma2
    tiny.learned_positions()             next tokens, by a GPT-2
    tiny.recurrent()                     next tokens, by a Mamba
    tiny.classifier("qwen2", labels=3)   a row of logits a text
    tiny.steps("qwen2")                  two labels a token; ``<extra_0>`` separates steps
    tiny.process_reward("qwen2")         the same with the head of Qwen2.5-Math-PRM
    tiny.gated()                         objectives and a gate, as in ArmoRM
    tiny.encoder(labels=2)               a Bert that reads texts and pairs
    tiny.preferring()                    a reward model that was trained to prefer answers with a reason

The families' traps are kept: Llama's template writes the BOS that its tokenizer adds too, Qwen's writes a system prompt
of its own and its tokenizer makes NFC of the text, Gemma's refuses a system turn and its tokenizer has no bytes but a
fallback to them.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import torch
from safetensors.torch import save_file
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import (
    AutoModelForCausalLM,
    AutoModelForSequenceClassification,
    AutoModelForTokenClassification,
    BertConfig,
    BertForSequenceClassification,
    Gemma2Config,
    GPT2Config,
    GPT2LMHeadModel,
    LlamaConfig,
    LlamaModel,
    MambaConfig,
    MambaForCausalLM,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2Model,
    Qwen3Config,
)

Family = Literal["llama", "qwen2", "qwen3", "gemma2"]
FAMILIES: tuple[Family, ...] = ("llama", "qwen2", "qwen3", "gemma2")
CONTEXT = 512
HIDDEN = 64
OBJECTIVES = 4

SPECIAL: dict[str, tuple[str, ...]] = {
    "llama": (
        "<|begin_of_text|>",
        "<|end_of_text|>",
        "<|eot_id|>",
        "<|start_header_id|>",
        "<|end_header_id|>",
        "<pad>",
    ),
    "qwen": ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<extra_0>"),
    "gemma": ("<pad>", "<eos>", "<bos>", "<unk>", "<start_of_turn>", "<end_of_turn>"),
    "bert": ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"),
}
ROLES: dict[str, dict[str, str]] = {
    "llama": {"bos_token": "<|begin_of_text|>", "eos_token": "<|eot_id|>", "pad_token": "<pad>"},
    "qwen": {"eos_token": "<|im_end|>", "pad_token": "<|endoftext|>"},
    "gemma": {"bos_token": "<bos>", "eos_token": "<eos>", "pad_token": "<pad>", "unk_token": "<unk>"},
    "bert": {
        "pad_token": "[PAD]",
        "unk_token": "[UNK]",
        "cls_token": "[CLS]",
        "sep_token": "[SEP]",
        "mask_token": "[MASK]",
    },
}
TEMPLATES = {
    "llama": (
        "{{ bos_token }}{% for m in messages %}<|start_header_id|>{{ m['role'] }}<|end_header_id|>\n\n"
        "{{ m['content'] | trim }}<|eot_id|>{% endfor %}"
        "{% if add_generation_prompt %}<|start_header_id|>assistant<|end_header_id|>\n\n{% endif %}"
    ),
    "qwen": (
        "{% if messages[0]['role'] != 'system' %}"
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n{% endif %}"
        "{% for m in messages %}<|im_start|>{{ m['role'] }}\n{{ m['content'] }}<|im_end|>\n{% endfor %}"
        "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
    ),
    "gemma": (
        "{{ bos_token }}{% if messages[0]['role'] == 'system' %}{{ raise_exception('System role not supported') }}"
        "{% endif %}{% for m in messages %}<start_of_turn>{{ 'model' if m['role'] == 'assistant' else m['role'] }}\n"
        "{{ m['content'] | trim }}<end_of_turn>\n{% endfor %}"
        "{% if add_generation_prompt %}<start_of_turn>model\n{% endif %}"
    ),
}
CORPUS = """
What is 12 + 30? The sum of 12 and 30 is 42, because 10 + 30 = 40 and 40 + 2 = 42. Therefore the answer is 42.
Let us add the numbers step by step. Step 1: split 17 into 10 and 7. Step 2: add 10 to 25, which gives 35.
Step 3: add 7, which gives 42. The final answer is \\boxed{42}. So x = 5 and y = 7, hence x * y = 35.
The train leaves at 9:15 and arrives at 11:45, so the journey takes two hours and a half. Yes, that is right. No, it is
not. def solve(n): return sum(i for i in range(n) if i % 3 == 0)
I think that the answer is wrong, because the sign was lost in the second line. Please check the first step again.
A good answer says why it is right. Das Ergebnis ist größer als null. 答案是四十二。 user assistant system model
"""
NAMES = ("Ann", "Bob", "Eve", "Tom", "the train", "the sum", "the answer", "the sign", "x", "y")
VERBS = ("is", "was", "takes", "gives", "leaves", "adds", "says", "checks")
OBJECTS = ("42", "7", "two hours", "the first step", "the final answer", "a number", "35", "null", "right", "wrong")


class Tiny:
    """Builds models under ``root``, each once."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def causal(self, family: Family = "llama", seed: int = 0) -> Path:
        return self._once(f"causal-{family}-{seed}", lambda path: _save(AutoModelForCausalLM, family, path, seed))

    def learned_positions(self) -> Path:
        return self._once("learned-positions", _save_learned_positions)

    def recurrent(self) -> Path:
        return self._once("recurrent", _save_recurrent)

    def classifier(self, family: Family = "llama", labels: int = 1, seed: int = 0) -> Path:
        return self._once(
            f"classifier-{family}-{labels}-{seed}",
            lambda path: _save(AutoModelForSequenceClassification, family, path, seed, num_labels=labels),
        )

    def steps(self, family: Family = "qwen2", labels: int = 2, seed: int = 0) -> Path:
        return self._once(
            f"steps-{family}-{labels}-{seed}",
            lambda path: _save(AutoModelForTokenClassification, family, path, seed, num_labels=labels),
        )

    def process_reward(self, seed: int = 0) -> Path:
        return self._once(f"process-reward-{seed}", lambda path: _save_process_reward(path, seed))

    def gated(self, seed: int = 0) -> Path:
        return self._once(f"gated-{seed}", lambda path: _save_gated(path, seed))

    def encoder(self, labels: int = 2, seed: int = 0) -> Path:
        return self._once(f"encoder-{labels}-{seed}", lambda path: _save_encoder(path, labels, seed))

    def preferring(self) -> Path:
        return self._once("preferring", _train_preferring)

    def _once(self, name: str, build: Callable[[Path], None]) -> Path:
        path = self.root / name
        if not path.exists():
            path.mkdir(parents=True)
            build(path)
        return path


def style_of(family: str) -> str:
    return {"qwen2": "qwen", "qwen3": "qwen", "gemma2": "gemma"}.get(family, family)


def tokenizer(family: str) -> PreTrainedTokenizerFast:
    """About 600 tokens, with the special ones and the chat template of the family."""
    style = style_of(family)
    made: Callable[[], Tokenizer] = {"llama": _bytes, "qwen": _bytes_nfc, "gemma": _byte_fallback, "bert": _pieces}[
        style
    ]
    wrapped = PreTrainedTokenizerFast(tokenizer_object=made(), model_max_length=CONTEXT, **ROLES[style])
    wrapped.add_special_tokens({"additional_special_tokens": list(SPECIAL[style])})
    wrapped.chat_template = TEMPLATES.get(style)
    return wrapped


def config(family: Family, **changes: object) -> object:
    """A configuration of the family: two layers, grouped key-value heads."""
    words = tokenizer(family)
    shape = {
        "vocab_size": len(words),
        "hidden_size": HIDDEN,
        "intermediate_size": 128,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
        "max_position_embeddings": CONTEXT,
        "initializer_range": 0.15,
        "pad_token_id": words.pad_token_id,
        "bos_token_id": words.bos_token_id,
        "eos_token_id": words.eos_token_id,
    } | changes
    if family == "gemma2":
        return Gemma2Config(
            **shape,
            query_pre_attn_scalar=16,
            sliding_window=16,
            attn_logit_softcapping=2.0,
            final_logit_softcapping=5.0,
            tie_word_embeddings=True,
        )
    if family == "llama":
        return LlamaConfig(**shape, tie_word_embeddings=False)
    if family == "qwen2":
        shape.pop("head_dim")
        return Qwen2Config(**shape, tie_word_embeddings=True)
    return Qwen3Config(**shape, tie_word_embeddings=True)


def pairs(count: int, seed: int) -> list[tuple[str, str, str]]:
    """Questions, each with a better answer, which gives a reason, and a worse one of the same length."""
    draw = random.Random(seed)
    out = []
    for _ in range(count):
        said = [f"{draw.choice(NAMES)} {draw.choice(VERBS)} {draw.choice(OBJECTS)}" for _ in range(3)]
        question = f"What {draw.choice(VERBS)} {draw.choice(OBJECTS)}?"
        out.append((question, f"{said[0]} because {said[1]}.", f"{said[0]} and {said[2]}."))
    return out


def _save(auto: type, family: Family, path: Path, seed: int, **changes: object) -> None:
    torch.manual_seed(seed)
    auto.from_config(config(family, **changes)).save_pretrained(path)  # type: ignore[attr-defined]
    tokenizer(family).save_pretrained(path)


def _save_learned_positions(path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer("llama")
    shape = GPT2Config(
        vocab_size=len(words),
        n_positions=CONTEXT,
        n_embd=HIDDEN,
        n_layer=2,
        n_head=4,
        initializer_range=0.15,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
    )
    GPT2LMHeadModel(shape).save_pretrained(path)
    words.save_pretrained(path)


def _save_recurrent(path: Path) -> None:
    torch.manual_seed(0)
    words = tokenizer("llama")
    shape = MambaConfig(
        vocab_size=len(words),
        hidden_size=HIDDEN,
        state_size=8,
        num_hidden_layers=2,
        initializer_range=0.3,
        bos_token_id=words.bos_token_id,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
    )
    MambaForCausalLM(shape).save_pretrained(path)
    words.save_pretrained(path)


def _save_process_reward(path: Path, seed: int) -> None:
    """Tensors and names of Qwen2.5-Math-PRM: ``score.0`` and ``score.2`` over ``model``."""
    torch.manual_seed(seed)
    shape = config("qwen2", num_labels=2)
    base = Qwen2Model(shape)
    head = torch.nn.Sequential(torch.nn.Linear(HIDDEN, HIDDEN), torch.nn.ReLU(), torch.nn.Linear(HIDDEN, 2))
    _write(path, shape, "Qwen2ForProcessRewardModel", base, {f"score.{k}": v for k, v in head.state_dict().items()})
    tokenizer("qwen2").save_pretrained(path)


def _save_gated(path: Path, seed: int) -> None:
    """Tensors and names of ArmoRM-Llama3-8B: a gate of three hidden layers, objectives that are mixed first."""
    torch.manual_seed(seed)
    shape = config("llama", num_labels=1)
    wide = 32
    layers: dict[str, torch.Tensor] = {}
    for n, (inside, outside) in enumerate([(HIDDEN, wide), (wide, wide), (wide, wide), (wide, OBJECTIVES)]):
        layers |= {f"gating.layers.{n}.{k}": 3 * v for k, v in torch.nn.Linear(inside, outside).state_dict().items()}
    head = {
        "regression_layer.weight": torch.randn(OBJECTIVES, HIDDEN),
        "reward_transform_matrix": torch.eye(OBJECTIVES) - 0.2 * torch.rand(OBJECTIVES, OBJECTIVES),
        "gating.logit_scale": torch.tensor([1.5]),
        **layers,
    }
    more = {"num_objectives": OBJECTIVES, "gating_temperature": 2, "gating_hidden_dim": wide, "gating_n_hidden": 3}
    _write(path, shape, "LlamaForRewardModelWithGating", LlamaModel(shape), head, **more)
    tokenizer("llama").save_pretrained(path)


def _write(
    path: Path,
    shape: object,
    architecture: str,
    base: torch.nn.Module,
    head: dict[str, torch.Tensor],
    **more: object,
) -> None:
    """A checkpoint of an architecture that is not part of transformers: its code would be remote."""
    tensors = {f"model.{name}": tensor for name, tensor in base.state_dict().items()} | head
    save_file(
        {name: tensor.detach().contiguous() for name, tensor in tensors.items()},
        path / "model.safetensors",
        {"format": "pt"},
    )
    known = shape.to_dict() | {"architectures": [architecture]} | more  # type: ignore[attr-defined]
    known["auto_map"] = {"AutoConfig": "modeling_remote.Config", "AutoModel": f"modeling_remote.{architecture}"}
    (path / "config.json").write_text(json.dumps(known))


def _save_encoder(path: Path, labels: int, seed: int) -> None:
    torch.manual_seed(seed)
    words = tokenizer("bert")
    shape = BertConfig(
        vocab_size=len(words),
        hidden_size=HIDDEN,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=128,
        max_position_embeddings=CONTEXT,
        initializer_range=0.3,
        num_labels=labels,
        pad_token_id=words.pad_token_id,
    )
    BertForSequenceClassification(shape).save_pretrained(path)
    words.save_pretrained(path)


def _train_preferring(path: Path) -> None:
    """A few seconds of Bradley-Terry training: more than 9 of 10 pairs that it never saw come out right."""
    torch.manual_seed(0)
    words = tokenizer("llama")
    model = AutoModelForSequenceClassification.from_config(config("llama", num_labels=1, initializer_range=0.05))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    examples = pairs(16 * 24, seed=1)
    for start in range(0, len(examples), 16):
        batch = examples[start : start + 16]
        better, worse = (rewards(model, words, [(pair[0], pair[which]) for pair in batch]) for which in (1, 2))
        loss = -torch.nn.functional.logsigmoid(better - worse).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    model.save_pretrained(path)
    words.save_pretrained(path)


def rewards(model: torch.nn.Module, words: PreTrainedTokenizerFast, said: list[tuple[str, str]]) -> torch.Tensor:
    texts = [
        words.apply_chat_template(
            [{"role": "user", "content": question}, {"role": "assistant", "content": answer}], tokenize=False
        )
        for question, answer in said
    ]
    batch = words(texts, add_special_tokens=False, padding=True, return_tensors="pt")
    rewards: torch.Tensor = model(input_ids=batch["input_ids"], attention_mask=batch["attention_mask"]).logits[:, 0]
    return rewards


def _bytes() -> Tokenizer:
    words = _byte_level("llama")
    bos = "<|begin_of_text|>"
    words.post_processor = processors.Sequence(
        [
            processors.ByteLevel(trim_offsets=True),
            processors.TemplateProcessing(
                single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, words.token_to_id(bos))]
            ),
        ]
    )
    return words


def _bytes_nfc() -> Tokenizer:
    words = _byte_level("qwen")
    words.normalizer = normalizers.NFC()
    words.post_processor = processors.ByteLevel(trim_offsets=False)
    return words


def _byte_level(style: str) -> Tokenizer:
    words = Tokenizer(models.BPE())
    pattern = Regex(r"'s|'t|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+")
    words.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pattern, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    words.decoder = decoders.ByteLevel()
    _train(words, trainers.BpeTrainer, style, initial_alphabet=pre_tokenizers.ByteLevel.alphabet())
    words.add_special_tokens(list(SPECIAL[style]))
    return words


def _byte_fallback() -> Tokenizer:
    """As sentencepiece makes them: spaces are letters of the words, unknown characters fall back to bytes."""
    words = Tokenizer(models.BPE(byte_fallback=True, unk_token="<unk>", fuse_unk=True))
    words.normalizer = normalizers.Replace(" ", "▁")
    words.decoder = decoders.Sequence([decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()])
    raw = [f"<0x{byte:02X}>" for byte in range(256)]
    special = list(SPECIAL["gemma"]) + raw
    words.train_from_iterator(
        CORPUS.split("\n"), trainers.BpeTrainer(vocab_size=600, special_tokens=special, show_progress=False)
    )
    known = json.loads(words.to_str())
    known["added_tokens"] = [token for token in known["added_tokens"] if token["content"] not in raw]
    words = Tokenizer.from_str(json.dumps(known))
    bos = "<bos>"
    words.post_processor = processors.TemplateProcessing(
        single=f"{bos} $A", pair=f"{bos} $A {bos} $B", special_tokens=[(bos, words.token_to_id(bos))]
    )
    return words


def _pieces() -> Tokenizer:
    words = Tokenizer(models.WordPiece(unk_token="[UNK]"))
    words.normalizer = normalizers.BertNormalizer()
    words.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    words.decoder = decoders.WordPiece()
    _train(words, trainers.WordPieceTrainer, "bert", special_tokens=list(SPECIAL["bert"]))
    words.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[(name, words.token_to_id(name)) for name in ("[CLS]", "[SEP]")],
    )
    return words


def _train(words: Tokenizer, trainer: type, style: str, **options: object) -> None:
    size = 600 - len(SPECIAL[style])
    words.train_from_iterator(
        CORPUS.split("\n"), trainer(vocab_size=size, min_frequency=1, show_progress=False, **options)
    )
