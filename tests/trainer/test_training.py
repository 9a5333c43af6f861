"""Whole trainings against a real service: end to end, stopped and gone on with, and with the service killed."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import httpx2
import pytest
from safetensors.torch import load_file

from tests.live import Service, serving
from tests.trainer.toys import QUIET, alike, config, save_prompts, state
from tests.trainer.trainings import Stopped, StopsAt, against, lines
from trueward import Client
from trueward.errors import Conflict, InvalidRequest, NotFound, UnknownRecipe
from trueward.wire.model import ModelEntry
from trueward_trainer.scoring import Scorer
from trueward_trainer.training import train


def test_steps_leave_weights_lines_and_records(service: Service, tmp_path: Path) -> None:
    held_out = save_prompts(tmp_path / "held_out.jsonl", 3)
    evaluation = {"prompts": {"file": str(held_out)}, "every": 2, "samples": 2, "k": 2}
    said = against(service, tmp_path, steps=2, evaluation=evaluation)
    before = train(said.model_copy(update={"out": tmp_path / "none", "steps": 1}), console=QUIET)
    after = train(said, console=QUIET)
    assert not alike(state(before.model), state(after.model))
    steps = lines(said.out / "metrics.jsonl")
    assert [line["step"] for line in steps] == [0, 0, 1, 2]
    assert {"eval/greedy", "eval/pass@1", "eval/pass@2"} <= steps[0].keys()
    assert all(line["missing"] == 0 for line in steps if "missing" in line)
    completions = lines(said.out / "completions.jsonl")
    assert [line["split"] for line in completions] == ["eval"] * 3 + ["train"] * 32 + ["eval"] * 3
    assert {"response", "reward", "outcome", "reason_code", "record", "advantage"} <= completions[3].keys()
    run = json.loads((said.out / "config.json").read_text())["service"]["run"]
    recorded = httpx2.get(f"{service.url}/v1/verdicts", params={"run": run, "limit": 1000}).json()["verdicts"]
    assert len(recorded) == 2 * 16 + 2 * (3 + 3 * 2)
    assert (said.out / "checkpoints/step-00000002/model.safetensors").exists()


def test_prompts_without_what_the_recipe_reads_are_refused(service: Service, tmp_path: Path) -> None:
    unanswerable = tmp_path / "unanswerable.jsonl"
    unanswerable.write_text('{"prompt": "1+1="}\n{"prompt": "2+1="}\n')
    said = config(tmp_path, service={"url": service.url, "recipe": "exact"}, prompts={"file": str(unanswerable)})
    with pytest.raises(InvalidRequest, match="the recipe 'exact' reads reference, and no prompt has it"):
        train(said, console=QUIET)


def test_a_first_step_without_a_reward_ends_the_training(service: Service, tmp_path: Path) -> None:
    """Every prompt has a reference, and it is none that the verifier can read."""
    unreadable = tmp_path / "unreadable.jsonl"
    unreadable.write_text('{"prompt": "1+1=", "reference": "an apple"}\n{"prompt": "2+1=", "reference": "a pear"}\n')
    said = config(tmp_path, service={"url": service.url, "recipe": "numeric"}, prompts={"file": str(unreadable)})
    with pytest.raises(InvalidRequest, match="the first step's responses get no reward"):
        train(said, console=QUIET)


def test_a_training_that_was_stopped_goes_on_bit_for_bit(service: Service, tmp_path: Path) -> None:
    whole = against(service, tmp_path, steps=6, out=str(tmp_path / "whole"))
    straight = train(whole, console=QUIET)
    parts = whole.model_copy(update={"out": tmp_path / "parts"})
    with pytest.raises(Stopped):
        train(parts, console=StopsAt(4))
    gone_on = train(parts, resume=True, console=QUIET)
    assert alike(state(straight.model), state(gone_on.model))
    assert [line["step"] for line in lines(parts.out / "metrics.jsonl")] == list(range(6))
    said = [[line["response"] for line in lines(one.out / "completions.jsonl")] for one in (whole, parts)]
    assert said[0] == said[1]
    assert sorted(path.name for path in (parts.out / "checkpoints").iterdir()) == ["step-00000003", "step-00000006"]


def test_a_service_that_is_killed_in_mid_step_costs_time_only(
    service: Service, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    undisturbed = train(against(service, tmp_path, out=str(tmp_path / "undisturbed")), console=QUIET)
    again: list[subprocess.Popen[bytes]] = []
    ask = Scorer.ask
    (tmp_path / "second").mkdir()
    with serving(tmp_path / "second", workers="1", sandbox="off") as second:

        def killed_at_step_1(scorer: Scorer, *given: object) -> object:
            if given[3] == 1 and not again:
                second.process.kill()
                second.process.wait()
                variables = {"TRUEWARD_WORKERS": "1", "TRUEWARD_SANDBOX": "off"}
                with second.log.open("ab") as log:
                    process = subprocess.Popen(
                        second.process.args, env={**os.environ, **variables}, stdout=log, stderr=log
                    )
                again.append(process)
            return ask(scorer, *given)  # type: ignore[arg-type]

        monkeypatch.setattr(Scorer, "ask", killed_at_step_1)
        said = against(second, tmp_path, out=str(tmp_path / "disturbed"))
        try:
            disturbed = train(said, console=QUIET)
        finally:
            for process in again:
                process.terminate()
                process.wait(timeout=30)
    assert again
    assert alike(state(undisturbed.model), state(disturbed.model))
    steps = lines(said.out / "metrics.jsonl")
    assert [(line["step"], line["missing"]) for line in steps] == [(0, 0.0), (1, 0.0), (2, 0.0)]


def test_the_control_learns_something_else_and_reports_the_real_rewards(service: Service, tmp_path: Path) -> None:
    real = train(against(service, tmp_path, steps=1, out=str(tmp_path / "real")), console=QUIET)
    said = against(service, tmp_path, steps=1, out=str(tmp_path / "coin"), control="random")
    coin = train(said, console=QUIET)
    assert not alike(state(real.model), state(coin.model))
    shown = [[line["reward"] for line in lines(tmp_path / name / "completions.jsonl")] for name in ("real", "coin")]
    assert shown[0] == shown[1]


@pytest.mark.parametrize("upload", [False, True])
def test_the_policys_weights_become_those_of_the_services_model(service: Service, tmp_path: Path, upload: bool) -> None:
    """Before each step; the last time it is what the first step made, which is not what the training began with."""
    name = f"policy-{upload}"
    said = against(service, tmp_path, steps=2, push_weights={"model": name, "upload": upload})
    with Client(service.url) as client:
        client.add_model(ModelEntry(name=name, kind="causal", path=said.model))
        train(said, console=QUIET)
        assert client.model(name).weights == 2
    began, pushed = (load_file(folder / "model.safetensors") for folder in (Path(said.model), said.out / "pushed"))
    assert not alike(began, pushed)


def test_a_folder_with_a_training_is_not_overwritten(service: Service, tmp_path: Path) -> None:
    said = against(service, tmp_path, steps=1)
    with pytest.raises(NotFound, match="start it without --resume"):
        train(said, resume=True, console=QUIET)
    train(said, console=QUIET)
    with pytest.raises(Conflict, match="go on with it"):
        train(said, console=QUIET)


def test_a_recipe_that_there_is_not_ends_the_training(service: Service, tmp_path: Path) -> None:
    said = config(tmp_path, service={"url": service.url, "recipe": "nope"})
    with pytest.raises(UnknownRecipe):
        train(said, console=QUIET)
