"""Hints: who gets one, what the service is told of it, and what is learnt from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import torch
from pydantic import JsonValue, ValidationError

from tests.trainer.toys import Price, Prices, config, gap
from trueward.errors import InvalidRequest
from trueward.wire.sample import Message, Sample
from trueward_trainer.config import GhpoHints, ScaffoldHints, TrainConfig
from trueward_trainer.experience import Collector, Experience
from trueward_trainer.hints import add_hint, ladder
from trueward_trainer.loop import summarise_step
from trueward_trainer.policy import Policy
from trueward_trainer.rollout import Sampler
from trueward_trainer.streams import generator

GHPO = GhpoHints(kind="ghpo", text="{hint}")
SCAFFOLD = ScaffoldHints(kind="scaffold", warmup=0, text="{hint}")
PROMPTS = [
    Sample(prompt=f"{place}+{place}=", metadata={"solution": "87654321", "hints": ["11", "22", "33"]})
    for place in range(4)
]


def plan(folder: Path, hints: GhpoHints | ScaffoldHints | None, **rollout: object) -> TrainConfig:
    said = config(folder)
    return said.model_copy(update={"rollout": said.rollout.model_copy(update={"hints": hints, **rollout})})


def collect(
    said: TrainConfig, price: Price, prompts: Sequence[Sample] = PROMPTS, step: int = 0
) -> tuple[Experience, Prices]:
    policy, prices = Policy(said), Prices(price)
    sampler = Sampler(policy.model, policy.tokenizer, chat=False, max_new_tokens=3)
    collector = Collector(said, policy, prompts, sampler, prices)  # type: ignore[arg-type]
    return collector.collect(step, 0, generator(torch.device("cpu"), 1)), prices


@dataclass
class RightAt:
    """Right at this level of hint for prompts that have this digit; every other response is wrong."""

    level: int
    digit: str = "+"
    asked: list[str] = field(default_factory=list)

    def __call__(self, sample: Sample) -> float:
        assert sample.group is not None
        self.asked.append(sample.group)
        return float(f"-hint-{self.level}" in sample.group and self.digit in sample.prompt_text)


def test_a_prefix_of_the_solution_is_counted_in_characters() -> None:
    solution = Sample(prompt="?", metadata={"solution": "first line\nnext"}, reference="42")
    assert ladder(GHPO, solution) == ["fir", "first l", "first line\n"]
    assert ladder(GhpoHints(kind="ghpo", solution="reference"), solution) == ["4"]
    assert ladder(GhpoHints(kind="ghpo", levels=(0.1, 1.0)), Sample(metadata={"solution": "é" * 30})) == [
        "é" * 3,
        "é" * 30,
    ]
    assert ladder(SCAFFOLD, PROMPTS[0]) == ["11", "22", "33"]
    assert ladder(GHPO, Sample(prompt="?")) == ladder(SCAFFOLD, Sample(prompt="?", metadata={})) == []


@pytest.mark.parametrize(
    ("hints", "metadata", "message"),
    [
        (GHPO, {"solution": ["steps"]}, "metadata.solution of a prompt is no text"),
        (GHPO, {"solution": 42}, "metadata.solution of a prompt is no text: 42"),
        (SCAFFOLD, {"hints": "one"}, "no list of texts"),
        (SCAFFOLD, {"hints": ["one", 2]}, "no list of texts"),
        (SCAFFOLD, {"hints": ["one", ""]}, "no list of texts"),
        (GHPO, {"hints": ["one"]}, "no prompt has metadata.solution"),
        (SCAFFOLD, {"solution": "one"}, "no prompt has metadata.hints"),
        (GhpoHints(kind="ghpo", solution="reference"), {}, "no prompt has reference"),
    ],
)
def test_prompts_without_anything_to_hint_with_are_refused_before_the_first_step(
    tmp_path: Path, hints: GhpoHints | ScaffoldHints, metadata: dict[str, JsonValue], message: str
) -> None:
    with pytest.raises(InvalidRequest, match=message):
        collect(plan(tmp_path, hints), RightAt(1), [Sample(prompt="1=", metadata=metadata)])


@pytest.mark.parametrize(
    ("hints", "message"),
    [
        ({"kind": "nope"}, "does not match any of the expected tags"),
        ({"kind": "ghpo", "levels": []}, "at least 1 item"),
        ({"kind": "ghpo", "levels": [0.5, 0.25]}, "each level shows more"),
        ({"kind": "ghpo", "levels": [0.5, 1.5]}, "less than or equal to 1"),
        ({"kind": "ghpo", "warmup": 3}, "Extra inputs"),
        ({"kind": "scaffold", "text": "Hint:"}, "should match pattern"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(tmp_path: Path, hints: dict[str, object], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        config(tmp_path, rollout={"hints": hints})


def test_the_hint_stands_at_the_end_of_what_the_user_said_last() -> None:
    text = "\n\nHint: {hint}"
    assert add_hint(Sample(prompt="Why?"), "{x}", text).prompt == "Why?\n\nHint: {x}"
    said = [Message(role="system", content="Be short."), Message(role="user", content="Why?")]
    answered = [*said, Message(role="assistant", content="Well,")]
    found = add_hint(Sample(prompt=answered), "x", text).prompt
    assert isinstance(found, list)
    assert [one.content for one in found] == ["Be short.", "Why?\n\nHint: x", "Well,"]
    assert said[1].content == "Why?"
    parts = Sample(prompt=[Message(role="user", content=[{"type": "text", "text": "Why?"}])])
    assert add_hint(parts, "x", text).prompt_text == "Why?\n\nHint: x"
    alone = add_hint(Sample(prompt=said[:1]), "x", text).prompt
    assert isinstance(alone, list)
    assert (alone[-1].role, alone[-1].content) == ("user", "Hint: x")


def test_ghpo_takes_the_first_level_that_helps_for_the_whole_group(tmp_path: Path) -> None:
    said = plan(tmp_path, GHPO)
    seen, prices = collect(said, RightAt(2))
    words = Policy(said).tokenizer
    assert [group.level for group in seen.groups] == [2] * 4
    for group in seen.groups:
        assert len(group.responses) == len(group.rewards) == len(group.before) == 4
        for one in group.responses:
            assert words.decode(one.prompt_ids) == group.prompt.prompt_text
            assert one.hinted_ids is not None
            assert words.decode(one.hinted_ids) == f"{group.prompt.prompt_text}8765"
    assert seen.metrics == {"hints/wrong": 1.0, "hints/helped": 1.0, "hints/level": 2.0}
    assert len(prices.asked) == 4 * 4 * 3


def test_the_service_is_told_of_no_hint(tmp_path: Path) -> None:
    """Neither in the prompt nor beside it; and its online estimates are told the first responses alone."""
    price = RightAt(3)
    _, prices = collect(plan(tmp_path, GHPO), price)
    originals = {prompt.prompt_text: prompt for prompt in PROMPTS}
    for _, sample in prices.asked:
        original = originals[sample.prompt_text]
        assert (sample.prompt, sample.hint, sample.metadata) == (original.prompt, None, original.metadata)
    for split, sample in prices.asked:
        assert (split == "eval") == ("-hint-" in (sample.group or ""))
    sizes = [price.asked.count(name) for name in set(price.asked)]
    assert sizes == [4] * 16


def test_log_probabilities_are_those_after_the_hint(tmp_path: Path) -> None:
    said = plan(tmp_path, GHPO)
    seen, _ = collect(said, RightAt(1))
    model, responses = Policy(said).model, seen.responses
    assert gap(model, [one.hinted_ids or [] for one in responses], responses, 1.0) < 1e-4
    assert gap(model, [one.prompt_ids for one in responses], responses, 1.0) > 1e-3


def test_only_groups_that_are_known_to_be_wrong_get_a_hint(tmp_path: Path) -> None:
    """One has a right response, one a missing reward, one no solution; the last is wrong."""
    prompts = [*PROMPTS[:2], Sample(prompt="2+2="), PROMPTS[3]]
    places = {f"{one.prompt_text}": place for place, one in enumerate(prompts)}
    first: set[int] = set()

    def price(sample: Sample) -> float | None:
        place = places[sample.prompt_text]
        if "-hint-" in (sample.group or ""):
            return 1.0
        again = place in first
        first.add(place)
        return {0: 1.0, 1: None}.get(place, 0.0) if not again else 0.0

    seen, _ = collect(plan(tmp_path, GHPO), price, prompts)
    levels = {group.prompt.prompt_text: group.level for group in seen.groups}
    assert levels == {"0+0=": 0, "1+1=": 0, "2+2=": 0, "3+3=": 1}
    assert seen.metrics == {"hints/wrong": 0.5, "hints/helped": 0.25, "hints/level": 1.0}


def test_where_no_level_helps_the_first_group_stays(tmp_path: Path) -> None:
    plain, _ = collect(plan(tmp_path, None), RightAt(9))
    for hints in (GHPO, SCAFFOLD):
        tried, prices = collect(plan(tmp_path, hints), RightAt(9))
        assert tried.responses == plain.responses
        assert len(prices.asked) > 16
        assert tried.metrics == {"hints/wrong": 1.0, "hints/helped": 0.0}


def test_scaffold_replaces_one_failed_response_by_the_least_hint_that_helps(tmp_path: Path) -> None:
    plain, _ = collect(plan(tmp_path, None), RightAt(9))
    price = RightAt(2)
    seen, _ = collect(plan(tmp_path, SCAFFOLD), lambda sample: price(sample) if sample.response else 0.0)
    helped = [place for place, group in enumerate(seen.groups) if group.level]
    assert helped
    for place in helped:
        group, before = seen.groups[place], plain.groups[place]
        assert group.level == 2
        assert group.responses[0].hinted_ids is not None
        assert list(group.responses[1:]) == list(before.responses[1:])
        assert group.before == before.rewards
    tried = [name for name in price.asked if name.endswith("-hint-1")]
    assert len(tried) == len(set(tried)) <= 4


def test_a_group_with_one_response_exchanged_is_judged_as_a_whole(tmp_path: Path) -> None:
    price = RightAt(1)
    seen, prices = collect(plan(tmp_path, SCAFFOLD), price)
    mixed = [sample for _, sample in prices.asked if (sample.group or "").endswith("-mixed")]
    assert [one.response for one in mixed] == [response.text for response in seen.responses]
    assert len({one.group for one in mixed}) == 4
    assert {split for split, sample in prices.asked if sample in mixed} == {"eval"}


def test_scaffold_waits_for_its_warm_up(tmp_path: Path) -> None:
    hints = ScaffoldHints(kind="scaffold", warmup=3, text="{hint}", tries=4)
    levels = {step: collect(plan(tmp_path, hints), RightAt(1), step=step)[0].metrics for step in (2, 3)}
    assert levels[2]["hints/helped"] == 0.0
    assert levels[3]["hints/helped"] == 1.0


def test_the_same_stream_hints_the_same(tmp_path: Path) -> None:
    for hints in (GHPO, SCAFFOLD):
        one, same = (collect(plan(tmp_path, hints), RightAt(2))[0] for _ in range(2))
        assert one.responses == same.responses


def test_groups_that_a_hint_helped_need_no_further_prompts(tmp_path: Path) -> None:
    place = iter(range(10_000))

    def price(sample: Sample) -> float:
        return float(next(place) % 2) if "-hint-1" in (sample.group or "") else 0.0

    seen, _ = collect(plan(tmp_path, GHPO, resample=2), price)
    assert (seen.drawn, seen.position) == (4, 4)
    assert all(group.teaches for group in seen.groups)


def test_what_is_reported_is_what_the_policy_does_by_itself(tmp_path: Path) -> None:
    seen, _ = collect(plan(tmp_path, GHPO), RightAt(1))
    assert all(reward.reward == 1.0 for reward in seen.rewards)
    metrics = summarise_step(seen)
    assert (metrics["accuracy"], metrics["reward"], metrics["hints/helped"]) == (0.0, 0.0, 1.0)
