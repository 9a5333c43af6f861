"""Texts that a client's chat template made: their control tokens are meant, a policy's are not."""

from __future__ import annotations

import pytest

from judges.base import Unaskable
from judges.engine.render import Renderer
from judges.questions import Choices, Classify, Turn
from tests.judges.tiny import Tiny
from trueward.wire.model import ModelEntry

TALK = (Turn("system", "Be brief."), Turn("user", "2 + 2?"), Turn("assistant", "It is 4."))


def renderer(tiny: Tiny, says: str) -> Renderer:
    from transformers import AutoTokenizer

    path = str(tiny.causal("qwen2"))
    tokenizer = AutoTokenizer.from_pretrained(path)
    return Renderer(ModelEntry(name="m", kind="reward", path=path), tokenizer, 512, says)  # type: ignore[arg-type]


def templated() -> str:
    return "".join(f"<|im_start|>{turn.role}\n{turn.content}<|im_end|>\n" for turn in TALK)


def test_a_text_that_a_template_made_is_read_as_the_conversation(tiny: Tiny) -> None:
    made = renderer(tiny, "labels")
    conversation = made.encode(Classify(TALK)).ids
    assert made.encode(Classify(templated(), control=True)).ids == conversation
    assert made.encode(Classify(templated())).ids != conversation


def test_choices_may_be_numbers_of_tokens(tiny: Tiny) -> None:
    made = renderer(tiny, "next")
    end = made.tokens.single("<|im_end|>")
    assert end is not None
    work = made.encode(Choices(templated(), (end, "Y"), control=True))
    assert work.ids.count(end) == len(TALK)
    assert work.read.targets == ((end, made.tokens.single("Y")),)
    for beyond in (-1, len(made.tokenizer)):
        with pytest.raises(Unaskable, match="not one token"):
            made.encode(Choices("a", (beyond,)))
