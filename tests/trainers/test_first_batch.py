"""What a first batch says: one sentence that names the cause, for batches of trainers that are set up wrongly."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.live import Service
from trueward.cli import app
from trueward.trainers.first_batch import REFERENCES, Diagnosis, diagnosis
from trueward.trainers.pasting import every
from trueward.wire.reward import Reward
from trueward.wire.verdict import Outcome

MATH: dict[str, Any] = {"terms": {"math": {"verifier": "math", "params": {}}}}
BOXED: dict[str, Any] = {"terms": {"math": {"verifier": "math", "params": {"extract": "boxed"}}}}


def rewards(count: int, outcome: Outcome, code: str, reward: float | None = 0.0, reason: str = "") -> list[Reward]:
    return [Reward(reward=reward, outcome=outcome, components={}, reason_code=code, reason=reason)] * count


def right(count: int) -> list[Reward]:
    return rewards(count, Outcome.CORRECT, "equal_integer", 1.0)


def test_another_form_than_the_recipe_reads_is_named() -> None:
    batch = [*rewards(98, Outcome.INVALID, "no_answer"), *right(2)]
    said = diagnosis("openrlhf", BOXED, batch, ["<answer>4</answer>"] * 100)
    assert said == Diagnosis(False, "98% `no_answer`: your template wants <answer>, the recipe reads \\boxed")


def test_responses_without_any_form_are_told_from_those_with_another() -> None:
    said = diagnosis("trl", MATH, rewards(10, Outcome.INVALID, "no_answer"), ["I like trains"] * 10).sentence
    assert said.startswith("100% `no_answer`: the responses mark no answer, the recipe reads a box, an answer tag")


@pytest.mark.parametrize("trainer", REFERENCES)
def test_a_reference_that_does_not_arrive_names_where_the_trainer_takes_it(trainer: str) -> None:
    batch = [*rewards(30, Outcome.ABSTAINED, "no_reference", None), *right(70)]
    said = diagnosis(trainer, MATH, batch)
    assert said == Diagnosis(False, f"30% `no_reference`: no reference arrives; {REFERENCES[trainer]}")


def test_another_missing_reward_gives_its_own_reason() -> None:
    batch = rewards(8, Outcome.ABSTAINED, "reference_unparsable", None, "\\frac{1}{ is no mathematics")
    assert diagnosis("verl", MATH, batch).sentence == "100% `reference_unparsable`: \\frac{1}{ is no mathematics"


@pytest.mark.parametrize(("code", "said"), [("unclosed_thinking", "allow more new tokens"), ("empty", "are empty")])
def test_responses_with_nothing_to_judge_name_their_cause(code: str, said: str) -> None:
    assert said in diagnosis("verl", MATH, rewards(8, Outcome.INVALID, code)).sentence


def test_rewards_that_are_all_the_same_teach_nothing() -> None:
    said = diagnosis("verl", MATH, rewards(8, Outcome.INCORRECT, "unequal_rational"))
    assert said == Diagnosis(False, "all 8 rewards are 0: there is nothing to learn from")


def test_a_batch_that_is_right_is_told_in_figures() -> None:
    batch = [*right(6), *rewards(3, Outcome.INCORRECT, "unequal"), *rewards(1, Outcome.INVALID, "no_answer")]
    assert diagnosis("verl", MATH, batch) == Diagnosis(True, "60% correct, 10% invalid, 0% missing of 10")


def test_nothing_sent_is_said() -> None:
    assert not diagnosis("verl", MATH, []).ok


def test_every_trainer_with_a_reference_of_its_own_has_lines() -> None:
    assert REFERENCES.keys() <= {lines.name for lines in every()}


def doctor(*arguments: object) -> tuple[int, dict[str, dict[str, Any]]]:
    done = CliRunner().invoke(app, ["doctor", "--json", *map(str, arguments)])
    return done.exit_code, {finding["check"]: finding for finding in json.loads(done.stdout or "[]")}


def samples(file: Path, rows: list[tuple[str, str | None]]) -> Path:
    lines = [json.dumps({"prompt": "1+1?", "response": said, "reference": gold}) for said, gold in rows]
    file.write_text("\n".join(lines), encoding="utf-8")
    return file


def test_the_doctor_looks_at_a_trainer_s_first_batch(keyless: Service, tmp_path: Path) -> None:
    url = keyless.url
    file = samples(tmp_path / "wrong.jsonl", [("<answer>2</answer>", None)] * 8)
    code, found = doctor("--url", url, "--trainer", "trl", "--file", file)
    assert code == 1
    assert found["recipe"]["ok"]
    assert found["first batch"]["detail"].startswith(
        "100% `no_reference`: no reference arrives; give `reference_column`"
    )
    assert "1.16.0" in found["trainer"]["detail"]
    file = samples(tmp_path / "fine.jsonl", [("\\boxed{2}", "2"), ("\\boxed{3}", "2")])
    code, found = doctor("--url", url, "--trainer", "trl", "--file", file)
    assert (code, found["first batch"]["detail"]) == (0, "50% correct, 0% invalid, 0% missing of 2")


def test_the_doctor_looks_at_what_a_run_sent_first(keyless: Service) -> None:
    from trueward import Client

    with Client(keyless.url) as client:
        sent = [{"response": "I like trains", "reference": "2"}] * 4
        client.reward(sent, recipe="math", run="first-batch")
    code, found = doctor("--url", keyless.url, "--trainer", "openrlhf", "--run", "first-batch")
    assert code == 1
    assert found["first batch"]["detail"].startswith("100% `no_answer`: the responses mark no answer")


def test_the_doctor_names_a_recipe_that_is_not_there(keyless: Service) -> None:
    code, found = doctor("--url", keyless.url, "--trainer", "verl", "--recipe", "nothing")
    assert code == 1
    assert not found["recipe"]["ok"]
    assert "nothing" in found["recipe"]["detail"]


def test_the_doctor_needs_a_service_and_a_trainer_that_it_knows(keyless: Service) -> None:
    assert CliRunner().invoke(app, ["doctor", "--trainer", "verl"], env={"TRUEWARD_URL": ""}).exit_code == 2
    unknown = CliRunner().invoke(app, ["doctor", "--url", keyless.url, "--trainer", "nope"])
    assert "no lines for the trainer 'nope'" in str(unknown.exception)
