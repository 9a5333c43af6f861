"""Prompts from files, and the order in which they come."""

from __future__ import annotations

from pathlib import Path

import pytest

from trueward.errors import InvalidRequest
from trueward_trainer.config import Source
from trueward_trainer.prompts import Order, read_prompts


def test_every_epoch_has_every_prompt_once_in_an_order_of_its_own() -> None:
    order = Order(10, seed=3)
    first, second = order.take(0, 10), order.take(10, 10)
    assert sorted(first) == sorted(second) == list(range(10))
    assert first != second


def test_the_order_is_a_function_of_seed_and_position() -> None:
    straight = Order(7, seed=3).take(0, 30)
    order = Order(7, seed=3)
    assert [place for start in range(0, 30, 6) for place in order.take(start, 6)] == straight
    assert Order(7, seed=3).take(12, 6) == straight[12:18]
    assert Order(7, seed=4).take(0, 30) != straight


def test_prompts_of_a_file_keep_their_fields(tmp_path: Path) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text('{"prompt": "1+1?", "reference": "2", "metadata": {"level": 3}}\n\n{"prompt": "2+2?"}\n')
    first, second = read_prompts(Source(file=path))
    assert (first.prompt, first.reference, first.metadata) == ("1+1?", "2", {"level": 3})
    assert second.reference is None


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85"])
def test_a_prompt_may_hold_other_ends_of_lines_than_its_file(tmp_path: Path, end: str) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(f'{{"prompt": "1{end}2"}}\n{{"prompt": "3"}}\n', encoding="utf-8")
    assert [one.prompt for one in read_prompts(Source(file=path))] == [f"1{end}2", "3"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"prompt": "1"}\n{"prompt": 1}\n', r"prompts\.jsonl, line 2: prompt"),
        ('{"prompt": "1"\n', r"line 1"),
        ('{"reference": "2"}\n', r"line 1: a line has a prompt and no response"),
        ('{"prompt": "1", "response": "2"}\n', r"line 1: a line has a prompt and no response"),
        ('{"prompt": "1", "id": "a"}\n', r"line 1: id and group are the trainer's"),
        ("\n", r"has no prompts"),
    ],
)
def test_a_line_that_is_no_prompt_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "prompts.jsonl"
    path.write_text(text)
    with pytest.raises(InvalidRequest, match=message):
        read_prompts(Source(file=path))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        read_prompts(Source(file=tmp_path / "none.jsonl"))


def test_prompts_of_reasoning_gym_can_be_judged() -> None:
    """The reference says how to generate the task again, which is what the verifier ``procedural`` takes."""
    pytest.importorskip("reasoning_gym")
    from verifiers import registry

    prompts = read_prompts(Source(reasoning_gym="chain_sum", size=3, seed=5, config={"max_terms": 3}))
    assert [prompt.reference["index"] for prompt in prompts if isinstance(prompt.reference, dict)] == [0, 1, 2]
    assert registry.get("procedural")
    with pytest.raises(InvalidRequest, match="no data set 'nope'"):
        read_prompts(Source(reasoning_gym="nope"))
