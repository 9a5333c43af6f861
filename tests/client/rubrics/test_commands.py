"""``trueward rubric``: show, lint, import, correlate."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from trueward import cli
from trueward.client import Client
from trueward.client.call import Call
from trueward.rubrics import Rubric
from trueward.rubrics.correlation import CriteriaReport

Run = Callable[..., Result]
YAML = """
name: sea
criteria:
- {id: boat, text: Mentions a boat., weight: 3}
- {text: "Mentions [bold]the sea.", hidden: true}
"""


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("COLUMNS", "160")

    def invoke(*args: str, stdin: str | None = None) -> Result:
        return CliRunner().invoke(cli.app, ["rubric", *args], input=stdin)

    return invoke


def test_show_tells_shares_and_what_is_hidden(run: Run) -> None:
    shown = run("show", "-", stdin=YAML)
    assert shown.exit_code == 0
    assert "boat" in shown.stdout
    assert "75.0%" in shown.stdout
    assert "(hidden) Mentions [bold]the sea." in shown.stdout
    machine = json.loads(run("show", "-", "--json", stdin=YAML).stdout)
    assert machine.pop("hash") == Rubric.parse(YAML).hash
    assert Rubric.of(machine) == Rubric.parse(YAML)


def test_lint_ends_with_1_for_errors_alone(run: Run) -> None:
    fine = run("lint", "-", stdin=YAML)
    assert (fine.exit_code, fine.stdout) == (0, "nothing found\n")
    warned = run("lint", "-", stdin="- Is overly long.")
    assert (warned.exit_code, "fault_is_paid" in warned.stdout) == (0, True)
    wrong = run("lint", "-", "--json", stdin='["x", {"id": "c1", "text": "y"}]')
    assert wrong.exit_code == 1
    assert [one["code"] for one in json.loads(wrong.stdout)] == ["duplicate_id"]


@pytest.mark.parametrize("text", ["{", "a: [", '{"criteria": [{"text": "SECRET", "id": " "}]}'])
def test_what_is_no_rubric_is_wrong_usage_without_its_words(run: Run, text: str) -> None:
    shown = run("show", "-", stdin=text)
    assert shown.exit_code == 2
    assert "SECRET" not in shown.output


@pytest.mark.parametrize("lines", [True, False])
def test_import_writes_one_rubric_a_line(run: Run, tmp_path: Path, lines: bool) -> None:
    rows = [{"prompt_id": f"p{n}", "rubrics": [{"criterion": "x", "points": 5, "tags": []}]} for n in range(3)]
    text = "\n".join(map(json.dumps, rows)) if lines else json.dumps(rows)
    out = tmp_path / "rubrics.jsonl"
    assert run("import", "-", "--from", "healthbench", "--out", str(out), stdin=text).exit_code == 0
    found = [Rubric.parse(line) for line in out.read_text().splitlines()]
    assert [(one.name, one.weight_mode) for one in found] == [(f"p{n}", "signed_pos_norm_clip") for n in range(3)]


def test_import_names_the_row_that_is_wrong(run: Run) -> None:
    text = '{"rubrics": [{"description": "x"}]}\n{"rubrics": 7}'
    refused = run("import", "-", "--from", "open-instruct", stdin=text)
    assert refused.exit_code == 2
    assert "row 2" in refused.output
    assert "line 1" in run("import", "-", "--from", "open-instruct", stdin="no").output


def test_correlate_shows_pairs_and_flags(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    report = CriteriaReport.model_validate(
        {
            "verifier": "rubric", "run": "r", "rubric": "sha256:ab", "verdicts": 1200, "left_out": 5,
            "rubrics": [{"rubric": "sha256:ab", "verdicts": 1205}],
            "criteria": [{"id": "boat", "n": 1200, "mean": 1.0, "flag": "always_met"}],
            "pairs": [
                {"first": "boat", "second": "sea", "n": 1200, "correlation": 0.95, "flag": "alike"},
                {"first": "boat", "second": "sky", "n": 1200, "correlation": None},
            ],
            "next": "boat~sky",
        }
    )  # fmt: skip
    asked: list[str] = []

    def answer(client: Client, call: Call[CriteriaReport]) -> CriteriaReport:
        asked.append(call.path)
        return report

    monkeypatch.setattr(Client, "call", answer)
    shown = run("correlate", "--run", "r", "--after", "a~b", "--url", "http://127.0.0.1:1")
    assert asked == ["/v1/rubrics/correlation?run=r&verifier=rubric&after=a~b&limit=20&verdicts=100000"]
    assert "1,200 verdicts by sha256:ab (5 older ones left out)" in shown.stdout
    assert "always met" in shown.stdout
    assert "+0.950" in shown.stdout
    assert "more with --after boat~sky" in shown.stdout
