"""A conversation that a chat template made one text, taken apart again.

Known are ChatML, Llama 2, 3 and 4, Gemma, DeepSeek, Mistral, Harmony, Phi, Zephyr and plain ``### Response:`` texts.
The response begins at the first opener of an assistant's turn: what a policy writes comes after it, so no opener of
its own can hide what stands before. A prompt with earlier turns of the assistant is to be parted at the last one
(``last``), where the trainer is known to keep the policy from writing openers.
"""

from __future__ import annotations

import re
from typing import Literal

Opener = Literal["first", "last"]

_OPENERS = re.compile(
    r"<\|im_start\|>assistant\n?"
    r"|<\|start_header_id\|>assistant<\|end_header_id\|>\s{0,2}"
    r"|<\|header_start\|>assistant<\|header_end\|>\s{0,2}"
    r"|<start_of_turn>model\n?"
    r"|<｜Assistant｜>"
    r"|<\|assistant\|>\n?"
    r"|<\|start\|>assistant"
    r"|\[/INST\]\s?"
    r"|^### (?:Response|Assistant):\s?"
    r"|^ASSISTANT:\s?|^Assistant:\s?",
    re.MULTILINE,
)
# What a batch is padded with on its left: a token of that name, or for want of one any that ends a turn or a text.
_PADDING = re.compile(
    r"\A(?:"
    r"<\|(?:[a-z_]{0,20}pad(?:_id)?|endoftext|end_of_text|eot_id|eot|eom_id|im_end|end|return|end_of_turn)\|>"
    r"|<｜(?:end▁of▁sentence|▁pad▁)｜>"
    r"|<(?:pad|eos|unk|end_of_turn)>|</s>|\[PAD\]"
    r"|\s)+"
)


def split_prompt(text: str, opener: Opener = "first") -> tuple[str, str]:
    """Prompt (up to and with the opener) and response; without any opener all of it is the response."""
    text = _PADDING.sub("", text)
    found = [match.end() for match in _OPENERS.finditer(text)]
    if not found:
        return "", text
    place = found[0] if opener == "first" else found[-1]
    return text[:place], text[place:]
