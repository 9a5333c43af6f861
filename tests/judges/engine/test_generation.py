"""What a model says next: greedy is the likeliest token each time, a seed repeats, stops and limits hold."""

from __future__ import annotations

import dataclasses

import pytest
import torch

from judges.base import TooLong, Unaskable
from judges.engine.load import load
from judges.questions import Choices, Generate
from tests.judges.engine.plain import Plain, asked, entry, ids_of
from tests.judges.tiny import FAMILIES, Family, Tiny


@pytest.mark.parametrize("family", FAMILIES)
def test_greedy_says_the_likeliest_token_each_time(tiny: Tiny, family: Family) -> None:
    path = tiny.causal(family)
    model = load(entry("causal", path))
    ids = ids_of(path, asked(), opened=True)
    plain, said = Plain("causal", path), list(ids)
    for _ in range(6):
        said.append(int(plain.logits(said)[-1].argmax()))
    text = model.renderer.tokenizer.decode(said[len(ids) :], skip_special_tokens=True)
    answer = model.generate(Generate(asked(), 6))
    assert answer.text == text
    assert answer.tokens == len(ids)


def test_a_seed_repeats_and_disturbs_nothing_else(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("llama")))
    question = Generate(asked(), 12, temperature=1.5, seed=3)
    torch.manual_seed(0)
    first = torch.rand(1)
    torch.manual_seed(0)
    texts = {model.generate(question).text for _ in range(3)}
    assert len(texts) == 1
    assert torch.rand(1) == first
    others = {model.generate(dataclasses.replace(question, seed=seed)).text for seed in range(6)}
    assert len(others) > 1


def test_a_stop_is_not_part_of_what_was_said(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("llama")))
    whole = model.generate(Generate(asked(), 16)).text
    stop = whole[3:5]
    assert model.generate(Generate(asked(), 16, stop=(stop,))).text == whole[: whole.find(stop)]


def test_the_models_limit_holds(tiny: Tiny, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load(entry("causal", tiny.causal("llama"), max_tokens=40))
    generate, lengths = model.network.model.generate, []

    def watched(*args: object, **fields: object) -> torch.Tensor:
        out: torch.Tensor = generate(*args, **fields)
        lengths.append(out.shape[1])
        return out

    monkeypatch.setattr(model.network.model, "generate", watched)
    model.generate(Generate(asked(), 500))
    model.generate(Generate(asked(), 2))
    prompt = model.encode(Generate(asked(), 1)).tokens
    assert lengths == [40, prompt + 2]
    with pytest.raises(TooLong):
        model.generate(Generate(asked("the sum " * 40), 1))


def test_packed_reading_goes_on_after_it(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("gemma2")))
    work = model.encode(Choices(asked(), ("Y", "N")))
    before = model.run([work, work])
    model.generate(Generate(asked(), 3))
    assert model.run([work, work]) == before


def test_next_to_no_temperature_is_greedy_and_no_overflow(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("llama")))
    greedy = model.generate(Generate(asked(), 6)).text
    assert {model.generate(Generate(asked(), 6, temperature=t, seed=1)).text for t in (1e-300, 1e-40, 1e-7)} == {greedy}


def test_nothing_is_said_after_no_token(tiny: Tiny) -> None:
    with pytest.raises(Unaskable, match="no token"):
        load(entry("causal", tiny.causal("qwen2"))).generate(Generate("", 4))
