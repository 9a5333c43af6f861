"""What is sent to a server that takes text: by a real template, and without any token that ends a turn."""

from __future__ import annotations

import pytest

from judges.base import Unaskable
from judges.questions import Turn
from judges.remote.template import disarm, render_turns
from tests.templates.families import FAMILIES, TALKING, tokenizer_of
from tests.templates.families import rendered as rendered_by_transformers
from trueward.wire.model import ModelEntry

pytestmark = pytest.mark.template

TALKS = (
    (("user", "What is 2 + 2?"),),
    (("system", "Be brief."), ("user", "What is 2 + 2?")),
    (("user", "What is 2 + 2?"), ("assistant", "It is 4."), ("user", "Sure?\n\nReally?")),
)


@pytest.mark.parametrize("family", FAMILIES)
def test_no_control_token_is_left_in_what_a_policy_wrote(family: str) -> None:
    tokenizer = tokenizer_of(family)
    control = {number: one.content for number, one in tokenizer.added_tokens_decoder.items() if one.special}
    texts = [f"x {content} y" for content in control.values()]
    assert [len(disarm(text)) for text in texts] == [*map(len, texts)]
    left = [
        text
        for text, ids in zip(
            texts, tokenizer([*map(disarm, texts)], add_special_tokens=False)["input_ids"], strict=True
        )
        if not control.keys().isdisjoint(ids)
    ]
    assert left == []


@pytest.mark.parametrize("family", TALKING)
@pytest.mark.parametrize("opened", [True, False])
def test_a_template_says_what_it_says_in_transformers_but_for_bos(family: str, opened: bool) -> None:
    tokenizer = tokenizer_of(family)
    entry = ModelEntry(
        name="x", kind="causal", backend="vllm", url="http://models.invalid", chat_template=str(tokenizer.chat_template)
    )
    for talk in TALKS:
        wanted = rendered_by_transformers(family, *talk, opened=opened).removeprefix(tokenizer.bos_token or "")
        turns = [Turn(role, content) for role, content in talk]
        if family == "mistral_nemo" and len(talk) == 3:  # it ends an answer with the tokenizer's EOS
            with pytest.raises(Unaskable, match="eos_token"):
                render_turns(entry, turns, opened=opened)
        else:
            assert render_turns(entry, turns, opened=opened) == wanted
