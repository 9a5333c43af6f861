"""`trueward train --example`: files that a reader can train with and change."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from trueward import cli
from trueward.errors import Conflict, InvalidRequest
from trueward_trainer.config import load
from trueward_trainer.example import HELD_OUT, write_example
from trueward_trainer.prompts import read_prompts


def test_the_example_is_a_configuration_that_loads_with_its_prompts(tmp_path: Path) -> None:
    said = load(write_example(tmp_path / "sums", 'a: model\'s "name"', "http://127.0.0.1:8421"))
    assert (said.model, said.service.url, said.service.recipe) == (
        'a: model\'s "name"',
        "http://127.0.0.1:8421",
        "math",
    )
    assert said.evaluation is not None
    taught, held_out = read_prompts(said.prompts), read_prompts(said.evaluation.prompts)
    assert (len(taught), len(held_out)) == (90 * 9 - HELD_OUT, HELD_OUT)
    assert not {one.prompt_text for one in taught} & {one.prompt_text for one in held_out}


def test_every_reference_is_the_sum_that_its_prompt_asks_for(tmp_path: Path) -> None:
    config = write_example(tmp_path, "model", "http://127.0.0.1:8421")
    lines = (config.parent / "train.jsonl").read_text(encoding="utf-8").split("\n")[:-1]
    for line in map(json.loads, lines):
        first, plus, second, equals = line["prompt"].splitlines()[-1].split()
        assert (plus, equals) == ("+", "=")
        assert int(line["reference"]) == int(first) + int(second)


def test_files_that_are_there_stay_as_they_are(tmp_path: Path) -> None:
    (tmp_path / "train.jsonl").write_text("mine")
    with pytest.raises(Conflict, match=r"train\.jsonl is there already"):
        write_example(tmp_path, "model", "http://127.0.0.1:8421")
    assert [one.name for one in tmp_path.iterdir()] == ["train.jsonl"]


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InvalidRequest, match="cannot be written"):
        write_example(tmp_path / "file" / "sums", "model", "http://127.0.0.1:8421")


def test_the_command_writes_the_example_and_says_how_to_train_it(tmp_path: Path) -> None:
    said = CliRunner().invoke(cli.app, ["train", "--example", str(tmp_path / "sums"), "--model", "mine"])
    assert said.exit_code == 0, said.output
    assert said.stdout == f"trueward train {tmp_path / 'sums' / 'sums.yaml'}\n"
    assert load(tmp_path / "sums" / "sums.yaml").model == "mine"


@pytest.mark.parametrize("arguments", [[], ["other.yaml", "--example", "x"], ["--example", "x", "--resume"]])
def test_what_is_neither_a_training_nor_an_example_is_refused(arguments: list[str]) -> None:
    assert CliRunner().invoke(cli.app, ["train", *arguments]).exit_code == 2
