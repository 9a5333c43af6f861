"""What reaches a judge's model: the short form runs, and the docs show what the last long run found."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.fooled import KEYS, PAGE, Row, main, markdown
from benchmarks.report import RESULTS


def test_the_short_form_lets_none_of_the_listed_keys_through(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    document = json.loads((tmp_path / "fooled.short.json").read_text())
    assert all(document["claims"].values())
    found = {row["family"]: row for row in document["rows"]}
    assert found[KEYS]["tried"] == 20
    assert found["injection"]["accepted"] == found["injection"]["tried"]  # the model is fooled: nothing hides that


def test_the_page_shows_the_last_long_run() -> None:
    stored = json.loads((RESULTS / "fooled.json").read_text(encoding="utf-8"))
    assert markdown([Row(**row) for row in stored["rows"]]) in PAGE.read_text(encoding="utf-8")
