"""The audits of the verifiers: their short form runs, and the docs show what the last long run found."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from benchmarks.verifiers import PAGE, SHORT, main, markdown, stored, with_table


@pytest.mark.benchmark
@pytest.mark.usefixtures("lent")
def test_the_short_form_audits_each_verifier_both_ways(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    found = {row["verifier"]: row for row in json.loads((tmp_path / "verifiers.short.json").read_text())["rows"]}
    assert set(found) == set(SHORT)
    for row in found.values():
        assert row["why"] == ""
        for rate in ("rewrites_rejected", "mutations_accepted", "hostile_accepted"):
            assert row[rate]["items"] > 10


def test_the_page_shows_the_last_long_run() -> None:
    text = PAGE.read_text(encoding="utf-8")
    assert with_table(text, markdown(stored())) == text


def test_a_page_without_the_marks_is_not_written_over() -> None:
    with pytest.raises(ValueError, match="marks"):
        with_table("# Another page", "| a |\n")
