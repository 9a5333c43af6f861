"""Sampling over HTTP: what a server says is what the policy says, its weights follow, and its failures end in words."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch
from pydantic import ValidationError

from tests.trainer import toys
from tests.trainer.rollout_server import RolloutServer
from tests.trainer.toys import config, save_policy
from trueward.errors import DeadlineExceeded, Unauthorized, UnexpectedAnswer
from trueward.wire.sample import Sample
from trueward_trainer.policy import Policy
from trueward_trainer.rollout import Response
from trueward_trainer.served import KEY, ServedSampler
from trueward_trainer.streams import generator

PROMPTS = [Sample(prompt="1="), Sample(prompt="123+45="), Sample(prompt="98765=")]
CPU = torch.device("cpu")


@pytest.fixture
def policy(tmp_path: Path) -> Policy:
    return Policy(config(tmp_path))


@contextmanager
def sampling(
    server: RolloutServer, policy: Policy, folder: Path, kind: str = "vllm", weights: str = "none", **fields: object
) -> Iterator[ServedSampler]:
    with ServedSampler(config(folder), server.config(kind, weights, **fields), policy) as sampler:
        yield sampler


def sampled(sampler: ServedSampler, count: int = 4, stream: int = 1, temperature: float = 1.0) -> list[Response]:
    return sampler.sample(PROMPTS, count, temperature, generator(CPU, stream))


def gap(policy: Policy, responses: list[Response], temperature: float = 1.0) -> float:
    return toys.gap(policy.model, [one.prompt_ids for one in responses], responses, temperature)


@pytest.mark.parametrize("kind", ["vllm", "sglang"])
@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_the_policys_own(policy: Policy, tmp_path: Path, kind: str, temperature: float) -> None:
    with RolloutServer(tmp_path / "policy") as server, sampling(server, policy, tmp_path, kind) as sampler:
        responses = sampled(sampler, temperature=temperature)
        assert [one.prompt_ids for one in responses] == [sampler.encode(one) for one in PROMPTS for _ in range(4)]
    assert gap(policy, responses, temperature) < 1e-4
    assert {one.finish_reason for one in responses} == {"stop", "length"}
    for one in responses:
        assert (one.tokens[-1] == 1) == (one.finish_reason == "stop")
        assert one.text == policy.tokenizer.decode(one.tokens, skip_special_tokens=True)


def test_seeds_are_of_the_generator_and_each_response_is_its_own(policy: Policy, tmp_path: Path) -> None:
    for kind in ("vllm", "sglang"):
        with RolloutServer(tmp_path / "policy") as server, sampling(server, policy, tmp_path, kind) as sampler:
            one, same, other = (sampled(sampler, stream=stream) for stream in (1, 1, 2))
        assert one == same
        assert one != other
        requests = [(body["n"], body["seed"]) for body in server.asked[: 3 if kind == "vllm" else 12]]
        assert {count for count, _ in requests} == {4 if kind == "vllm" else 1}
        assert len({seed for _, seed in requests}) == len(requests)


def test_a_request_asks_for_the_whole_distribution(policy: Policy, tmp_path: Path) -> None:
    with RolloutServer(tmp_path / "policy") as server, sampling(server, policy, tmp_path) as sampler:
        sampled(sampler, temperature=0.0)
    uncut = {"top_p": 1.0, "top_k": -1, "min_p": 0.0, "repetition_penalty": 1.0}
    said = {"model": "tiny", "max_tokens": 3, "temperature": 0.0, "logprobs": 1, "return_token_ids": True}
    assert all((uncut | said).items() <= body.items() for body in server.asked)


def test_prompts_are_asked_for_at_the_same_time(policy: Policy, tmp_path: Path) -> None:
    """The server answers nobody before all three are there."""
    with RolloutServer(tmp_path / "policy", hold=3) as server, sampling(server, policy, tmp_path) as sampler:
        assert len(sampled(sampler)) == 12


@pytest.mark.parametrize("status", [503, 500, 429])
def test_a_failure_that_passes_costs_a_try(policy: Policy, tmp_path: Path, status: int) -> None:
    with RolloutServer(tmp_path / "policy") as server, sampling(server, policy, tmp_path) as sampler:
        undisturbed = sampled(sampler)
    with (
        RolloutServer(tmp_path / "policy", statuses=[status]) as server,
        sampling(server, policy, tmp_path) as sampler,
    ):
        assert sampled(sampler) == undisturbed


def test_a_server_that_stays_away_ends_in_its_own_words(policy: Policy, tmp_path: Path) -> None:
    with RolloutServer(tmp_path / "policy") as server:
        server.forever = 503
        with (
            sampling(server, policy, tmp_path, deadline_s=0.3) as sampler,
            pytest.raises(DeadlineExceeded, match=r"within 0\.3 s; .*answered /v1/completions with 503: .*not now"),
        ):
            sampled(sampler)
        url = server.config("vllm", "none", deadline_s=0.3)
    with (
        ServedSampler(config(tmp_path), url, policy) as sampler,
        pytest.raises(DeadlineExceeded, match="no whole answer"),
    ):
        sampled(sampler)


def test_a_request_that_is_refused_is_not_tried_again(policy: Policy, tmp_path: Path) -> None:
    with (
        RolloutServer(tmp_path / "policy", statuses=[400] * 3) as server,
        sampling(server, policy, tmp_path) as sampler,
        pytest.raises(UnexpectedAnswer, match="with 400"),
    ):
        sampled(sampler)
    assert not server.asked


def test_the_key_is_of_the_environment(policy: Policy, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with RolloutServer(tmp_path / "policy", key="secret") as server:
        monkeypatch.delenv(KEY, raising=False)
        with sampling(server, policy, tmp_path) as sampler, pytest.raises(Unauthorized, match=KEY):
            sampled(sampler)
        monkeypatch.setenv(KEY, "secret")
        with sampling(server, policy, tmp_path) as sampler:
            assert len(sampled(sampler)) == 12


def test_without_token_ids_the_text_is_split(policy: Policy, tmp_path: Path) -> None:
    with RolloutServer(tmp_path / "policy") as server, sampling(server, policy, tmp_path) as sampler:
        told = sampled(sampler, 16)
    with (
        RolloutServer(tmp_path / "policy", tells=["logprobs"]) as server,
        sampling(server, policy, tmp_path) as sampler,
    ):
        guessed = sampled(sampler, 16)
    known = [(one, other) for one, other in zip(told, guessed, strict=True) if other.known]
    assert all(one == other for one, other in known)
    unknown = [one for one, other in zip(told, guessed, strict=True) if not other.known]
    assert known
    assert all(0 in one.tokens for one in unknown)  # padding in the middle, which no text shows


@pytest.mark.parametrize(("kind", "weights"), [("vllm", "lora"), ("sglang", "disk")])
def test_samples_come_from_the_weights_that_were_pushed(
    policy: Policy, tmp_path: Path, kind: str, weights: str
) -> None:
    """The server began with others; then the policy changes."""
    save_policy(tmp_path / "others", seed=9)
    with (
        RolloutServer(tmp_path / "others") as server,
        sampling(server, policy, tmp_path, kind, weights) as sampler,
    ):
        assert gap(policy, sampled(sampler)) > 0.01
        sampler.refresh(0)
        assert gap(policy, sampled(sampler)) < 1e-4
        with torch.no_grad():
            policy.model.get_output_embeddings().weight.mul_(3.0)
        assert gap(policy, sampled(sampler)) > 0.1
        sampler.refresh(1)
        assert gap(policy, sampled(sampler)) < 1e-4
    assert len(server.loaded) == 2
    assert [path.name for path in (tmp_path / "out/served").iterdir()] == ["step-00000001"]


def test_an_adapter_is_loaded_in_place_and_nothing_that_the_last_one_computed_is_used(
    policy: Policy, tmp_path: Path
) -> None:
    said = config(tmp_path, service={"recipe": "exact", "run": "r1"})
    with (
        RolloutServer(tmp_path / "policy") as server,
        ServedSampler(said, server.config("vllm", "lora"), policy) as sampler,
    ):
        for step in (0, 1):
            sampler.refresh(step)
            sampled(sampler)
    assert [(one["lora_name"], one["load_inplace"]) for one in server.loaded] == [("r1", True)] * 2
    assert {(body["model"], body["cache_salt"]) for body in server.asked} == {("r1", "r1/0"), ("r1", "r1/1")}


def test_weights_go_out_every_so_many_steps_at_the_first_and_at_the_last(policy: Policy, tmp_path: Path) -> None:
    said = config(tmp_path, steps=8)
    with RolloutServer(tmp_path / "policy") as server:
        plan = server.config("sglang", "disk", every=3)
        with ServedSampler(said, plan, policy) as sampler:
            for step in range(1, 9):
                sampler.refresh(step)
    assert [Path(one["model_path"]).name for one in server.loaded] == [f"step-{step:08d}" for step in (1, 3, 6, 8)]


def test_weights_that_are_not_taken_end_the_training(policy: Policy, tmp_path: Path) -> None:
    with (
        RolloutServer(tmp_path / "policy", loads=False) as server,
        sampling(server, policy, tmp_path, "sglang", "disk") as sampler,
        pytest.raises(UnexpectedAnswer, match=r"did not take the weights .*shapes differ"),
    ):
        sampler.refresh(0)


@pytest.mark.parametrize(
    ("server", "changes", "message"),
    [
        ({"kind": "vllm", "weights": "disk"}, {}, "vllm takes lora, sglang disk"),
        ({"kind": "sglang", "weights": "lora"}, {"lora": {}}, "vllm takes lora, sglang disk"),
        ({"kind": "vllm", "weights": "lora"}, {}, "lora does not go with lora: none"),
        ({"kind": "sglang", "weights": "disk"}, {"lora": {}}, "disk does not go with lora: rank=16"),
        ({"kind": "vllm", "weights": "none", "every": 2}, {}, "weights: none gives none"),
        ({"kind": "sglang", "weights": "disk", "every": 2}, {}, r"checkpoints\.every: 3 is no multiple"),
        (
            {"kind": "sglang", "weights": "disk", "every": 3},
            {"evaluation": {"prompts": {"file": "x"}, "every": 4}},
            r"evaluation\.every: 4 is no multiple",
        ),
        ({"kind": "vllm", "weights": "none", "api_key": "secret"}, {}, "Extra inputs"),
    ],
)
def test_a_configuration_that_cannot_be_is_refused(
    tmp_path: Path, server: dict[str, object], changes: dict[str, object], message: str
) -> None:
    said = {"url": "http://127.0.0.1:9", "model": "tiny", **server}
    with pytest.raises(ValidationError, match=message):
        config(tmp_path, rollout={"server": said}, **changes)
