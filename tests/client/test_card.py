"""An audit as a card of a data set: what it found, and nothing that a policy wrote as anything but text."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.http.openapi import EXAMPLES
from trueward.card import audit_card
from trueward.errors import Conflict
from trueward.wire.audit import Audit, Table

ENVIRONMENT = Path(__file__).parents[2] / ".venv-trl/bin/python"


def audit(**report: Any) -> Audit:
    """The one that the OpenAPI document shows, with changes of its report."""
    answer = json.loads(EXAMPLES.read_text(encoding="utf-8"))["show_audit"]["answer"]
    found = Audit.model_validate(answer)
    assert found.report is not None
    return found.model_copy(update={"report": found.report.model_copy(update=report)})


def test_a_card_has_metadata_rates_and_what_was_asked_for() -> None:
    card = audit_card(audit())
    _, metadata, body = card.split("---\n", 2)
    assert yaml.safe_load(metadata) == {
        "pretty_name": "Audit of math",
        "tags": ["trueward", "verifier-audit", "audit-labelled"],
    }
    assert body.startswith("\n# Audit of math\n")
    assert "## Error rates" in body
    assert "| false negatives | 0% | 0% to 56.1% | 0 of 3 | wilson |  |" in body
    [spec] = re.findall(r"```json\n(.*?)\n```", body, re.DOTALL)
    assert json.loads(spec)["subject"] == {"verifier": "math"}


def test_what_somebody_wrote_stays_text() -> None:
    hostile = "<script>x</script> ![a](http://x) | `b`\n# c"
    card = audit_card(audit(notes=[hostile]))
    [line] = [line for line in card.splitlines() if line.startswith("- Note:")]
    assert line == ("- Note: &lt;script&gt;x&lt;/script&gt; \\!\\[a\\]\\(http://x\\) \\| \\`b\\` \\# c")


def test_tables_of_responses_are_left_out() -> None:
    numbers = Table(title="By source", columns=["source", "rate"], rows=[["gsm8k", 0.25]], shares=["rate"])
    examples = Table(title="Examples", columns=["record", "response"], rows=[["r", "short"]])
    long = Table(title="Others", columns=["said"], rows=[["x" * 61]])
    card = audit_card(audit(tables=[numbers, examples, long]))
    assert "## By source\n\n| source | rate |\n|---|---|\n| gsm8k | 25% |" in card
    assert "Examples" not in card
    assert "Others" not in card


def test_an_audit_without_a_report_has_no_card() -> None:
    with pytest.raises(Conflict, match="is running"):
        audit_card(audit().model_copy(update={"state": "running", "report": None}))


@pytest.mark.trainer
def test_the_hub_s_own_library_reads_the_card() -> None:
    read = "DatasetCard(sys.stdin.read()).data.to_dict()"
    script = f"import json, sys; from huggingface_hub import DatasetCard; print(json.dumps({read}))"
    done = subprocess.run(
        [str(ENVIRONMENT), "-c", script],
        input=audit_card(audit()),
        env={**os.environ, "PYTHONPATH": ""},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["pretty_name"] == "Audit of math"
