"""A conversation that a real chat template made one text is taken apart again."""

from __future__ import annotations

import pytest

from app.protocols.trainers import llama_factory
from app.protocols.trainers.template_text import split_prompt
from tests.templates.families import FAMILIES, TALKING, padding_of, rendered, tokenizer_of
from trueward.trainers.chat_text import split_response, think_prefix, without_tail
from verifiers.extract.thinking import answer_start

pytestmark = pytest.mark.template

ASKED = ("user", "What is 2 + 2? Say it\n\nin [one] <word>.")
EARLIER = (("user", "What is 1 + 1?"), ("assistant", "It is \\boxed{2}."))
RESPONSES = ("It is \\boxed{4}.", "<think>\n2 and 2\n</think>\n\n\\boxed{4}", "größer 🙂 é 答案", "a < b, c > d")


@pytest.mark.parametrize("family", TALKING)
@pytest.mark.parametrize("said", RESPONSES)
def test_the_response_is_what_was_said(family: str, said: str) -> None:
    prompt = rendered(family, ASKED)
    assert split_prompt(prompt + said) == (prompt, said)


@pytest.mark.parametrize("family", TALKING)
def test_a_system_turn_is_the_prompt_s(family: str) -> None:
    prompt = rendered(family, ("system", "Be brief."), ASKED)
    assert "Be brief." in prompt
    assert split_prompt(prompt + "4") == (prompt, "4")


@pytest.mark.parametrize("family", TALKING)
def test_of_several_turns_the_last_is_the_response(family: str) -> None:
    prompt = rendered(family, *EARLIER, ASKED)
    assert split_prompt(prompt + "4", "last") == (prompt, "4")


@pytest.mark.parametrize("family", TALKING)
def test_padding_before_the_conversation_is_none_of_it(family: str) -> None:
    prompt = rendered(family, ASKED)
    for padding in (padding_of(family), str(tokenizer_of(family).eos_token)):
        assert split_prompt(padding * 3 + prompt + "4") == (prompt, "4"), padding


@pytest.mark.parametrize("family", TALKING)
def test_what_ends_a_turn_is_no_part_of_the_response(family: str) -> None:
    """As LLaMA-Factory sends it: the whole conversation, closed, with padding behind."""
    for said in RESPONSES:
        whole = rendered(family, ASKED) + said + str(tokenizer_of(family).eos_token) + padding_of(family) * 2
        [sample] = llama_factory.parse(llama_factory.LlamaFactoryPayload(messages=[whole]))
        assert (sample.response, sample.prefix) == (said, None)


@pytest.mark.parametrize("family", TALKING)
def test_a_closed_turn_of_the_template_is_the_same_response(family: str) -> None:
    """Qwen's template puts an empty thinking before it, which is no part of an answer."""
    whole = rendered(family, ASKED, ("assistant", "It is \\boxed{4}."), opened=False)
    [sample] = llama_factory.parse(llama_factory.LlamaFactoryPayload(messages=[whole]))
    assert isinstance(sample.response, str)
    assert sample.response[answer_start(sample.response, opened=False) or 0 :].strip() == "It is \\boxed{4}."


@pytest.mark.parametrize("family", FAMILIES)
def test_every_end_of_a_turn_or_text_is_taken_off(family: str) -> None:
    tokenizer = tokenizer_of(family)
    for end in {tokenizer.eos_token, tokenizer.pad_token, tokenizer.bos_token, padding_of(family)} - {None}:
        assert without_tail(f"It is 4.{end}\n{end}") == "It is 4.", end


@pytest.mark.parametrize("family", TALKING)
def test_a_response_is_found_in_what_was_decoded(family: str) -> None:
    """Trainers decode prompt and response from their tokens, and a tokenizer adds its BOS to the prompt's text."""
    tokenizer = tokenizer_of(family)
    prompt = rendered(family, ASKED)
    asked = tokenizer(prompt, add_special_tokens=False)["input_ids"]
    for said in RESPONSES:
        ids = [*asked, *tokenizer(said, add_special_tokens=False)["input_ids"], tokenizer.eos_token_id]
        assert split_response(str(tokenizer.decode(ids)), prompt) == said
        twice = tokenizer(str(tokenizer.decode(ids)))["input_ids"]
        assert split_response(str(tokenizer.decode(twice)), prompt) == said


@pytest.mark.parametrize("family", TALKING)
def test_thinking_that_a_prompt_opens_is_told(family: str) -> None:
    prompt = rendered(family, ASKED) + "<think>\n"
    [sample] = llama_factory.parse(llama_factory.LlamaFactoryPayload(messages=[prompt + "2 and 2\n</think>\n\n4"]))
    assert isinstance(sample.response, str)
    if sample.prompt == prompt:  # else the tag counts to the response, which is as well
        assert sample.prefix == think_prefix(prompt) == "<think>"
    else:
        assert sample.response.startswith("<think>")


def test_what_follows_harmony_s_opener_is_the_response() -> None:
    """The package of gpt-oss has no template: this is the format as its cookbook describes it."""
    prompt = "<|start|>system<|message|>Be brief.<|end|><|start|>user<|message|>2 + 2?<|end|><|start|>assistant"
    said = "<|channel|>analysis<|message|>2 and 2<|end|><|start|>assistant<|channel|>final<|message|>4"
    assert split_prompt(prompt + said) == (prompt, said)
    known = tokenizer_of("gptoss").get_vocab()
    assert {"<|start|>", "<|channel|>", "<|message|>", "<|end|>", "<|return|>"} <= known.keys()
