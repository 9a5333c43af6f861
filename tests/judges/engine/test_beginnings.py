"""What prompts began with is known from one batch to the next: the same is said, and less is computed."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
import torch
from safetensors.torch import save_file
from transformers import AutoModelForCausalLM, DynamicCache

from judges.engine.beginnings import BLOCK, Beginnings
from judges.engine.load import load
from judges.engine.loaded import LoadedModel
from judges.questions import Answer, Generate
from tests.judges.engine.plain import asked, entry
from tests.judges.engine.test_generation import RULES, written
from tests.judges.tiny import Tiny
from trueward.wire.model import WeightsRequest

HEADS, WIDTH = 2, 4
NAMES = ("llama", "qwen2", "qwen3", "gpt2")


def path_of(tiny: Tiny, name: str) -> Path:
    if name == "gpt2":
        return tiny.learned_positions()
    return tiny.causal(name)  # type: ignore[arg-type]


def ask(said: str, most: int = 6) -> Generate:
    return Generate(asked(RULES + said), most, alternatives=5)


def same(one: Answer, other: Answer) -> bool:
    """The same text, and the same numbers up to rounding."""
    pairs = [
        (a, b)
        for here, there in zip(one.alternatives, other.alternatives, strict=True)
        for (_, a), (_, b) in zip(here, there, strict=True)
    ]
    return one.text == other.text and all(abs(a - b) < 1e-4 for a, b in pairs)


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


@pytest.mark.parametrize("name", NAMES)
def test_what_is_known_changes_nothing_that_is_said(tiny: Tiny, name: str) -> None:
    model, fresh = (load(entry("causal", path_of(tiny, name))) for _ in range(2))
    written(model, ask("42"))
    assert model.network.beginnings.bytes
    for batch in (["Add 10 and 2."], ["x", "42", "x"], ["42"], ["Add 10 and 2, step by step.", "no"]):
        fresh.network.beginnings.forget()
        found, wanted = ([*written(one, *map(ask, batch))] for one in (model, fresh))
        assert all(same(a, b) for a, b in zip(found, wanted, strict=True))


def test_the_rules_are_computed_at_the_first_question_alone(llama: LoadedModel, widths: list[tuple[int, ...]]) -> None:
    first, second = ask("42", 1), ask("Add 10 and 2.", 1)
    written(llama, first)
    assert widths == [(1, llama.encode(first).tokens)]
    widths.clear()
    written(llama, second)
    [(rows, columns)] = widths
    ids = [llama.encode(question).ids for question in (first, second)]
    alike = next(n for n, (a, b) in enumerate(zip(*ids, strict=False)) if a != b)
    assert (rows, columns) == (1, len(ids[1]) - alike // BLOCK * BLOCK)


def test_the_same_prompt_again_reads_its_last_token_at_least(llama: LoadedModel, widths: list[tuple[int, ...]]) -> None:
    written(llama, ask("42", 1))
    widths.clear()
    written(llama, ask("42", 1), ask("42", 1))
    [(rows, columns)] = widths
    assert rows == 1
    assert 1 <= columns <= BLOCK


def test_new_weights_know_nothing_of_the_old_ones(llama: LoadedModel, tiny: Tiny, tmp_path: Path) -> None:
    other = tiny.causal("llama", seed=1)
    weights = AutoModelForCausalLM.from_pretrained(other).state_dict()
    save_file({name: tensor.contiguous() for name, tensor in weights.items()}, tmp_path / "model.safetensors")
    before = written(llama, ask("42"))[0]
    llama.swap(WeightsRequest(path=str(tmp_path / "model.safetensors")), 1)
    assert llama.network.beginnings.bytes == 0
    [found] = written(llama, ask("42"))
    [wanted] = written(load(entry("causal", other)), ask("42"))
    assert same(found, wanted)
    assert not same(found, before)


def test_loading_leaves_nothing_behind(llama: LoadedModel) -> None:
    assert llama.network.shares_beginnings
    assert llama.network.beginnings.bytes == 0


def cache_of(ids: tuple[int, ...]) -> DynamicCache:
    """Two layers whose keys and values are the tokens."""
    cache = DynamicCache()
    tokens = torch.tensor(ids, dtype=torch.float32)[None, None, :, None].expand(1, HEADS, len(ids), WIDTH)
    for layer in range(2):
        cache.update(tokens + layer, -tokens - layer, layer)
    return cache


def ids(*parts: int) -> tuple[int, ...]:
    """As many blocks, each of one token."""
    return tuple(token for token in parts for _ in range(BLOCK))


BLOCK_BYTES = 2 * 2 * HEADS * BLOCK * WIDTH * 4


def test_the_longest_beginning_is_found_with_its_numbers() -> None:
    known = Beginnings()
    known.keep(ids(1, 2, 3), cache_of(ids(1, 2, 3)))
    assert known.bytes == 3 * BLOCK_BYTES
    length, found = known.find((*ids(1, 2, 4), 9))
    assert length == 2 * BLOCK
    assert found is not None
    wanted = cache_of(ids(1, 2))
    for here, there in zip(found.layers, wanted.layers, strict=True):
        assert torch.equal(here.keys, there.keys)
        assert torch.equal(here.values, there.values)
    assert known.find(ids(2, 3)) == (0, None)
    assert known.find(ids(1)[:-1]) == (0, None)


def test_the_longest_unused_goes_first_and_the_bound_holds() -> None:
    known = Beginnings(4 * BLOCK_BYTES)
    known.keep(ids(1, 2), cache_of(ids(1, 2)))
    known.keep(ids(5, 6), cache_of(ids(5, 6)))
    known.find(ids(1, 2))
    known.keep(ids(7), cache_of(ids(7)))
    assert known.bytes == 4 * BLOCK_BYTES
    assert known.find(ids(1, 2))[0] == 2 * BLOCK
    assert known.find(ids(5, 6))[0] == BLOCK
    known.keep(ids(*range(10, 20)), cache_of(ids(*range(10, 20))))
    assert known.bytes <= 4 * BLOCK_BYTES


def test_a_beginning_is_forgotten_from_its_end() -> None:
    known = Beginnings(4 * BLOCK_BYTES)
    known.keep(ids(1, 2, 3), cache_of(ids(1, 2, 3)))
    known.keep(ids(5, 6), cache_of(ids(5, 6)))
    assert known.find(ids(1, 2, 3))[0] == 2 * BLOCK
    known.keep(ids(*range(10, 20)), cache_of(ids(*range(10, 20))))
    assert known.find(ids(*range(10, 20)))[0] == 4 * BLOCK


@pytest.mark.parametrize("seed", range(30))
def test_whatever_is_kept_can_be_found(seed: int) -> None:
    chance = random.Random(seed)
    known = Beginnings(chance.randint(1, 12) * BLOCK_BYTES)
    seen: list[tuple[int, ...]] = []
    for _ in range(chance.randint(1, 60)):
        blocks = ids(*(chance.randint(1, 2) for _ in range(chance.randint(1, 6))))
        if chance.random() < 0.5:
            known.find(blocks)
        else:
            known.keep(blocks, cache_of(blocks))
            seen.append(blocks)
    reached = {one[:end] for one in seen for end in range(BLOCK, known.find(one)[0] + 1, BLOCK)}
    assert known.bytes == len(reached) * BLOCK_BYTES


def test_what_was_found_can_grow_and_leaves_what_is_known() -> None:
    known = Beginnings()
    known.keep(ids(1), cache_of(ids(1)))
    _, found = known.find(ids(1))
    assert found is not None
    found.update(torch.zeros(1, HEADS, 1, WIDTH), torch.zeros(1, HEADS, 1, WIDTH), 0)
    found.layers[0].keys.fill_(7)
    _, again = known.find(ids(1))
    assert again is not None
    assert torch.equal(again.layers[0].keys, cache_of(ids(1)).layers[0].keys)
