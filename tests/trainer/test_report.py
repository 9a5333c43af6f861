"""Files of a training: a line a step, once, also where it was stopped in the middle of a line."""

from __future__ import annotations

import io
import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from tests.client.sinks.kept import Kept
from tests.trainer.toys import QUIET, config, experience
from trueward.errors import NotInstalled
from trueward_trainer.report import Report


def test_what_comes_after_the_step_that_is_gone_on_from_is_taken_out(tmp_path: Path) -> None:
    said = config(tmp_path)
    said.out.mkdir()
    with Report(said, 0, QUIET) as report:
        for step in range(4):
            report.metrics(step, {"loss": float(step)})
    path = said.out / "metrics.jsonl"
    path.write_text(path.read_text() + '{"step": 4, "lo')
    with Report(said, 2, QUIET) as report:
        report.metrics(2, {"loss": 7.0})
    assert [json.loads(line) for line in path.read_text().splitlines()] == [
        {"step": 0, "loss": 0.0},
        {"step": 1, "loss": 1.0},
        {"step": 2, "loss": 7.0},
    ]


@pytest.mark.parametrize("end", ["\u2028", "\u2029", "\x85", "\r", "\x0b", "\x1c"])
def test_ends_of_lines_within_a_response_hinder_no_going_on(tmp_path: Path, end: str) -> None:
    said = config(tmp_path)
    said.out.mkdir()
    seen = experience([[1.0]])
    prompts = [one.model_copy(update={"prompt": f"two{end}lines"}) for one in seen.prompts]
    with Report(said, 0, QUIET) as report:
        report.completions(0, "train", prompts, seen.responses, seen.rewards)
    path = said.out / "completions.jsonl"
    before = path.read_bytes()
    with Report(said, 1, QUIET):
        assert path.read_bytes() == before


def test_completions_say_what_was_judged_and_why(tmp_path: Path) -> None:
    said = config(tmp_path)
    said.out.mkdir()
    seen = experience([[1.0, None]])
    with Report(said, 0, QUIET) as report:
        report.completions(5, "train", seen.prompts, seen.responses, seen.rewards, [0.5, 0.0])
    first, second = (json.loads(line) for line in (said.out / "completions.jsonl").read_text().splitlines())
    assert (first["step"], first["prompt"], first["reward"], first["outcome"]) == (5, "0", 1.0, "correct")
    assert (second["reward"], second["outcome"], second["advantage"]) == (None, "error", 0.0)
    assert not first["hinted"]


def test_responses_after_a_hint_are_marked(tmp_path: Path) -> None:
    said = config(tmp_path)
    said.out.mkdir()
    seen = experience([[1.0, 0.0]])
    responses = [replace(seen.responses[0], hinted_ids=[4, 5, 13]), seen.responses[1]]
    with Report(said, 0, QUIET) as report:
        report.completions(5, "train", seen.prompts, responses, seen.rewards)
    told = [json.loads(line) for line in (said.out / "completions.jsonl").read_text().splitlines()]
    assert [(line["hinted"], line["prompt"]) for line in told] == [(True, "0"), (False, "0")]


def test_the_line_of_a_step_has_no_markup(tmp_path: Path) -> None:
    said = config(tmp_path)
    said.out.mkdir()
    shown = io.StringIO()
    with Report(said, 0, Console(file=shown, width=200)) as report:
        report.metrics(1, {"reward": 0.25, "missing": 0.0, "other": 3.0})
    assert shown.getvalue() == "step 1/3  reward 0.250  missing 0.000\n"


def test_a_sink_whose_package_lacks_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "wandb", None)
    said = config(tmp_path, sinks=["wandb:p"])
    said.out.mkdir()
    with pytest.raises(NotInstalled, match=r"pip install 'trueward\[wandb\]'"):
        Report(said, 0, QUIET)


def test_sinks_get_metrics_and_a_few_responses(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sink = Kept()
    opened: list[tuple[str, str]] = []

    def open_kept(spec: str, run: str, folder: Path, told: object) -> Kept:
        opened.append((spec, run))
        return sink

    monkeypatch.setattr("trueward_trainer.report.open_sink", open_kept)
    said = config(tmp_path, sinks=["kept:x"])
    said.out.mkdir()
    seen = experience([[1.0, None, 0.0, 1.0, 0.0, 1.0]])
    with Report(said, 0, QUIET) as report:
        report.metrics(5, {"eval/pass@1": 0.5})
        report.completions(5, "train", seen.prompts, seen.responses, seen.rewards)
    assert [spec for spec, _ in opened] == ["kept:x"]
    assert sink.numbers == [(5, {"eval/pass_1": 0.5}), (-1, {})]
    ((step, rows),) = sink.rows
    assert (step, [row.reward for row in rows]) == (5, [1.0, None, 0.0, 1.0])
