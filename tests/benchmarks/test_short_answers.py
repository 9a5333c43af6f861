"""Short honest answers and master keys: the short form tells what is turned away."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.short_answers import main


@pytest.mark.parametrize(("odd", "holds"), [("🏀", True), ("Solution", False)])
def test_an_answer_that_is_turned_away_is_counted(tmp_path: Path, odd: str, holds: bool) -> None:
    asked = [{"prompt": f"Which sport is number {n}?", "references": ["basketball game", odd]} for n in range(5)]
    (tmp_path / "qa_human.jsonl").write_text("\n".join(map(json.dumps, asked)), encoding="utf-8")
    (tmp_path / "math_references.jsonl").write_text(json.dumps({"prompt": None, "reference": "\\pi"}), encoding="utf-8")
    run = ["--data", str(tmp_path), "--short", "--results", str(tmp_path)]
    if holds:
        main(run)
    else:
        with pytest.raises(SystemExit):
            main(run)
    document = json.loads((tmp_path / "short_answers.short.json").read_text())
    assert document["drawn"]["together"]["count"] == (0 if holds else 5)
    assert document["keys_judged"] == 0
