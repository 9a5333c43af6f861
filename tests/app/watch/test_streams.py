"""What a watch finds in streams with a planted fault, and that it is silent on clean ones; the short form of
``benchmarks/watch.py``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.watch.analysis import look
from benchmarks.streams import CLEAN, SPOILT, START, Case
from benchmarks.watch import main, wilson_text
from trueward.wire.watch import Looking


@pytest.mark.parametrize("case", SPOILT, ids=lambda case: case.name)
def test_a_planted_fault_is_found_after_it_began(case: Case) -> None:
    report = look("r", case.make(0), Looking(), case.kind)
    found: dict[str, int | None] = {one.signal: one.first_step for one in report.findings}
    assert case.expected <= found.keys()
    assert all(START <= (found[name] or 0) <= START + 8 for name in case.expected)


def test_clean_streams_are_silent() -> None:
    found = [
        (case.name, seed, one.signal)
        for case in CLEAN
        for seed in (1, 2)  # the short form below has the first
        for one in look("r", case.make(seed), Looking(), case.kind).findings
    ]
    assert found == []


def test_the_short_form_counts_both_rates(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    document = json.loads((tmp_path / "watch.short.json").read_text())
    assert {one["name"] for one in document["cases"]} == {case.name for case in (*CLEAN, *SPOILT)}
    assert all(document["claims"].values())


def test_no_alarm_in_twenty_streams_says_little_of_a_rate() -> None:
    assert wilson_text(0, 20) == "0 of 20 (at most 16.1%)"
