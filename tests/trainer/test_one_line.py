"""What a training cannot do is one line of the command, with what to change; never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.live import Service
from tests.trainer.trainings import RECIPE, against
from trueward.cli import main


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ("model=./nowhere", "the tokenizer ./nowhere cannot be loaded: "),
        ("tokenizer=./nowhere", "the tokenizer ./nowhere cannot be loaded: "),
        ("device=cuda:99", "device: cuda:99 is not here: "),
        ("device=abacus", "device: abacus is not here: "),
        (
            "update.advantages=forward",
            "the advantages forward are the weights of a forward correction, and the recipe ",
        ),
        ("update.advantages=pure", "the advantages pure learn from rewards of steps, and the recipe gives none: "),
        ("update.advantages=gold", "update.advantages: "),
        ("update.place=last", "place is read by the advantages reinforce_pp alone, not by grpo"),
        ("out=/proc/nowhere", "out: /proc/nowhere cannot be written: "),
        ("prompts.file=./nowhere.jsonl", "nowhere.jsonl"),
        ("service.recipe=nope", "there is no recipe 'nope'"),
        ("service.url=http://127.0.0.1:9", "http://127.0.0.1:9"),
    ],
)
def test_a_training_that_cannot_be_is_told_in_one_line(
    service: Service, tmp_path: Path, capsys: pytest.CaptureFixture[str], change: str, line: str
) -> None:
    said = against(service, tmp_path, RECIPE)
    written = tmp_path / "training.json"
    written.write_text(said.model_dump_json())
    changed = json.loads(written.read_text())
    changed["service"]["deadline_s"] = 1
    written.write_text(json.dumps(changed))
    with pytest.raises(SystemExit) as left:
        main(["train", str(written), "--set", change])
    assert left.value.code == 4
    told = [one for one in capsys.readouterr().err.splitlines() if one.startswith("trueward: ")]
    assert len(told) == 1
    assert line in told[0]
    assert "Traceback" not in told[0]
