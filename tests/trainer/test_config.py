"""A configuration that is wrong says where, before anything is loaded."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from pydantic import JsonValue

from trueward.errors import InvalidRequest
from trueward_trainer.config import load

GOOD = """
model: policy
prompts: {file: prompts.jsonl}
service: {url: http://127.0.0.1:8421, recipe: exact}
out: runs/sorting
steps: 10
update: {lr: 1.0e-5, settings: {kl: 0.01}}
"""

VERIFREE: dict[str, JsonValue] = {
    "update.loss": "verifree",
    "update.advantages": "verifree",
    "rollout.answer_marker": "<answer>",
    "push_weights": {"model": "policy"},
}


def written(folder: Path, text: str, name: str = "train.yaml") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_yaml_and_json_say_the_same(tmp_path: Path) -> None:
    said = load(written(tmp_path, GOOD))
    assert (said.update.lr, said.update.settings.kl, said.rollout.group) == (1e-5, 0.01, 8)
    other = written(tmp_path, json.dumps(said.model_dump(mode="json")), "train.json")
    assert load(other) == said


def test_changes_reach_nested_fields(tmp_path: Path) -> None:
    said = load(written(tmp_path, GOOD), {"update.lr": 0.5, "rollout.group": 4, "control": "random"})
    assert (said.update.lr, said.rollout.group, said.control) == (0.5, 4, "random")
    assert said.update.settings.kl == 0.01


def test_the_fields_that_sinks_replace_are_still_read(tmp_path: Path) -> None:
    said = load(written(tmp_path, GOOD + "tensorboard: true\nwandb: sums\nsinks: [mlflow]\n"))
    assert said.sinks == ["mlflow", "tensorboard", "wandb:sums"]
    assert load(written(tmp_path, GOOD + "tensorboard: false\nwandb: null\n")).sinks == []


@pytest.mark.parametrize("changes", [{"update.advantages": "pure"}, {"update.advantages": "prime"}, VERIFREE])
def test_advantages_of_parts_and_of_references_are_taken(tmp_path: Path, changes: dict[str, JsonValue]) -> None:
    said = load(written(tmp_path, GOOD), changes)
    assert said.update.advantages == changes["update.advantages"]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"stesp": 3}, "stesp: Extra inputs"),
        ({"steps": 0}, "steps: Input should be greater"),
        ({"update.loss": "nope"}, r"update\.loss: .*there is no loss 'nope'; there are cispo, dapo"),
        ({"update.loss": "verifree"}, r"update: .*loss verifree and the advantages verifree need each other"),
        ({"update.advantages": "verifree"}, r"update: .*need each other"),
        ({"update.loss": "real", "update.sampler_correction": {}}, r"update: .*takes no sampler_correction"),
        ({"update.sampler_correction": {"cap": 1}}, r"sampler_correction\.cap: .*greater than 1"),
        ({"control": "random", "update.advantages": "forward"}, r"a coin gives one number, and .* forward need more"),
        ({"control": "random", "update.advantages": "pure"}, r"a coin gives one number"),
        ({"control": "random", "update.advantages": "prime"}, r"a coin gives one number"),
        ({**VERIFREE, "control": "random"}, r"a coin gives one number"),
        ({"rollout.answer_marker": "="}, r"answer_marker is read by the advantages verifree alone"),
        ({**VERIFREE, "rollout.answer_marker": None}, r"verifree needs rollout\.answer_marker"),
        ({**VERIFREE, "push_weights": None}, r"verifree needs push_weights"),
        ({**VERIFREE, "rollout.temperature": 0.7}, r"verifree needs rollout\.temperature 1"),
        ({**VERIFREE, "rollout.resample": 1}, r"verifree needs no rollout\.resample"),
        ({"update.loss": "reinforce", "rollout.hints": {"kind": "ghpo"}}, r"the loss reinforce has no ratio"),
        ({"update.advantages": "nope"}, r"update\.advantages: .*there is no advantage estimator 'nope'"),
        ({"update.loss": "dr_grpo"}, r"update: .*needs settings\.max_length"),
        ({"update.loss": "cispo"}, r"update: .*needs settings\.cispo_clamp"),
        ({"rollout.group": 1}, r"grpo compare responses of one group"),
        ({"prompts": {}}, r"prompts: .*either a file or a data set"),
        ({"prompts.reasoning_gym": "chain_sum"}, r"prompts: .*either a file or a data set"),
        ({"evaluation": {"prompts": {"file": "x"}, "samples": 2, "k": 3}}, r"pass@3 needs as many samples"),
        ({"steps.more": 1}, r"steps\.more: steps has no fields"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changes: dict[str, JsonValue], message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        load(written(tmp_path, GOOD), changes)


@pytest.mark.parametrize(
    ("text", "name", "message"),
    [("a: [", "train.yaml", "is not YAML"), ("{", "train.json", "is not JSON"), ("- 1", "train.yaml", "a mapping")],
)
def test_what_cannot_be_read_is_named(tmp_path: Path, text: str, name: str, message: str) -> None:
    with pytest.raises(InvalidRequest, match=message):
        load(written(tmp_path, text, name))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest, match="cannot be read"):
        load(tmp_path / "none.yaml")
