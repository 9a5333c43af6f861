"""Tokenizers of tiny models, trained on the spot, with the traps of their families."""

from __future__ import annotations

import json
from collections.abc import Callable

from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers
from transformers import PreTrainedTokenizerFast

CONTEXT = 512

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
