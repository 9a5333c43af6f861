"""Recipes, explanations, replays and selections: both clients and the command, against the real service."""

from __future__ import annotations

import asyncio
import inspect
import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
from typer.testing import CliRunner, Result

from tests.pages.audited import plant
from trueward import AsyncClient, Client, cli
from trueward.client.calls import replay
from trueward.errors import Conflict, InvalidRecipe, InvalidRequest, NotFound, UnknownRecipe

YAML = "description: mine\nterms:\n  math: 1\n  format: {weight: 0.1, gate: math}\nshaping: [z_score]\n"
ROWS = [
    {"id": "a", "prompt": "1/2?", "response": "so \\boxed{0.5}", "reference": "1/2"},
    {"id": "b", "prompt": "1/2?", "response": "so \\boxed{3}", "reference": "1/2"},
]
Ask = Callable[..., Any]


@pytest.fixture(params=["sync", "async"])
def ask(request: pytest.FixtureRequest, live: str) -> Iterator[Ask]:
    if request.param == "sync":
        with Client(live) as client:
            yield lambda asked, /, *args, **kwargs: getattr(client, asked)(*args, **kwargs)
        return
    with asyncio.Runner() as runner:
        awaiting = AsyncClient(live)

        async def call(asked: str, /, *args: Any, **kwargs: Any) -> Any:
            answer = getattr(awaiting, asked)(*args, **kwargs)
            return await answer if inspect.isawaitable(answer) else answer

        yield lambda asked, /, *args, **kwargs: runner.run(call(asked, *args, **kwargs))
        runner.run(awaiting.aclose())


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    monkeypatch.setenv("COLUMNS", "160")
    return lambda *args, stdin=None: CliRunner().invoke(cli.app, args, input=stdin)


def test_a_recipe_is_put_read_compared_and_deleted(ask: Ask) -> None:
    name = uuid.uuid4().hex
    first = ask("put_recipe", name, YAML)
    assert (first.new, first.warnings) == (True, [])
    second = ask("put_recipe", name, {"terms": ["math"], "noise": {"false_positive": 0.1, "false_negative": 0.1}})
    assert "spread" in second.warnings[0]
    assert ask("recipe", name).hash == second.hash
    assert ask("recipe", f"{name}@{first.hash}").recipe["description"] == "mine"
    assert name in [info.name for info in ask("recipes")]
    assert [version.hash for version in ask("recipe_versions", name)] == [second.hash, first.hash]
    changed = ask("recipe_difference", name)
    assert (changed.before, changed.after) == (first.hash, second.hash)
    assert "shaping.0" in {change.place for change in changed.changes}
    assert ask("recipe_difference", name, second.hash, first.hash).after == first.hash
    assert ask("delete_recipe", name).hash is None
    with pytest.raises(NotFound, match="deleted"):
        ask("recipe", name)
    with pytest.raises(UnknownRecipe, match="deleted"):
        ask("reward", ROWS, recipe=name)


def test_a_recipe_is_corrected_with_an_audit(ask: Ask, live: str) -> None:
    run = uuid.uuid4().hex
    with httpx2.Client(base_url=live, timeout=60.0, trust_env=False) as http:
        plant(http, run)
    subject, population = {"verifier": "exact"}, {"run": run}
    audit = ask("start_audit", {"kind": "labelled", "subject": subject, "population": population}, name=run)
    assert ask("wait_for_audit", audit.id, 60.0).state == "completed"
    made = ask("correct_recipe", "exact", audit=run, name=f"by-{run}")
    assert (made.name, made.new, made.audit) == (f"by-{run}", True, audit.id)
    assert ask("recipe", made.name).recipe["terms"][0]["noise"]["audit"] == audit.id
    with pytest.raises(InvalidRequest, match="measured rates of math"):
        ask("correct_recipe", "math", audit=run)


def test_what_is_wrong_with_a_recipe_is_said(ask: Ask) -> None:
    found = ask("validate_recipe", YAML.replace("gate: math", "gate: maths"))
    assert (found.valid, found.problems[0].line) == (False, 4)
    assert ask("validate_recipe", {"terms": ["math"]}).valid
    with pytest.raises(InvalidRecipe) as refusal:
        ask("put_recipe", "x", "terms: {math: .nan}")
    assert refusal.value.errors[0].line == 1
    with pytest.raises(InvalidRecipe, match="JSON"):
        ask("put_recipe", "x", {"terms": [{"verifier": "math", "weight": float("nan")}]})
    with pytest.raises(Conflict, match="another name"):
        ask("put_recipe", "math", YAML)


def test_rewards_are_explained_and_a_run_is_replayed(ask: Ask) -> None:
    name = f"team/{uuid.uuid4().hex}"
    answer = ask("reward", ROWS, recipe={"terms": ["math"], "shaping": ["z_score"]}, run=name)
    shown = ask("explain", answer.rewards[0].record)
    assert (shown.agrees, shown.run, shown.lines[-1]) == (True, name, "reward: 0.707106")
    report = ask("replay", name)
    assert (report.rewards, report.differ, report.same) == (2, 0, True)
    with pytest.raises(NotFound):
        ask("replay", "nothing")


def test_a_runs_rewards_are_listed_page_by_page(ask: Ask) -> None:
    name = f"team/{uuid.uuid4().hex} ?"
    answer = ask("reward", ROWS, recipe={"name": "mine", "terms": ["math"]}, run=name, step=3)
    newest = ask("run_rewards", name, limit=1)
    older = ask("run_rewards", name, limit=1, after=newest.next)
    assert {page.rewards[0].reward.record for page in (newest, older)} == {one.record for one in answer.rewards}
    [listed] = older.rewards
    assert (listed.run, listed.step, listed.recipe, listed.recipe_name) == (name, 3, answer.recipe, "mine")
    assert older.next is None
    assert ask("run_rewards", "nothing").rewards == []


def test_nothing_unknown_is_explained(ask: Ask) -> None:
    with pytest.raises(NotFound, match="no reward"):
        ask("explain", "nothing")


def test_a_replay_without_its_report_was_cut_off() -> None:
    with pytest.raises(ValueError, match="cut off"):
        replay("r").read(b'{"progress": {"rewards": 1, "states": 0}}\n')


def test_candidates_are_selected_from(ask: Ask) -> None:
    texts = ["\\boxed{2}", "\\boxed{0.5}", "\\boxed{1/2}"]
    found = ask("select", [{"response": text} for text in texts], method="majority", verifier="math", deadline_s=30)
    assert (found.chosen, [one.ids for one in found.classes]) == ("1", [["0"], ["1", "2"]])
    best = ask("select", ROWS, method="best_of", recipe="math", run=uuid.uuid4().hex)
    assert (best.chosen, best.scores) == ("a", {"a": 1.0, "b": 0.0})


def test_the_command_puts_lists_compares_and_explains(run: Callable[..., Result], live: str, tmp_path: Path) -> None:
    name = uuid.uuid4().hex
    file = tmp_path / "mine.yaml"
    file.write_text(YAML)
    assert "new" in run("recipe", "put", name, str(file), "--url", live).stdout
    assert "as it was" in run("recipe", "put", name, "-", "--url", live, stdin=YAML).stdout
    file.write_text(YAML.replace("0.1", "0.2"))
    run("recipe", "put", name, str(file), "--url", live)
    assert name in run("recipe", "list", "--url", live).stdout
    assert json.loads(run("recipe", "show", name, "--url", live).stdout)["name"] == name
    assert "terms.1.weight" in run("recipe", "diff", name, "--url", live).stdout
    with Client(live) as client:
        record = client.reward(ROWS, recipe=name, run=name).rewards[0].record or ""
    assert "reward: z_score" in run("recipe", "explain", record, "--url", live).stdout
    sample = tmp_path / "sample.json"
    sample.write_text(json.dumps(ROWS[0]))
    shown = run("recipe", "explain", "--recipe", name, "--sample", str(sample), "--url", live)
    assert (shown.exit_code, "weight 0.2" in shown.stdout) == (0, True)
    listed = run("runs", "rewards", name, "--url", live, "--limit", "1").stdout
    assert "older ones: --after" in listed
    assert record in run("runs", "rewards", name, "--url", live).stdout
    assert len(json.loads(run("runs", "rewards", name, "--url", live, "--json").stdout)["rewards"]) == 2
    done = run("runs", "replay", name, "--url", live)
    assert (done.exit_code, done.stdout) == (0, "2 rewards, 0 differ; 0 states, 0 differ\n")
    assert json.loads(run("runs", "replay", name, "--url", live, "--json").stdout)["rewards"] == 2


def test_a_recipe_is_corrected_with_an_audit_in_three_commands_without_an_id(
    run: Callable[..., Result], live: str, tmp_path: Path
) -> None:
    name = f"r{uuid.uuid4().hex}"
    labels = []
    with Client(live) as client:
        for n in range(60):
            right = n % 2
            rows = [
                {"prompt": f"{n}?", "response": f"\\boxed{{{n * right}}}", "reference": str(n or -1), "group": str(n)}
            ]
            [verdict] = client.verify(rows, verifier="math", run=name)
            labels.append({"record": verdict.record, "right": bool(right)})
        client.label(labels)
    audited = run("audit", "run", "labelled", "--verifier", "math", "--run", name, "--url", live)
    assert "trueward recipe correct RECIPE" in audited.stdout
    checked = run("audit", "check", name, "--max-fpr", "0.5", "--url", live)
    assert checked.exit_code == 0, checked.output
    made = run("recipe", "correct", "math", "--audit", name, "--as", name, "--url", live)
    assert made.exit_code == 0, made.output
    with Client(live) as client:
        recipe: dict[str, Any] = client.recipe(name).recipe
        [noise] = [term["noise"] for term in recipe["terms"]]
        assert noise["audit"] == client.audit(name).id
        assert f"{name}, corrected with audit {noise['audit']}" in made.stdout
    assert f"trueward verify --recipe {name}" in made.stderr
    unknown = run("recipe", "correct", "math", "--audit", f"no-{name}", "--url", live)
    assert isinstance(unknown.exception, InvalidRequest)
    assert "trueward audit run labelled --verifier math" in unknown.exception.detail


def test_the_command_works_without_a_service(run: Callable[..., Result], tmp_path: Path) -> None:
    file, sample = tmp_path / "mine.yaml", tmp_path / "sample.json"
    file.write_text(YAML)
    sample.write_text(json.dumps(ROWS))
    assert "math" in run("recipe", "list").stdout
    assert json.loads(run("recipe", "show", "math").stdout)["name"] == "math"
    assert run("recipe", "validate", str(file)).stdout.startswith("valid  sha256:")
    wrong = run("recipe", "validate", "-", stdin="terms: {math: .nan}\n")
    assert (wrong.exit_code, "line 1" in wrong.stdout) == (1, True)
    shown = run("recipe", "explain", "--recipe", str(file), "--sample", str(sample))
    assert "sample b of group" in shown.stdout
    assert "  reward: -0.707106" in shown.stdout
    sample.write_text(json.dumps(ROWS[0]))
    alone = run("recipe", "explain", "--recipe", "math", "--sample", str(sample), "--json")
    [found] = json.loads(alone.stdout)
    assert (found["reward"], found["agrees"], found["id"]) == (1.0, True, "a")


@pytest.mark.parametrize(
    "args",
    [
        ["explain"],
        ["explain", "01", "--recipe", "math"],
        ["explain", "--recipe", "math"],
        ["explain", "--recipe", "math", "--sample", "/no/such/file"],
        ["explain", "01"],
        ["validate", "/no/such/file"],
        ["put", "x", "-"],
        ["diff", "x"],
    ],
)
def test_wrong_usage_is_2(run: Callable[..., Result], args: list[str]) -> None:
    assert run("recipe", *args, stdin="{}").exit_code == 2
