"""The command: verdicts for people and for machines, pipes, exit codes, jobs, and what is missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.client.command import Run, samples
from tests.client.fake_service import FakeService, Fault
from trueward import cli
from trueward.authoring.verifier import defect
from trueward.commands import doctor, server
from trueward.commands.report import summary
from trueward.errors import FieldProblem, InvalidRequest, Overloaded, TruewardError
from trueward.wire.sample import Sample
from trueward.wire.scoring import RewardsRequest, RewardsResponse, VerifyRequest, VerifyResponse
from trueward.wire.verdict import Outcome, Verdict
from trueward.wire.verifier import Catalogue

COMMAND = Path(sys.executable).with_name("trueward")


@pytest.mark.parametrize(
    ("response", "reference", "outcome", "code"),
    [("a", ["a"], "correct", 0), ("a", ["b"], "incorrect", 1), ("a", [], "abstained", 3)],
)
def test_one_response(run: Run, url: str, response: str, reference: list[str], outcome: str, code: int) -> None:
    options = [part for text in reference for part in ("--reference", text)]
    shown = run("verify", "--verifier", "exact", "--response", response, *options, "--url", url)
    assert shown.exit_code == code
    assert shown.stdout.startswith(outcome)
    machine = run("verify", "--verifier", "exact", "--response", response, *options, "--url", url, "--json")
    assert json.loads(machine.stdout)["outcome"] == outcome
    assert machine.exit_code == code


def test_why_is_shown_and_markup_of_strangers_is_not_obeyed(run: Run, url: str) -> None:
    text = "[bold]x[/nope]\x1b[31m"
    shown = run("verify", "--verifier", "exact", "--response", text, "--reference", text, "--url", url)
    assert "why        equal: equal" in shown.stdout
    assert "[bold]x[/nope]\ufffd[31m" in shown.stdout
    assert "exact 1" in shown.stdout


def test_several_references_parameters_and_the_prompt_are_sent(run: Run, url: str, service: FakeService) -> None:
    run(
        "verify", "--verifier", "exact", "--response", "a", "--reference", "b", "--reference", "c",
        "--prompt", "p", "--param", "x=1", "--param", "y=[true]", "--param", "z=text", "--url", url,
    )  # fmt: skip
    body = service.received[0].body
    assert body["params"] == {"x": 1, "y": [True], "z": "text"}
    assert body["samples"] == [{"id": "0", "prompt": "p", "response": "a", "reference": ["b", "c"]}]


def test_a_recipe_gives_a_reward(run: Run, url: str) -> None:
    shown = run("verify", "--recipe", "math", "--response", "a", "--reference", "a", "--url", url)
    assert shown.exit_code == 0
    assert "reward 1" in shown.stdout
    assert "component exact" in shown.stdout


def test_a_file_becomes_a_file(run: Run, url: str, tmp_path: Path) -> None:
    rows = [{"id": f"s{index}", "response": "a", "reference": "ab"[index % 2]} for index in range(600)]
    out = tmp_path / "out.jsonl"
    done = run(
        "verify", "--verifier", "exact", "--file", samples(tmp_path / "in.jsonl", rows), "--out", str(out), "--url", url
    )
    verdicts = [json.loads(line) for line in out.read_text().splitlines()]
    assert [verdict["id"] for verdict in verdicts] == [row["id"] for row in rows]
    assert [verdict["score"] for verdict in verdicts] == [1.0, 0.0] * 300
    assert done.stdout == ""
    assert "600 samples: 300 correct, 300 incorrect" in done.stderr
    assert done.exit_code == 1


def test_what_was_not_judged_by_its_content_has_its_reason() -> None:
    def many(outcome: Outcome, code: str, count: int) -> list[Verdict]:
        score = None if outcome.missing else 0.0
        one = Verdict(outcome=outcome, score=score, reason_code=code, reason="", elapsed_s=0.0)
        return [one] * count

    unread = many(Outcome.ABSTAINED, "no_reference", 4_000)
    assert summary(unread) == "4,000 samples: 4,000 abstained: no_reference"
    wrong = many(Outcome.INCORRECT, "differs", 3)
    mixed = [*wrong, *many(Outcome.INVALID, "empty", 1), *many(Outcome.INVALID, "no_answer", 2)]
    assert summary(mixed) == "6 samples: 3 incorrect, 3 invalid (no_answer 2, empty 1)"
    codes = [one for code in "abcdefg" for one in many(Outcome.ERROR, code, 2)]
    assert summary(codes) == "14 samples: 14 error (a 2, b 2, c 2, d 2, e 2, others 4)"


def test_a_summary_names_the_fields_that_no_sample_has() -> None:
    sample = Sample.model_validate({"response": "r", "reference": "r", "answer": "r", "gold": "r"})
    verdict = defect(sample, ())
    assert verdict is not None
    assert summary([verdict] * 3) == "3 samples: 3 abstained: unknown_field, a sample has no field answer, gold"


def test_a_run_is_recorded_by_a_service_alone(run: Run, url: str, service: FakeService) -> None:
    asked = ("verify", "--verifier", "exact", "--response", "a", "--reference", "a", "--run", "r1")
    assert run(*asked, "--url", url).exit_code == 0
    assert service.received[-1].body["run"] == "r1"
    refused = run(*asked)
    assert refused.exit_code == 2
    assert "only a service records under a run" in refused.stderr


def test_a_pipe_keeps_results_and_messages_apart(run: Run, url: str, service: FakeService) -> None:
    service.faults = [Fault.of(Overloaded("full", retry_after_s=0))]
    stdin = '{"response": "a", "reference": "a"}\n\n{"response": "\\ud800", "reference": "\\ud800"}\n'
    done = run("verify", "--verifier", "exact", "--file", "-", "--url", url, stdin=stdin)
    assert [json.loads(line)["outcome"] for line in done.stdout.splitlines()] == ["correct", "correct"]
    assert done.exit_code == 0


def test_a_missing_verdict_outweighs_rejected_ones(run: Run, url: str) -> None:
    stdin = '{"response": "a", "reference": "b"}\n{"response": "a"}\n'
    assert run("verify", "--verifier", "exact", "--file", "-", "--url", url, stdin=stdin).exit_code == 3


def test_an_empty_file_is_accepted(run: Run, url: str) -> None:
    done = run("verify", "--verifier", "exact", "--file", "-", "--url", url, stdin="")
    assert (done.exit_code, done.stdout) == (0, "")


@pytest.mark.parametrize(
    "args",
    [
        ["verify", "--response", "a"],
        ["verify", "--verifier", "exact", "--recipe", "math", "--response", "a"],
        ["verify", "--verifier", "exact"],
        ["verify", "--verifier", "exact", "--response", "a", "--file", "-"],
        ["verify", "--verifier", "exact", "--response", "a", "--param", "novalue"],
        ["verify", "--recipe", "math", "--response", "a", "--param", "x=1"],
        ["verify", "--verifier", "exact", "--file", "/no/such/file"],
        ["verify", "--verifier", "exact", "--response", "a", "--deadline", "0"],
        ["jobs", "submit", "-"],
        ["jobs", "status", "x"],
        ["runs", "list"],
        ["nonsense"],
    ],
    ids=lambda args: " ".join(args),
)
def test_wrong_usage_is_2(run: Run, args: list[str]) -> None:
    assert run(*args, stdin="").exit_code == 2


@pytest.mark.parametrize("line", ["{", "[1]", "5", "[" * 100_000], ids=["cut", "list", "number", "deep"])
def test_a_bad_line_is_named_and_nothing_is_sent(run: Run, url: str, service: FakeService, line: str) -> None:
    done = run("verify", "--verifier", "exact", "--file", "-", "--url", url, stdin=f'{{"response": "a"}}\n{line}\n')
    assert done.exit_code == 2
    assert "line 2" in done.stderr
    assert service.received == []


def test_runs_and_verifiers(run: Run, url: str) -> None:
    assert "r/1" in run("runs", "list", "--url", url).stdout
    assert json.loads(run("runs", "list", "--url", url, "--json").stdout)[0]["id"] == "r/1"
    assert json.loads(run("runs", "show", "r1", "--url", url).stdout)["id"] == "r1"
    listed = run("verifiers", "list", "--url", url)
    assert "equal text" in listed.stdout
    assert listed.stderr == "broken cannot be loaded: no module\n"
    assert json.loads(run("verifiers", "list", "--url", url, "--json").stdout)[0]["name"] == "exact"
    assert json.loads(run("verifiers", "show", "exact", "--url", url).stdout)["params"] == {"type": "object"}


def test_the_service_may_be_named_by_the_environment(run: Run, url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRUEWARD_URL", url)
    assert run("verify", "--verifier", "exact", "--response", "a", "--reference", "a").exit_code == 0


def test_errors_of_the_tree_end_with_4_and_say_what_to_do(url: str, tmp_path: Path) -> None:
    file = samples(tmp_path / "in.jsonl", [{"response": 5}])
    cases = [
        (["verify", "--verifier", "nope", "--response", "a", "--url", url], "no verifier 'nope'"),
        (["verify", "--verifier", "exact", "--file", file, "--url", url], "samples.0.response"),
        (["jobs", "status", "nope", "--url", url], "no such job"),
        (["verifiers", "show", "nope", "--url", url], "known: exact"),
        (["verify", "--verifier", "exact", "--response", "a", "--url", "nonsense"], "http://"),
    ]
    for args, message in cases:
        done = subprocess.run([COMMAND, *args], capture_output=True, text=True, check=False)
        assert (done.returncode, done.stdout) == (4, ""), done
        assert message in done.stderr
        assert "Traceback" not in done.stderr


def test_problems_that_are_the_same_are_said_once(
    url: str, service: FakeService, capsys: pytest.CaptureFixture[str]
) -> None:
    same = [FieldProblem(field=f"samples.{place}.a", code="extra", detail="unknown field") for place in range(20)]
    other = FieldProblem(field="samples.7.b", code="type", detail="a text, please")
    service.faults = [Fault.of(InvalidRequest("21 samples are wrong", errors=[*same, other]))]
    with pytest.raises(SystemExit):
        cli.main(["verify", "--verifier", "exact", "--response", "a", "--url", url])
    _, found, printed = capsys.readouterr().err.partition("trueward: ")  # before it may stand the fake service's log
    assert found
    assert printed.splitlines() == [
        "21 samples are wrong",
        "  samples.0.a, samples.1.a, samples.2.a and 17 more: unknown field",
        "  samples.7.b: a text, please",
    ]


def test_retries_leave_the_pipe_clean(url: str, service: FakeService) -> None:
    """In a real process: what retries log must not end up between the results."""
    service.faults = [Fault.of(Overloaded("full", retry_after_s=0)), Fault(cut=True)]
    done = subprocess.run(
        [COMMAND, "verify", "--verifier", "exact", "--file", "-", "--url", url],
        input='{"response": "\u00e9", "reference": "\u00e9"}\n' * 3,
        capture_output=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert [json.loads(line)["evidence"] for line in done.stdout.splitlines()] == [{"extracted": "\u00e9"}] * 3
    assert done.stderr == "3 samples: 3 correct\n"
    assert done.returncode == 0
    assert set(service.scored.values()) == {1}


def test_help_is_light_and_names_every_command() -> None:
    script = (
        "import sys\nfrom trueward import cli\n"
        "try: cli.main(['--help'])\nexcept SystemExit: pass\n"
        "print([n for n in ('sympy', 'torch', 'fastapi', 'sqlalchemy', 'httpx2', 'app') if n in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "[]"
    for name in ("verify", "jobs", "verifiers", "runs", "doctor", "serve", "db", "keys"):
        assert f" {name} " in done.stdout


def test_version(run: Run) -> None:
    assert run("--version").stdout.startswith("trueward 0.")


class FakeServer:
    """The server's half as the command sees it."""

    def __init__(self) -> None:
        self.service = FakeService()
        self.served: list[object] = []

    def serve(self, *where: object) -> None:
        self.served.append(where)

    def verify(self, request: VerifyRequest) -> VerifyResponse:
        return VerifyResponse.model_validate_json(json.dumps(self.service.judge(request.model_dump())), extra="ignore")

    def rewards(self, request: RewardsRequest) -> RewardsResponse:
        return RewardsResponse.model_validate_json(json.dumps(self.service.price(request.model_dump())))

    def list_verifiers(self) -> Catalogue:
        return Catalogue(verifiers=[], failures={"broken (theirs)": "RuntimeError: no"})


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> FakeServer:
    fake = FakeServer()
    for module in ("scorer", "serve", "verifiers"):
        monkeypatch.setattr(f"trueward.commands.{module}.load_server", lambda: fake)
    return fake


def test_without_a_service_scoring_is_done_in_this_process(run: Run, here: FakeServer) -> None:
    stdin = "".join(f'{{"response": "{index}", "reference": "7", "prompt": "{index % 9}"}}\n' for index in range(2500))
    done = run("verify", "--verifier", "exact", "--file", "-", stdin=stdin)
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == [str(index) for index in range(2500)]
    assert set(here.service.scored.values()) == {1}
    rewards = run("verify", "--recipe", "math", "--file", "-", stdin=stdin)
    assert sum(json.loads(line)["reward"] for line in rewards.stdout.splitlines()) == 1


def test_a_plugin_that_cannot_be_loaded_is_named_beside_the_list(run: Run, here: FakeServer) -> None:
    listed = run("verifiers", "list", "--json")
    assert json.loads(listed.stdout) == []
    assert listed.stderr == "broken (theirs) cannot be loaded: RuntimeError: no\n"


def test_serve_leaves_to_the_settings_what_is_not_given(run: Run, here: FakeServer) -> None:
    run("serve", "--port", "0")
    assert here.served == [(None, 0, None)]


def test_a_server_that_is_not_here_is_said_to_be_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (server, doctor):
        monkeypatch.setattr(module, "is_installed", lambda: False)
    for args in (["verify", "--verifier", "math", "--response", "1"], ["serve"], ["verifiers", "list"], ["db"]):
        done = run(*args)
        assert isinstance(done.exception, TruewardError)
        assert "make install" in done.exception.detail
        assert done.exception.code == "not_installed"
    said = run("doctor")
    assert said.exit_code == 1
    assert "WRONG" in said.stdout


def test_a_foreign_package_that_shadows_ours_is_refused(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    found = server._parent
    monkeypatch.setattr(server, "_parent", lambda name: Path("/elsewhere") if name == "verifiers" else found(name))
    done = run("verify", "--verifier", "math", "--response", "1")
    assert isinstance(done.exception, TruewardError)
    assert "verifiers (/elsewhere)" in done.exception.detail
    assert run("doctor").exit_code == 1


def test_doctor_of_a_service(run: Run, url: str, service: FakeService, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (server, doctor):
        monkeypatch.setattr(module, "is_installed", lambda: False)
    done = run("doctor", "--url", url, "--json")
    assert done.exit_code == 0
    assert {"check": "service", "ok": True, "detail": f"{url} is ready"} in json.loads(done.stdout)
    report = '{"ready": false, "checks": [{"name": "ledger", "ok": false, "detail": "disk full"}]}'
    service.faults = [Fault(503, report)]
    done = run("doctor", "--url", url)
    assert done.exit_code == 1
    assert "disk full" in done.stdout
    assert run("doctor", "--url", "http://127.0.0.1:1").exit_code == 1


@pytest.mark.parametrize("outcome", list(Outcome))
def test_every_outcome_has_an_exit_code(outcome: Outcome) -> None:
    from trueward.commands.exits import exit_code

    expected = 3 if outcome.missing else 0 if outcome in (Outcome.CORRECT, Outcome.SCORED) else 1
    assert exit_code([Outcome.CORRECT, outcome]) == expected


REFERENCES: list[dict[str, Any]] = [
    {"id": "a", "prompt": "2 + 2?", "reference": "4"},
    {"id": "a", "prompt": "?", "reference": ["1/2", "0.5"], "response": "of the data set"},
    {"prompt": "?", "reference": ""},
    {"prompt": "?"},
    {"prompt": "?", "reference": {"a": 1}},
    {"prompt": "?", "reference": "x^2 + ("},
]


def test_references_are_checked_ahead(run: Run, tmp_path: Path) -> None:
    file = samples(tmp_path / "gold.jsonl", REFERENCES)
    shown = run("verify", "--verifier", "math", "--check-references", file)
    assert shown.exit_code == 1
    assert shown.stdout.startswith("2 of 6 references can be read.")
    assert [line.split()[:4] for line in shown.stdout.splitlines() if line.startswith(" no_reference")] == [
        ["no_reference", "2", "3,", "4"]
    ]
    told = json.loads(run("verify", "--verifier", "math", "--check-references", file, "--json").stdout)
    assert told["rows"] == 6
    assert [(one["row"], one["reason_code"]) for one in told["unreadable"]] == [
        (3, "no_reference"),
        (4, "no_reference"),
        (5, "reference_type"),
        (6, "reference_unparsable"),
    ]
    assert told["unchecked"] == []


def test_references_that_can_all_be_read_are_accepted(run: Run, tmp_path: Path) -> None:
    file = samples(tmp_path / "gold.jsonl", REFERENCES[:2])
    shown = run("verify", "--verifier", "math", "--check-references", file)
    assert (shown.exit_code, shown.stdout) == (0, "2 of 2 references can be read.\n")


def test_broken_tests_of_programs_are_found_ahead(run: Run, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"reference": {"assertions": ["assert f(1) == 2"], "entry_point": "f"}},
        {"reference": {"assertions": ["assert f(1 == 2"], "entry_point": "f"}},
        {"reference": {"asserts": ["assert f(1) == 2"]}},
    ]
    file = samples(tmp_path / "gold.jsonl", rows)
    told = json.loads(run("verify", "--verifier", "code", "--check-references", file, "--json").stdout)
    assert [(one["row"], one["reason_code"]) for one in told["unreadable"]] == [
        (2, "bad_reference"),
        (3, "bad_reference"),
    ]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--verifier", "format"), "reads no references"),
        (("--verifier", "judge"), "asks models"),
        (("--verifier", "majority"), "compares the responses of a group"),
        (("--recipe", "math"), "name the verifier"),
        (("--verifier", "math", "--response", "4"), "give one response, or a file, or references"),
    ],
)
def test_references_that_cannot_be_checked_are_a_usage_error(
    run: Run, tmp_path: Path, options: tuple[str, ...], said: str
) -> None:
    file = samples(tmp_path / "gold.jsonl", REFERENCES)
    shown = run("verify", *options, "--check-references", file)
    assert shown.exit_code == 2
    assert said in " ".join(shown.stderr.replace("│", " ").split())
