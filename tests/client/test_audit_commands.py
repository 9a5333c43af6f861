"""``trueward audit``: one line for the common cases, text of strangers tamed, exit codes that a pipeline can use."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.audits.made import audit, estimate, report
from tests.client.fake_audits import FakeAudits
from trueward import cli
from trueward.errors import NotFound, NotInstalled
from trueward.wire.audit import AuditReport, Table
from trueward.wire.label_plan import LabelPlan, LabelQuestion

Run = Callable[..., Result]
HOSTILE = "[bold]x[/nope]\x1b[31m\u202e"
SAFE = "[bold]x[/nope]\ufffd[31m\ufffd"


@pytest.fixture
def service() -> FakeAudits:
    return FakeAudits()


@pytest.fixture
def run(url: str, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.setenv("TRUEWARD_URL", url)
    monkeypatch.setenv("COLUMNS", "60")
    return lambda *args, stdin=None: CliRunner().invoke(cli.app, ["audit", *args], input=stdin)


def asked(service: FakeAudits) -> dict[str, Any]:
    """What the last audit was asked for, defaults left out."""
    spec = list(service.audits.values())[-1].spec
    return {"kind": spec.kind, **spec.model_dump(mode="json", exclude_defaults=True)}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        (
            "run labelled --verifier math --run r1",
            {"kind": "labelled", "subject": {"verifier": "math"}, "population": {"run": "r1"}},
        ),
        (
            "run labelled --verifier math@2 --param a=1 --threshold 0.5 --against exact --by form --rates-by rule"
            " --label-source human --label-source oracle --draw d1 --split eval --policy v1 --data-source s"
            " --level 0.9 --lasting",
            {
                "kind": "labelled",
                "subject": {"verifier": "math", "version": "2", "params": {"a": 1}, "threshold": 0.5},
                "population": {"split": "eval", "policy": "v1", "data_source": "s"},
                "labels": {"sources": ["human", "oracle"], "draw": "d1"},
                "against": {"verifier": "exact"},
                "by": ["form"],
                "rates_by": ["rule"],
                "lasting": True,
                "level": 0.9,
            },
        ),
        (
            "run consensus --verifier a --verifier b@1 --verifier c --run r1 --smoothing 0",
            {
                "kind": "consensus",
                "subjects": [{"verifier": "a"}, {"verifier": "b", "version": "1"}, {"verifier": "c"}],
                "population": {"run": "r1"},
                "smoothing": 0.0,
            },
        ),
        (
            "run metamorphic --recipe math --run r1 --limit 50 --transformation digit --seed 3",
            {
                "kind": "metamorphic",
                "subject": {"recipe": "math"},
                "given": {"population": {"run": "r1"}, "limit": 50, "seed": 3},
                "transformations": ["digit"],
            },
        ),
        (
            "run exploit --verifier math --samples - --probe empty --probe boxes",
            {
                "kind": "exploit",
                "subject": {"verifier": "math"},
                "given": {"samples": [{"prompt": "p", "reference": "5"}]},
                "probes": ["empty", "boxes"],
            },
        ),
        (
            "bench - --format pairs --verifier judge",
            {
                "kind": "bench",
                "subject": {"verifier": "judge"},
                "format": "pairs",
                "rows": [{"prompt": "p", "reference": "5"}],
            },
        ),
        (
            "reverify --before math@1 --verifier math --run r1 --limit 10",
            {
                "kind": "reverify",
                "subject": {"verifier": "math"},
                "before": {"verifier": "math", "version": "1"},
                "population": {"run": "r1"},
                "limit": 10,
            },
        ),
        (
            "reverify --before dapo@1 --recipe dapo",
            {"kind": "reverify", "subject": {"recipe": "dapo"}, "before": {"recipe": "dapo@1"}},
        ),
    ],
    ids=lambda value: " ".join(value.split()[:3]) if isinstance(value, str) else "",
)
def test_one_line_is_an_audit(run: Run, service: FakeAudits, line: str, expected: dict[str, Any]) -> None:
    done = run(*line.split(), "--name", "nightly", stdin='{"prompt": "p", "reference": "5"}\n')
    assert done.exit_code == 0, done.output
    found = asked(service)
    assert found == expected
    assert service.audits["audit1"].name == "nightly"


@pytest.mark.parametrize(
    "text", ["kind: labelled\nsubject:\n  verifier: math\n", '{"kind": "labelled", "subject": {"verifier": "math"}}']
)
def test_any_audit_from_a_specification(run: Run, service: FakeAudits, text: str, tmp_path: Path) -> None:
    file = tmp_path / "audit.yaml"
    file.write_text(text)
    assert run("run", "--spec", str(file)).exit_code == 0
    assert run("run", "--spec", "-", stdin=text).exit_code == 0
    assert asked(service) == {"kind": "labelled", "subject": {"verifier": "math"}}


def test_yaml_without_its_library_says_what_to_install(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    done = run("run", "--spec", "-", stdin="kind: labelled")
    assert isinstance(done.exception, NotInstalled)
    assert "pip install 'trueward[yaml]'" in done.exception.detail
    assert run("run", "--spec", "-", stdin='{"kind": "labelled", "subject": {"verifier": "math"}}').exit_code == 0


def test_what_was_found_is_printed(run: Run) -> None:
    done = run("run", "labelled", "--verifier", "math")
    assert "audit audit1" in done.stderr
    for expected in (
        "audit audit1  labelled  completed",
        "note: 98 records had no verdict.",
        "judged by: math 1, 2",
        "labels: 1,200 human, 276 oracle",
        " false positives   1.23%   0.51% to 2.61%   12 of 976         cluster bootstrap   122 groups ",
        " false negatives   -       -                0 of 0            clopper pearson     none ",
        "Slices, worst first",
        " source=gsm8k   2.1%              412     0.003 ",
        " source=aime    -                 0       - ",
        "Holm over 14 slices",
    ):
        assert expected in done.stdout
    assert done.stdout.index("98 records") < done.stdout.index("false positives")


def test_text_of_strangers_is_neither_markup_nor_an_order_to_the_terminal(run: Run, service: FakeAudits) -> None:
    rates = [estimate("wilson", 1, 10, (0.0, 0.4), HOSTILE)]
    table = Table(title=HOSTILE, columns=[HOSTILE], rows=[[HOSTILE], [HOSTILE * 99]], note=HOSTILE)
    service.report = AuditReport(
        findings={},
        false_positives=rates,
        origins={HOSTILE: 1},
        versions={HOSTILE: [HOSTILE]},
        tables=[table],
        notes=[HOSTILE],
    )
    for done in (run("run", "labelled", "--verifier", "math", "--name", HOSTILE), run("show", "audit1")):
        assert done.exit_code == 0
        assert "\x1b" not in done.stdout
        assert "\u202e" not in done.stdout
        assert done.stdout.count(SAFE) >= 9


def test_a_long_response_keeps_its_end_where_the_answer_stands(run: Run, service: FakeAudits) -> None:
    said = "I worked through this step by step and the answer is \\boxed{28 800}."
    table = Table(title="Errors", columns=["response", "reason"], rows=[[said, "a reason " * 9]] * 21)
    service.report = AuditReport(findings={}, tables=[table])
    shown = run("run", "labelled", "--verifier", "math").stdout
    assert "I worked thr..." in shown
    assert " is \\boxed{28 800}." in shown
    assert "a reason a reason a reason a reason a..." in shown
    assert "1 rows more: --json, or `trueward audit report`, has them all" in shown


def test_a_file_of_labelled_responses_is_a_file_of_samples(run: Run, service: FakeAudits, tmp_path: Path) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"prompt": "1 + 1?", "response": "2", "reference": "2", "right": true, "\\u001b[2J": 1}\n')
    for kind in ("exploit", "metamorphic"):
        done = run("run", kind, "--verifier", "math", "--samples", str(rows))
        assert done.exit_code == 0, done.output
        assert "note: fields that are none of a sample's are not read: right" in done.stderr
        assert "\x1b" not in done.stderr
        assert asked(service)["given"]["samples"] == [{"prompt": "1 + 1?", "response": "2", "reference": "2"}]


def test_for_machines_the_audit_as_json(run: Run) -> None:
    done = run("run", "labelled", "--verifier", "math", "--json")
    assert AuditReport.model_validate(json.loads(done.stdout)["report"]) == report()


def test_one_need_not_wait(run: Run, service: FakeAudits) -> None:
    done = run("run", "labelled", "--verifier", "math", "--no-wait")
    assert (done.stdout, done.exit_code, service.looks) == ("audit1\n", 0, 0)


def test_a_failed_audit_ends_with_4_and_says_why(run: Run, service: FakeAudits) -> None:
    service.failure = "there are no labels\x1b: upload some"
    done = run("run", "labelled", "--verifier", "math")
    assert done.exit_code == 4
    assert "there are no labels\ufffd: upload some" in done.stdout
    assert run("show", "audit1").exit_code == 4


def test_a_running_audit_is_shown_as_far_as_it_is(run: Run) -> None:
    run("run", "labelled", "--verifier", "math", "--no-wait")
    done = run("show", "audit1")
    assert (done.exit_code, "3 of 9" in done.stdout) == (0, True)


def test_one_is_cancelled_and_that_is_a_failure(run: Run) -> None:
    audit = run("run", "labelled", "--verifier", "math", "--no-wait").stdout.strip()
    found = run("cancel", audit)
    assert (found.exit_code, "cancelled" in found.output) == (4, True)
    assert run("cancel", "nope").exit_code not in (0, 4)


def test_a_list_has_whole_ids_in_a_narrow_terminal(run: Run) -> None:
    assert "01JABC   labelled   math@1   running   10 of 10   2026-11-21 18:30   math, step 4000" in run("list").stdout
    assert json.loads(run("list", "--json").stdout)["next"] == "01JA"


def test_reports_are_saved_by_the_name_of_the_file(run: Run, tmp_path: Path) -> None:
    run("run", "labelled", "--verifier", "math")
    page, data = tmp_path / "report.html", tmp_path / "report.json"
    assert run("report", "audit1", "--out", str(page)).exit_code == 0
    assert run("report", "audit1", "--out", str(data)).exit_code == 0
    assert page.read_text(encoding="utf-8") == "<!DOCTYPE html>\u00e9"
    assert json.loads(data.read_text())["report"]["origins"] == {"human": 1200, "oracle": 276}
    assert run("report", "audit1", "--format", "json").stdout == data.read_text() + "\n"
    assert run("report", "audit1", "--out", str(tmp_path)).exit_code == 2
    assert isinstance(run("report", "nope").exception, NotFound)


@pytest.mark.parametrize(
    ("limits", "code", "word"),
    [
        (["--max-fpr", "0.05"], 0, "passed"),
        (["--max-fpr", "0.02"], 1, "FAILED"),
        (["--max-fpr", "0.02", "--bound", "rate"], 0, "passed"),
        (["--max-fnr", "0.5"], 3, "unknown"),
        (["--max-fpr", "0.05", "--max-fnr", "0.5"], 3, "unknown"),
        (["--max-fpr", "0.02", "--max-fnr", "0.5"], 1, "unknown"),
    ],
)
def test_the_gates_exit_code(
    run: Run, service: FakeAudits, tmp_path: Path, limits: list[str], code: int, word: str
) -> None:
    """By an id, by a saved audit, and by a saved report alone."""
    service.report = report().model_copy(update={"false_negatives": []})
    run("run", "labelled", "--verifier", "math")
    saved, alone = tmp_path / "audit.json", tmp_path / "report.json"
    run("report", "audit1", "--out", str(saved))
    alone.write_text(service.report.model_dump_json())
    for what in ("audit1", str(saved), str(alone)):
        done = run("check", what, *limits)
        assert done.exit_code == code, done.output
        assert word in done.stdout
        machine = run("check", what, *limits, "--json")
        assert (machine.exit_code, json.loads(machine.stdout)["passed"]) == (code, code == 0)


def test_an_audit_that_was_saved_too_early_is_no_report(run: Run) -> None:
    done = run("check", "-", "--max-fpr", "0.1", stdin=audit().model_dump_json())
    assert "01JABC is running" in str(done.exception)


def test_labels_are_planned_through_the_service_and_here(
    run: Run, service: FakeAudits, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = run("plan", "--max-fpr", "0.02", "--expected-fpr", "0.005")
    assert done.stdout == "509 truly wrong responses\n1,018 responses to label, drawn at random\nnote: half\n"
    assert service.questions == [LabelQuestion(max_fpr=0.02, expected_fpr=0.005)]

    class Here:
        def plan_labels(self, question: LabelQuestion) -> LabelPlan:
            return LabelPlan(right=3, responses=7)

    monkeypatch.delenv("TRUEWARD_URL")
    monkeypatch.setattr("trueward.commands.audit.labels.load_server", Here)
    assert json.loads(run("plan", "--width", "0.1", "--json").stdout)["responses"] == 7


@pytest.mark.parametrize(
    "line",
    [
        "run",
        "run --spec /no/such/file",
        "run --spec - labelled --verifier math",
        "run labelled",
        "run labelled --verifier math --recipe math",
        "run labelled --recipe math --param a=1",
        "run labelled --verifier math --param a",
        "run labelled --verifier math --level 1.5",
        "run consensus --verifier math",
        "run exploit --verifier math --samples - --run r1",
        "bench - --format nonsense --verifier math",
        "bench - --format pairs --verifier math",
        "reverify --verifier math",
        "plan --max-fpr 2",
        "plan --max-fpr 0.1 --run r1",
        "plan --verifier math",
        "plan --verifier math --max-fpr 0.1 --width 0.1",
        "plan --verifier math --max-fpr 0.1 --share-wrong 0.4",
        "plan --verifier math --max-fpr 0.1 --power 0.9",
        "check audit1",
        "check audit1 --max-fpr 2",
        "check - --max-fpr 0.1",
        "show",
    ],
)
def test_wrong_usage_is_2_and_starts_nothing(run: Run, service: FakeAudits, line: str) -> None:
    assert run(*line.split(), stdin="").exit_code == 2
    assert service.received == []


@pytest.mark.parametrize(
    "spec", ["kind: nothing", "- 1", "a: [", "5", "kind: labelled", "!!python/object:os.system {}"]
)
def test_a_specification_that_is_none_is_wrong_usage(run: Run, service: FakeAudits, spec: str) -> None:
    assert run("run", "--spec", "-", stdin=spec).exit_code == 2
    assert service.received == []
