"""What recipes read and give reaches the trainer: it sends, learns, draws, warns, or refuses before its first step."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.live import Service
from tests.trainer.toys import QUIET, config, save_prompts
from tests.trainer.trainings import RECIPE, against, lines
from trueward.errors import InvalidRequest
from trueward.wire.sample import Sample
from trueward_trainer.feeding import Exchange, refuse_unfit, warn_unread
from trueward_trainer.rollout import Response
from trueward_trainer.scoring import Scorer, as_samples
from trueward_trainer.training import train

STEPS = {**RECIPE, "shaping": [{"method": "steps", "term": "regex"}]}


def told(reads: Sequence[str] = (), gives: Sequence[str] = ()) -> Exchange:
    return Exchange(frozenset(reads), frozenset(gives))


def test_a_field_that_no_prompt_has_is_refused_by_name(tmp_path: Path) -> None:
    said, prompts = config(tmp_path), [Sample(prompt="a", reference="1"), Sample(prompt="b", baseline_scores=[0.5])]
    refuse_unfit(said, prompts, told(["response", "reference", "baseline_scores", "logprobs", "tokens"]))
    with pytest.raises(InvalidRequest, match="the recipe 'exact' reads baselines, and no prompt has it"):
        refuse_unfit(said, prompts, told(["baselines"]))


@pytest.mark.parametrize(
    ("update", "gives", "lack"),
    [
        ({"advantages": "capo"}, ["token_rewards"], "capo learn from rewards of steps.*step_penalties"),
        ({"advantages": "prime", "loss": "ppo"}, ["step_rewards"], "prime learn from rewards of tokens"),
        ({"advantages": "forward", "loss": "reinforce"}, [], "noise: {method: forward"),
        ({"advantages": "reinforce_pp", "place": "spread"}, [], "update.place is of step rewards"),
    ],
)
def test_advantages_that_the_recipe_cannot_feed_are_refused_by_name(
    tmp_path: Path, update: dict[str, object], gives: list[str], lack: str
) -> None:
    said = config(tmp_path, update=update)
    with pytest.raises(InvalidRequest, match=lack):
        refuse_unfit(said, [], told(gives=gives))
    refuse_unfit(said, [], told(gives=["step_rewards", "token_rewards", "weight"]))


def test_what_nobody_reads_is_said(tmp_path: Path) -> None:
    given = told(gives=["step_rewards", "draw"])
    assert warn_unread(config(tmp_path), given) == [
        "the recipe 'exact' gives step_rewards, which the advantages grpo do not read"
    ]
    for update in ({"advantages": "pure"}, {"advantages": "reinforce_pp", "place": "each"}):
        assert warn_unread(config(tmp_path, update=update), given) == []


def test_log_probabilities_are_sent_where_there_is_one_a_token() -> None:
    said = [Response([1], [5, 6], [-0.5, -1.5], "xy", "stop"), Response([1], [5], [float("nan")], "x", "length")]
    plain = as_samples([Sample(prompt="p")], said, ["g"])
    assert [one.logprobs for one in plain] == [None, None]
    sent = as_samples([Sample(prompt="p")], said, ["g"], logprobs=True)
    assert sent[0].logprobs is not None
    assert (sent[0].logprobs.token_ids, sent[0].logprobs.logprobs) == ([5, 6], [-0.5, -1.5])
    assert sent[1].logprobs is None
    assert sent[0].logprobs.offsets is None
    [placed, _] = as_samples([Sample(prompt="p")], said, ["g"], logprobs=True, offsets=lambda _: [(0, 1), (1, 2)])
    assert placed.logprobs is not None
    assert placed.logprobs.offsets == [(0, 1), (1, 2)]
    assert [one.finish_reason for one in sent] == ["stop", "length"]


def test_unlikely_right_answers_are_learnt_from(service: Service, tmp_path: Path) -> None:
    """The finding: this recipe ended the training at once, for the log-probabilities that the sampler has."""
    said = against(service, tmp_path, {**RECIPE, "shaping": ["unlikeliness"]}, steps=1)
    train(said, console=QUIET)
    [step] = lines(said.out / "metrics.jsonl")
    assert step["missing"] == 0
    rewards = {line["reward"] for line in lines(said.out / "completions.jsonl") if line["outcome"] == "correct"}
    assert len(rewards) > 1, "right answers are told apart by how likely they were"


def test_a_recipe_that_draws_is_drawn_from(service: Service, tmp_path: Path) -> None:
    recipe = {**RECIPE, "group": {"rules": ["policy_filtration"]}}
    said = against(service, tmp_path, recipe, steps=2)
    train(said, console=QUIET)
    shares = [line["drawn_share"] for line in lines(said.out / "metrics.jsonl")]
    assert all(0 < float(str(share)) < 1 for share in shares)


def test_a_recipe_that_cannot_be_fed_ends_the_training_before_its_first_step(service: Service, tmp_path: Path) -> None:
    par = {**RECIPE, "shaping": ["par"]}
    for recipe, update, lack in (
        (par, {}, "reads baseline_scores, and no prompt has it"),
        (RECIPE, {"advantages": "pure"}, "the recipe gives none: it needs the shaping min_form"),
        ("exact", {"advantages": "vps"}, "belief_progress"),
    ):
        said = against(service, tmp_path, recipe, update=update, out=str(tmp_path / lack[:12]))
        with pytest.raises(InvalidRequest, match=lack):
            train(said, console=QUIET)
        assert not (said.out / "completions.jsonl").exists(), "nothing was sampled"


def test_baselines_of_the_prompts_reach_the_recipe(service: Service, tmp_path: Path) -> None:
    prompts = save_prompts(tmp_path / "with_baselines.jsonl")
    rows = [f'{row[:-1]}, "baseline_scores": [0.0, 0.5]}}' for row in prompts.read_text().splitlines()]
    prompts.write_text("\n".join(rows) + "\n")
    said = against(
        service,
        tmp_path,
        {**RECIPE, "shaping": ["par"]},
        prompts={"file": str(prompts)},
        steps=1,
        out=str(tmp_path / "o"),
    )
    train(said, console=QUIET)
    assert lines(said.out / "metrics.jsonl")[0]["missing"] == 0


def test_the_service_tells_what_a_recipe_reads_and_gives(service: Service, tmp_path: Path) -> None:
    with Scorer(against(service, tmp_path, "exact").service) as scorer:
        assert scorer.exchange() == told(["response", "reference"])
        assert not scorer.sends_logprobs
    with Scorer(against(service, tmp_path, {**RECIPE, "shaping": ["unlikeliness"]}).service) as scorer:
        assert scorer.exchange() == told(["response", "logprobs"])
        assert scorer.sends_logprobs
    with Scorer(against(service, tmp_path, STEPS).service) as scorer:
        assert scorer.exchange() == told(["response"], ["step_rewards"])
