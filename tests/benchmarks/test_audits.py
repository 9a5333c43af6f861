"""The benchmark of audits that read what they need: every audit of its short form is measured."""

from __future__ import annotations

import json
from pathlib import Path

from benchmarks.audits import VERIFIERS, main


def test_the_short_form_measures_every_audit(tmp_path: Path) -> None:
    main(["--short", "--results", str(tmp_path)])
    found = json.loads((tmp_path / "audits.short.json").read_text())
    assert [one["audit"] for one in found["audits"]][:3] == [
        "labelled",
        "labelled, against a verifier",
        "consensus",
    ]
    assert found["audits"][-1]["audit"] == "labels of a draw"
    assert len(VERIFIERS) == 4
    assert [(one["verifier"], one["samples"]) for one in found["again"]] == [("exact", 400), ("math", 400)]
