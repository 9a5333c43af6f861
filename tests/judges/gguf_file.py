"""A model of transformers written as a GGUF file, by the format's own writer."""

from __future__ import annotations

import json
from pathlib import Path

import gguf
import numpy as np
import torch
from transformers import AutoModelForCausalLM, AutoTokenizer

_LAYER = {
    "input_layernorm": "attn_norm",
    "self_attn.q_proj": "attn_q",
    "self_attn.k_proj": "attn_k",
    "self_attn.v_proj": "attn_v",
    "self_attn.o_proj": "attn_output",
    "post_attention_layernorm": "ffn_norm",
    "mlp.gate_proj": "ffn_gate",
    "mlp.up_proj": "ffn_up",
    "mlp.down_proj": "ffn_down",
}
_OUTER = {
    "model.embed_tokens.weight": "token_embd.weight",
    "model.norm.weight": "output_norm.weight",
    "lm_head.weight": "output.weight",
}


def packed(folder: Path, file: Path) -> Path:
    """Llama's architecture, not quantised, with tokenizer and chat template."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
    known = model.config
    writer = gguf.GGUFWriter(file, "llama")
    writer.add_context_length(known.max_position_embeddings)
    writer.add_embedding_length(known.hidden_size)
    writer.add_block_count(known.num_hidden_layers)
    writer.add_feed_forward_length(known.intermediate_size)
    writer.add_head_count(known.num_attention_heads)
    writer.add_head_count_kv(known.num_key_value_heads)
    writer.add_layer_norm_rms_eps(known.rms_norm_eps)
    writer.add_rope_dimension_count(known.hidden_size // known.num_attention_heads)
    writer.add_rope_freq_base((known.rope_parameters or {}).get("rope_theta", 10_000.0))
    writer.add_vocab_size(known.vocab_size)
    _add_words(writer, folder)
    heads = {"attn_q": known.num_attention_heads, "attn_k": known.num_key_value_heads}
    for name, tensor in model.state_dict().items():
        theirs = _name(name)
        values = tensor.numpy()
        for part, count in heads.items():
            if f".{part}." in theirs:
                values = _paired(values, count)
        writer.add_tensor(theirs, np.ascontiguousarray(values))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _name(ours: str) -> str:
    if ours in _OUTER:
        return _OUTER[ours]
    layer, _, rest = ours.removeprefix("model.layers.").partition(".")
    return f"blk.{layer}.{_LAYER[rest.removesuffix('.weight')]}.weight"


def _paired(values: np.ndarray, heads: int) -> np.ndarray:
    """Rows of a head as the format has them: each pair of the rotation side by side."""
    rows, columns = values.shape
    return values.reshape(heads, 2, rows // heads // 2, columns).swapaxes(1, 2).reshape(rows, columns)


def _add_words(writer: gguf.GGUFWriter, folder: Path) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    known = json.loads((folder / "tokenizer.json").read_text())
    words = [tokenizer.convert_ids_to_tokens(number) for number in range(len(tokenizer))]
    special = set(tokenizer.all_special_ids) | {one["id"] for one in known["added_tokens"] if one["special"]}
    kinds = [gguf.TokenType.CONTROL if number in special else gguf.TokenType.NORMAL for number in range(len(words))]
    merges = [one if isinstance(one, str) else " ".join(one) for one in known["model"]["merges"]]
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("llama-bpe")
    writer.add_token_list(words)
    writer.add_token_types(kinds)
    writer.add_token_merges(merges)
    writer.add_bos_token_id(tokenizer.bos_token_id)
    writer.add_eos_token_id(tokenizer.eos_token_id)
    writer.add_pad_token_id(tokenizer.pad_token_id)
    writer.add_chat_template(tokenizer.chat_template)
