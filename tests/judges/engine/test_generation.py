"""What a model says next, of several texts together: each is what transformers says of it alone, and its own."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest
import torch

from judges.base import NotFinite, TooLong, Unaskable
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.questions import Answer, Choices, Generate
from tests.judges.engine.plain import Plain, asked, entry, ids_of
from tests.judges.tiny import FAMILIES, Tiny

ARCHITECTURES: dict[str, Callable[[Tiny], Path]] = {
    **{family: partial(Tiny.causal, family=family) for family in FAMILIES},
    "gpt2": Tiny.learned_positions,
    "mamba": Tiny.recurrent,
}
PROMPTS = tuple(map(asked, ("What is 12 + 30?", "Add 10 and 2, step by step, and say why that is right.", "x")))


def written(model: LoadedModel, *questions: Generate) -> list[Answer]:
    """The answers to questions that are asked together."""
    writing = model.write([model.encode(question) for question in questions])
    found: dict[int, Answer | NotFinite] = {}
    while len(found) < len(questions):
        found.update(writing.step(()))
    answers = [found[row] for row in range(len(questions))]
    assert all(isinstance(answer, Answer) for answer in answers), answers
    return [answer for answer in answers if isinstance(answer, Answer)]


def text(model: LoadedModel, question: Generate) -> str:
    return written(model, question)[0].text


@pytest.fixture
def llama(tiny: Tiny) -> LoadedModel:
    return load(entry("causal", tiny.causal("llama")))


@pytest.fixture
def widths(llama: LoadedModel, monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, ...]]:
    """Rows and columns of whatever goes through the network."""
    forward, seen = llama.network.base.forward, list[tuple[int, ...]]()

    def watched(*args: object, **fields: torch.Tensor) -> object:
        seen.append(tuple(fields["input_ids"].shape))
        return forward(*args, **fields)

    monkeypatch.setattr(llama.network.base, "forward", watched)
    return seen


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_greedy_is_what_transformers_generates_of_each_alone(tiny: Tiny, name: str) -> None:
    path = ARCHITECTURES[name](tiny)
    model, plain = load(entry("causal", path)), Plain("causal", path)
    assert model.network.pads_left == (name != "mamba")
    asks = [Generate(prompt, most) for prompt in PROMPTS for most in (5, 24)]
    for question, answer in zip(asks, written(model, *asks), strict=True):
        assert not isinstance(question.prompt, str)
        ids = torch.tensor([ids_of(path, question.prompt, opened=True)])
        mask, most = torch.ones_like(ids), question.max_tokens
        whole = plain.model.generate(ids, attention_mask=mask, max_new_tokens=most, do_sample=False, pad_token_id=0)
        out = whole[0, ids.shape[1] :]
        assert answer.text == model.renderer.tokenizer.decode(out, skip_special_tokens=True)
        assert (answer.tokens, answer.written) == (ids.shape[1], len(out))
        assert answer.finish == ("length" if len(out) == question.max_tokens else "stop")


@pytest.mark.parametrize("name", ["llama", "gemma2", "gpt2"])
def test_alternatives_are_the_likeliest_at_each_place_as_alone(tiny: Tiny, name: str) -> None:
    path = ARCHITECTURES[name](tiny)
    model, plain = load(entry("causal", path)), Plain("causal", path)
    words = model.renderer.tokenizer
    asks = [Generate(prompt, 20, alternatives=n) for n, prompt in enumerate(PROMPTS)]
    for question, answer in zip(asks, written(model, *asks), strict=True):
        assert not isinstance(question.prompt, str)
        if not question.alternatives:
            assert answer.alternatives == ()
            continue
        assert len(answer.alternatives) == answer.written
        said = ids_of(path, question.prompt, opened=True)
        for place in answer.alternatives:
            likeliest = plain.logits(said).log_softmax(-1)[-1].topk(question.alternatives)
            assert [token for token, _ in place] == [words.decode([one]) for one in likeliest.indices.tolist()]
            assert [value for _, value in place] == pytest.approx(likeliest.values.tolist(), abs=1e-4)
            said.append(int(likeliest.indices[0]))


def test_a_seed_says_the_same_in_any_company_and_disturbs_nothing_else(llama: LoadedModel) -> None:
    chance = random.Random(5)
    asks = [
        Generate(chance.choice(PROMPTS), chance.choice([6, 12, 20]), temperature, seed=seed, top_p=top_p)
        for seed, temperature, top_p in zip(range(-4, 8), [0.0, 0.7, 1.0, 1.5] * 3, [1.0, 0.8, 0.5] * 4, strict=True)
    ]
    torch.manual_seed(0)
    first = torch.rand(1)
    torch.manual_seed(0)
    alone = [text(llama, question) for question in asks]
    for _ in range(4):
        order = chance.sample(range(len(asks)), k=chance.randint(2, len(asks)))
        assert [answer.text for answer in written(llama, *(asks[n] for n in order))] == [alone[n] for n in order]
    assert torch.rand(1) == first


def test_another_seed_says_something_else(llama: LoadedModel) -> None:
    question = Generate(asked(), 12, temperature=1.5, seed=3)
    others = written(llama, *(dataclasses.replace(question, seed=seed) for seed in (3, -3, 4, None, None)))
    assert len({answer.text for answer in others}) == 5


def test_next_to_no_temperature_is_greedy_and_so_is_next_to_no_share(llama: LoadedModel) -> None:
    greedy = text(llama, Generate(asked(), 6))
    cold = [Generate(asked(), 6, temperature=t, seed=1) for t in (1e-300, 1e-40, 1e-7)]
    narrow = [Generate(asked(), 6, temperature=2.0, seed=seed, top_p=1e-6) for seed in range(3)]
    assert {answer.text for answer in written(llama, *cold, *narrow)} == {greedy}


def test_a_stop_is_not_part_of_what_was_said_and_ends_it(llama: LoadedModel) -> None:
    whole = written(llama, Generate(asked(), 16))[0]
    stop = whole.text[3:5]
    short, long = written(llama, Generate(asked(), 16, stop=("never", stop)), Generate(asked(), 16, stop=("never",)))
    assert (short.text, short.finish) == (whole.text[: whole.text.find(stop)], "stop")
    assert short.written < whole.written == 16
    assert long == whole
    assert whole.finish == "length"


def test_the_first_of_several_stops_counts_also_at_the_last_token(llama: LoadedModel) -> None:
    whole = written(llama, Generate(asked(), 10))[0]
    last = written(llama, Generate(asked(), 10, stop=(whole.text[-1], whole.text[-2:])))[0]
    assert last.finish == "stop"
    assert last.text == whole.text[: min(whole.text.find(one) for one in (whole.text[-1], whole.text[-2:]))]


@pytest.mark.parametrize("several", [True, False])
def test_tokens_that_end_a_turn_are_the_checkpoints(llama: LoadedModel, several: bool) -> None:
    whole = written(llama, Generate(asked(), 8))[0]
    ids = llama.renderer.tokenizer(whole.text, add_special_tokens=False)["input_ids"]
    assert llama.renderer.tokenizer.decode(ids) == whole.text
    second = ids[1]
    llama.network.model.generation_config.eos_token_id = [599, second] if several else second
    (answer,) = written(llama, Generate(asked(), 8))
    assert (answer.written, answer.finish) == (ids.index(second) + 1, "stop")
    assert answer.text == llama.renderer.tokenizer.decode(ids[: ids.index(second)])


def test_the_models_limit_holds(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("llama"), max_tokens=40))
    prompt = model.encode(Generate(asked(), 1)).tokens
    far, near = written(model, Generate(asked(), 500), Generate(asked(), 2))
    assert (far.written, far.finish) == (40 - prompt, "length")
    assert (near.written, near.finish) == (2, "length")
    assert model.encode(Generate(asked(), 500)).room == 40
    for left in (0, 1):
        limited = load(entry("causal", tiny.causal("llama"), max_tokens=prompt + left))
        if left:
            assert written(limited, Generate(asked(), 9))[0].written == 1
        else:
            with pytest.raises(TooLong):
                limited.encode(Generate(asked(), 9))


def test_equal_prompts_are_computed_once(llama: LoadedModel, widths: list[tuple[int, ...]]) -> None:
    asks = [Generate(asked(), 3, temperature=1.0, seed=seed) for seed in range(8)]
    written(llama, *asks, Generate(PROMPTS[2], 3))
    assert widths[0] == (2, llama.encode(asks[0]).tokens)
    assert widths[1:] == [(9, 1)] * 2


RULES = "You grade answers. Say whether the answer is right, and why, in a sentence or two, and nothing more. " * 3


@pytest.mark.parametrize("name", ARCHITECTURES)
def test_what_follows_shared_rules_is_what_transformers_generates_of_each_alone(tiny: Tiny, name: str) -> None:
    path = ARCHITECTURES[name](tiny)
    model, plain = load(entry("causal", path)), Plain("causal", path)
    assert model.network.shares_beginnings == (name in ("llama", "qwen2", "qwen3", "gpt2"))
    asks = [Generate(asked(RULES + said), 16) for said in ("42", "Add 10 and 2, step by step.", "x", "x")]
    for question, answer in zip(asks, written(model, *asks), strict=True):
        assert not isinstance(question.prompt, str)
        ids = torch.tensor([ids_of(path, question.prompt, opened=True)])
        mask = torch.ones_like(ids)
        whole = plain.model.generate(ids, attention_mask=mask, max_new_tokens=16, do_sample=False, pad_token_id=0)
        assert answer.text == model.renderer.tokenizer.decode(whole[0, ids.shape[1] :], skip_special_tokens=True)


def test_shared_rules_are_computed_once(llama: LoadedModel, widths: list[tuple[int, ...]]) -> None:
    asks = [Generate(asked(RULES + said), 3) for said in ("42", "Add 10 and 2.", "x", "x")]
    longest = max(llama.encode(question).tokens for question in asks)
    written(llama, *asks)
    (one, begun), (three, rest), *steps = widths
    assert (one, three, begun + rest) == (1, 3, longest)
    assert begun > 0.8 * longest
    assert steps == [(4, 1)] * 2


def test_what_is_whole_or_gone_is_not_computed_any_more(llama: LoadedModel, widths: list[tuple[int, ...]]) -> None:
    asks = [Generate(PROMPTS[0], 2), Generate(PROMPTS[1], 5), Generate(PROMPTS[2], 5), Generate(PROMPTS[0], 5)]
    writing = llama.write([llama.encode(question) for question in asks])
    found = dict(writing.step(()))
    found |= dict(writing.step([1]))
    assert set(found) == {0}
    while len(found) < 3:
        found |= dict(writing.step(()))
    assert [rows for rows, _ in widths] == [3, 3, 2, 2, 2]
    assert [found[row] for row in (2, 3)] == [written(llama, asks[row])[0] for row in (2, 3)]


def test_texts_of_one_length_go_together_where_padding_is_not_understood(
    llama: LoadedModel, widths: list[tuple[int, ...]]
) -> None:
    asks = [Generate(prompt, 4) for prompt in (*PROMPTS, *PROMPTS)]
    together = written(llama, *asks)
    widths.clear()
    llama.network.pads_left = False
    assert written(llama, *asks) == together
    assert [rows for rows, _ in widths] == [1, 1, 1, *[2] * 9]


def test_a_text_after_which_there_are_no_numbers_fails_alone(llama: LoadedModel) -> None:
    (token,) = llama.renderer.tokenizer("!", add_special_tokens=False)["input_ids"]
    asks = [Generate(asked("What is 12 + 30?"), 3), Generate(asked("What is 12 + 30!"), 3)]
    good = written(llama, asks[0])[0]
    llama.network.base.get_input_embeddings().weight[token] = torch.nan
    found = dict(llama.write([llama.encode(question) for question in asks]).step(()))
    assert set(found) == {1}
    assert isinstance(found[1], NotFinite)
    assert written(llama, asks[0])[0] == good


def test_packed_reading_goes_on_between_tokens(tiny: Tiny) -> None:
    model = load(entry("causal", tiny.causal("gemma2")))
    work, question = model.encode(Choices(asked(), ("Y", "N"))), Generate(asked(), 3, alternatives=2)
    before, wanted = model.run([work, work]), written(model, question)
    writing = model.write([model.encode(question)])
    found: Sequence[tuple[int, Answer | NotFinite]] = ()
    while not found:
        found = writing.step(())
        assert model.run([work, work]) == before
    assert [answer for _, answer in found] == wanted


def test_nothing_is_said_after_no_token(tiny: Tiny) -> None:
    with pytest.raises(Unaskable, match="no token"):
        load(entry("causal", tiny.causal("qwen2"))).encode(Generate("", 4))
