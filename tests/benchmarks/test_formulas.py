"""The reproductions of formulas that were mended: what they compute now, and in another checkout."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.formulas import REPRODUCTIONS, computed, computed_by, main

ROOT = Path(__file__).parents[2]


def test_the_short_form_holds_its_claims(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["--short", "--results", str(tmp_path)])
    assert json.loads((tmp_path / "formulas.short.json").read_text())["now"].keys() == REPRODUCTIONS.keys()
    assert "13 Contrast" in capsys.readouterr().out


@pytest.mark.benchmark
def test_another_checkout_computes_by_its_own_code() -> None:
    """Here it is this one, in a process of its own: the numbers are the same."""
    assert computed_by(ROOT) == json.loads(json.dumps(computed()))


def test_the_changelog_has_what_was_measured() -> None:
    """Each reproduction's row, with the numbers of the kept results."""
    kept = json.loads((ROOT / "benchmarks/results/formulas.json").read_text())
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    for name in REPRODUCTIONS:
        row = next(line for line in changelog.splitlines() if line.strip().startswith(f"| {name} |"))
        assert row.strip() == f"| {name} | {told(kept['before'][name])} | {told(kept['now'][name])} |"


def told(value: object) -> str:
    if isinstance(value, list):
        return ", ".join(f"{one:.4g}" for one in value)
    return f"{value:.4g}" if isinstance(value, float) else str(value)
