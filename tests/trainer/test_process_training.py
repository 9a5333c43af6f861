"""Whole trainings against a real service that runs models: rewards of steps, of tokens, of references; and LoRA."""

from __future__ import annotations

import json
import math
from pathlib import Path

import peft
import pytest
import torch
from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import AutoModelForCausalLM, LlamaConfig, LlamaForCausalLM, PreTrainedTokenizerFast

from tests.judges.tiny import Tiny
from tests.live import Service
from tests.trainer.toys import QUIET, alike, config, state
from trueward import Client
from trueward.errors import InvalidRequest
from trueward.wire.model import ModelEntry
from trueward_trainer.config import TrainConfig
from trueward_trainer.policy import Policy
from trueward_trainer.training import train

SHORT = {"prompts": 4, "group": 4, "prompts_at_once": 4, "max_new_tokens": 8, "template": "plain"}
EVEN = {"name": "even", "verifier": "regex", "params": {"pattern": "[02468]", "mode": "search"}, "answer": True}
AS_IT_IS = "{% for m in messages %}{{ m['content'] }}{% endfor %}"


@pytest.fixture(scope="module")
def service(keyless: Service, tmp_path_factory: pytest.TempPathFactory) -> Service:
    tiny = Tiny(tmp_path_factory.mktemp("tiny"))
    with Client(keyless.url) as client:
        client.add_model(ModelEntry(name="steps", kind="process", path=str(tiny.steps())))
        for seed in range(2):
            client.add_model(ModelEntry(name=f"causal-{seed}", kind="causal", path=str(tiny.causal("qwen3", seed))))
    return keyless


def against(service: Service, folder: Path, terms: list[object], **changes: object) -> TrainConfig:
    recipe = {"terms": terms, "range": [-60, 60], "invalid": 0, **changes.pop("recipe", {})}  # type: ignore[dict-item]
    return config(folder, service={"url": service.url, "recipe": recipe}, rollout=SHORT, **changes)


def lines(said: TrainConfig, name: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in (said.out / name).read_text(encoding="utf-8").splitlines()]


def learnt(said: TrainConfig) -> bool:
    """Whether every step changed the weights."""
    before = state(Policy(said).model)
    after = state(train(said, console=QUIET).model)
    told = lines(said, "metrics.jsonl")
    assert [line["skipped"] for line in told] == [0.0] * said.steps
    assert all(float(str(line["missing"])) < 0.5 for line in told)
    return not alike(before, after)


def test_steps_of_a_process_reward_model_are_learnt_from(service: Service, tmp_path: Path) -> None:
    steps = {"verifier": "process_reward", "params": {"model": "steps", "split": "marker", "marker": "+"}}
    said = against(
        service,
        tmp_path,
        [EVEN, {"name": "steps", **steps}],
        recipe={"shaping": [{"min_form": {}, "term": "steps"}]},
        steps=2,
        update={"advantages": "pure", "lr": 1e-2},
    )
    assert learnt(said)
    assert {line["unplaced"] for line in lines(said, "metrics.jsonl")} == {0.0}


@pytest.mark.parametrize("place", ["last", "spread", "each"])
def test_reinforce_pp_adds_step_rewards_where_it_is_told(service: Service, tmp_path: Path, place: str) -> None:
    steps = {"verifier": "process_reward", "params": {"model": "steps", "split": "marker", "marker": "+"}, "weight": 0}
    said = against(
        service,
        tmp_path,
        [EVEN, {"name": "steps", **steps}],
        recipe={"shaping": [{"method": "steps", "term": "steps"}]},
        steps=1,
        update={"advantages": "reinforce_pp", "place": place, "lr": 1e-2},
    )
    assert learnt(said)


def test_implicit_rewards_of_tokens_are_learnt_from(service: Service, tmp_path: Path) -> None:
    """The models that tell them have other tokens than the policy."""
    params = {"model": "causal-0", "reference_model": "causal-1"}
    said = against(
        service,
        tmp_path,
        [EVEN, {"name": "implicit", "verifier": "process_reward", "params": params, "weight": 0}],
        recipe={"shaping": [{"method": "tokens", "term": "implicit"}]},
        steps=2,
        update={"loss": "ppo", "advantages": "prime", "lr": 1e-2},
    )
    assert learnt(said)


def test_a_recipe_that_pays_no_steps_ends_the_training_at_once(service: Service, tmp_path: Path) -> None:
    said = against(service, tmp_path, [EVEN], update={"advantages": "pure"})
    with pytest.raises(InvalidRequest, match="min_form"):
        train(said, console=QUIET)
    assert not (said.out / "metrics.jsonl").exists()


def test_verifree_is_paid_what_its_own_weights_think_of_the_reference(service: Service, tmp_path: Path) -> None:
    """Before the second step those are the weights that the first one made: the service says the same as we do."""
    words = save_tagged(tmp_path / "policy")
    prompts = [{"prompt": f"{place}=", "reference": str(place)} for place in range(6)]
    (tmp_path / "prompts.jsonl").write_text("".join(json.dumps(one) + "\n" for one in prompts))
    with Client(service.url) as client:
        path = str(tmp_path / "policy")
        client.add_model(ModelEntry(name="tagged", kind="causal", path=path, chat_template=AS_IT_IS))
    said = config(
        tmp_path,
        steps=2,
        service={
            "url": service.url,
            "recipe": {
                "terms": [{"verifier": "likelihood", "params": {"model": "tagged", "transform": "verifree"}}],
                "invalid": 0,
            },
        },
        rollout={**SHORT, "group": 8, "max_new_tokens": 12, "answer_marker": "<answer>"},
        update={"loss": "verifree", "advantages": "verifree", "lr": 3e-2},
        push_weights={"model": "tagged"},
    )
    assert learnt(said)
    paid = [line for line in lines(said, "completions.jsonl") if line["outcome"] == "scored"]
    assert {line["step"] for line in paid} == {0, 1}
    weights = [Path(said.model), said.out / "pushed"]
    for line in paid:
        before = str(line["prompt"]) + str(line["response"]).rpartition("<answer>")[0] + "<answer>"
        reference = str(line["prompt"])[:-1]
        thinks = probability(weights[int(str(line["step"]))], words, before, reference)
        assert line["reward"] == pytest.approx(thinks, rel=1e-4)


# what peft asks of a model is on its way out of transformers
@pytest.mark.filterwarnings("ignore:`is_gradient_checkpointing` is deprecated:FutureWarning")
def test_an_adapter_is_trained_gone_on_with_bit_for_bit_and_loaded(service: Service, tmp_path: Path) -> None:
    lora = {"rank": 4, "alpha": 8.0}
    said = against(service, tmp_path, [EVEN], steps=2, lora=lora, checkpoints={"every": 1})
    straight = train(said, console=QUIET)
    first = said.model_copy(update={"out": tmp_path / "parts", "steps": 1})
    train(first, console=QUIET)
    gone_on = train(first.model_copy(update={"steps": 2}), resume=True, console=QUIET)
    assert alike(state(straight.model), state(gone_on.model))
    began = AutoModelForCausalLM.from_pretrained(said.model)
    folder = said.out / "checkpoints/step-00000002"
    assert (folder / "adapter_model.safetensors").exists()
    assert not (folder / "model.safetensors").exists()
    loaded = peft.PeftModel.from_pretrained(began, str(folder))
    ids = torch.tensor([[4, 13, 2]])
    with torch.no_grad():
        own, others = straight.model(input_ids=ids).logits, loaded(input_ids=ids).logits
        base = AutoModelForCausalLM.from_pretrained(said.model)(input_ids=ids).logits
    assert torch.equal(own, others)
    assert not torch.equal(own, base)


def save_tagged(folder: Path) -> PreTrainedTokenizerFast:
    """A policy without any training that says ten digits, ``=`` and the tags of an answer."""
    vocabulary = {
        token: place for place, token in enumerate(["<pad>", "<end>", *"0123456789=", "<answer>", "</answer>"])
    }
    inner = Tokenizer(models.WordLevel(vocabulary, unk_token="<pad>"))
    inner.pre_tokenizer = pre_tokenizers.Split(Regex("</?answer>|."), "isolated")
    inner.decoder = decoders.Fuse()
    words = PreTrainedTokenizerFast(tokenizer_object=inner, eos_token="<end>", pad_token="<pad>")
    torch.manual_seed(0)
    shape = LlamaConfig(
        vocab_size=len(words),
        hidden_size=32,
        intermediate_size=64,
        num_hidden_layers=1,
        num_attention_heads=4,
        max_position_embeddings=64,
        eos_token_id=words.eos_token_id,
        pad_token_id=words.pad_token_id,
        bos_token_id=None,
        initializer_range=0.1,
    )
    LlamaForCausalLM(shape).save_pretrained(folder)
    words.save_pretrained(folder)
    return words


def probability(weights: Path, words: PreTrainedTokenizerFast, before: str, reference: str) -> float:
    model = AutoModelForCausalLM.from_pretrained(weights, dtype=torch.float32)
    ids = words(before + reference)["input_ids"]
    with torch.no_grad():
        said = model(input_ids=torch.tensor([ids])).logits[0].log_softmax(-1)
    start = len(words(before)["input_ids"])
    return math.exp(sum(float(said[place - 1, ids[place]]) for place in range(start, len(ids))))
