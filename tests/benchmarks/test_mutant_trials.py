"""Mutants are tried in a checkout: it is changed and put back, its tests are run, and results are kept."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from benchmarks.mutants import marks
from benchmarks.mutants.__main__ import main
from benchmarks.mutants.checkout import Checkout, Outcome, Run
from benchmarks.mutants.choice import choose, chosen, write
from benchmarks.mutants.marking import listening, marked_files
from benchmarks.mutants.marks import Notes
from benchmarks.mutants.mutant import EVENT, Mutant
from benchmarks.mutants.reach import Reach
from benchmarks.mutants.results import Result, Results, Stage, Word, lost, table
from benchmarks.mutants.trial import GRACE_S, TIMES, Trial
from benchmarks.shape.sources import Source
from tests.benchmarks.mutated import CODE, PATH, TESTS

MUTANTS = choose([Source("app", PATH, CODE)])
ANY = MUTANTS[0]


def test_notes_are_of_a_file_or_of_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw1")
    notes = Notes()
    notes.hear(EVENT, (1,))
    log = tmp_path / "log"
    log.touch()
    notes.path = str(log)
    notes.runs(TESTS[0])
    for event, number in ((EVENT, 7), (EVENT, 7), ("open", 8)):
        notes.hear(event, (number,))
    lines = [line.split() for line in log.read_text().splitlines()]
    assert [(kind, *rest) for kind, _, *rest in lines] == [
        ("file", "gw1", TESTS[0]),
        ("mark", "gw1", "7", TESTS[0]),
    ]


def test_the_map_knows_which_files_reach_a_place() -> None:
    quick, slow = TESTS
    log = [
        f"file 1.0 gw0 {slow}",
        "file 10.0 gw0 -",
        f"file 2.0 gw1 {quick}",
        "file 4.0 gw1 -",
        f"mark 2.5 gw0 1 {slow}",
        f"mark 2.6 gw1 1 {quick}",
        "mark 3.0 gw1 2 -",
        "mark 3.0 - 3 -",
        "mark 20.0 gw0 4 -",
    ]
    reach = Reach.of(log)
    assert reach.files == {slow: 9.0, quick: 2.0}
    assert reach.surely == {"1": [quick, slow], "2": [quick], "3": [quick, slow]}
    assert reach.perhaps["2"] == [slow]
    mutant = ANY
    assert reach.tests(replace(mutant, number=2), TESTS) == [quick, slow]
    assert reach.tests(replace(mutant, number=2), [slow]) == [slow]
    assert reach.tests(replace(mutant, number=4), TESTS) == []


def test_code_that_runs_in_a_sandbox_falls_back_to_the_tests_of_sandboxes() -> None:
    mutant = replace(ANY, path="sandbox/local/jail/slot.py")
    there = ["tests/app/test_made.py", "tests/sandbox/test_jail.py", "tests/verifiers/code/test_runs.py"]
    assert Reach().tests(mutant, there) == there[1:]
    assert Reach(surely={str(mutant.number): there[:1]}).tests(mutant, there) == there
    outside = replace(mutant, path="sandbox/local/pool.py")
    assert Reach(surely={str(mutant.number): there[:1]}).tests(outside, there) == there[:1]


def by_line(mutated: str) -> Mutant:
    return next(mutant for mutant in MUTANTS if mutant.mutated == mutated)


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A checkout of one module and its test, which needs no plug-in."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    root = tmp_path / "tree"
    test = "from app.made import both\n\ndef test_both():\n    assert both(2, 1)\n\ndef test_broken():\n    assert 0\n"
    for path, text in {PATH: CODE, "tests/app/test_made.py": test}.items():
        (root / path).parent.mkdir(parents=True)
        (root / path).write_text(text)
    (root / "app/__init__.py").touch()
    (root / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    return root


def test_what_is_changed_is_put_back_with_nothing_compiled_left(tree: Path) -> None:
    compiled = tree / "app/__pycache__/made.cpython-311.pyc"
    compiled.parent.mkdir()
    checkout = Checkout(tree)
    with checkout.changed({PATH: "x = 1\n"}):
        assert (tree / PATH).read_text() == "x = 1\n"
        compiled.touch()
    assert (tree / PATH).read_text() == CODE
    assert not compiled.exists()
    assert list(tree.parent.iterdir()) == [tree]


def test_what_an_ended_process_left_changed_is_put_back(tree: Path) -> None:
    left = Checkout(tree).changed({PATH: "x = 1\n"})
    left.__enter__()
    Checkout(tree)
    assert (tree / PATH).read_text() == CODE


def test_mutants_are_tried_once_and_results_are_kept(tree: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Two that the test notices and misses, one that is gone; the test that fails anyway notices none."""
    noticed = by_line("    elif a > b or b:")
    mutants = [
        replace(by_line("        return False"), number=1),
        replace(noticed, number=2),
        replace(noticed, number=3, function="other"),
    ]
    listed, results = tree.parent / "chosen.json", tree.parent / "results.json"
    write(mutants, listed)
    assert chosen(listed) == mutants
    call = ["run", "--tree", str(tree), "--python", sys.executable, "--results", str(results), "--chosen", str(listed)]
    main(call)
    known = Results(results).all
    assert [(one.word, one.test, one.broken) for one in known] == [
        ("killed", "tests/app/test_made.py::test_both", ()),
        ("survived", "", ("tests/app/test_made.py::test_broken",)),
        ("gone", "", ()),
    ]
    main(call)
    assert Results(results).all == known
    assert "app/made.py:6 both: truth: killed tests/app/test_made.py::test_both" in capsys.readouterr().out


class Scripted(Checkout):
    """Answers as told, one run after another; remembers each one's file, its limit and how many tests it leaves out."""

    def __init__(self, root: Path, *answers: Run) -> None:
        super().__init__(root)
        self.asked: list[tuple[str, float, int]] = []
        self._answers = list(answers)

    def run(self, tests: Sequence[str], limit_s: float, *, without: Sequence[str] = ()) -> Run:
        self.asked.append((tests[0], limit_s, len(without)))
        return self._answers.pop(0)


def ran(outcome: Outcome, seconds: float = 1.0, *failed: str) -> Run:
    return Run(outcome, list(failed), seconds, "")


@pytest.mark.parametrize(
    ("answers", "word", "asked"),
    [
        ([ran("passed", 2.0), ran("passed")], "survived", [(TESTS[0], 90.0, 0), (TESTS[1], 88.0, 0)]),
        ([ran("failed", 1.0, "t::a"), ran("passed")], "killed", [(TESTS[0], 90.0, 0), ("t::a", 90.0, 0)]),
        ([ran("failed"), ran("passed")], "killed", [(TESTS[0], 90.0, 0), (TESTS[0], 90.0, 0)]),
        ([ran("stopped", 90.0), ran("passed")], "hung", [(TESTS[0], 90.0, 0), (TESTS[0], 30.0, 0)]),
        ([ran("stopped", 90.0), ran("stopped", 30.0)], "out of time", [(TESTS[0], 90.0, 0), (TESTS[0], 30.0, 0)]),
        ([ran("passed", 91.0)], "out of time", [(TESTS[0], 90.0, 0)]),
        (
            [ran("failed", 1.0, "t::a"), ran("failed", 1.0, "t::a"), ran("passed"), ran("passed")],
            "survived",
            [(TESTS[0], 90.0, 0), ("t::a", 90.0, 0), (TESTS[0], 89.0, 1), (TESTS[1], 88.0, 1)],
        ),
    ],
)
def test_a_trial_ends_with_the_first_failure_that_is_the_faults(
    answers: list[Run], word: str, asked: list[tuple[str, float, int]], tree: Path
) -> None:
    scripted = Scripted(tree, *answers)
    result = Trial(scripted, ANY, "reach", 90.0).run(TESTS)
    assert (result.word, scripted.asked) == (word, asked)


def test_a_file_has_hung_that_takes_many_times_as_long_as_it_did(tree: Path) -> None:
    scripted = Scripted(tree, ran("stopped", 80.0), ran("passed"))
    assert Trial(scripted, ANY, "reach", 600.0, {TESTS[0]: 2.0}).run(TESTS).word == "hung"
    assert scripted.asked[0][1] == GRACE_S + 2.0 * TIMES


def test_a_run_that_takes_too_long_is_stopped_with_what_it_started(tree: Path) -> None:
    test = "import subprocess\n\ndef test_both():\n    subprocess.run(['sleep', '61.8034'])\n"
    (tree / "tests/app/test_made.py").write_text(test)
    run = Checkout(tree, Path(sys.executable)).run(["tests"], 3.0)
    assert (run.outcome, run.failed) == ("stopped", [])
    assert not [one for one in psutil.process_iter(["cmdline"]) if "61.8034" in (one.info["cmdline"] or ())]


def recorded(path: Path, *words: tuple[int, Stage, Word]) -> Results:
    results = Results(path)
    for number, stage, word in words:
        results.add(Result(number, stage, word, "tests/app/test_made.py::test_both"))
    return results


def test_a_comparison_names_what_is_no_longer_noticed(tmp_path: Path) -> None:
    mutants = [replace(ANY, number=number, pure=True) for number in (1, 2, 3)]
    before = recorded(tmp_path / "before", (1, "beside", "killed"), (2, "beside", "hung"), (3, "beside", "survived"))
    after = recorded(tmp_path / "after", (1, "beside", "survived"), (1, "reach", "killed"), (2, "beside", "survived"))
    after.add(Result(2, "reach", "no tests"))
    found = lost(mutants, before, after)
    assert [line.partition(" ")[0] for line in found["no longer noticed"]] == ["2"]
    assert [line.partition(" ")[0] for line in found["pure, and no longer noticed beside"]] == ["1", "2"]
    assert table(mutants, after)[0] == ["app", "3", "0", "1", "1", "0", "0", "0", "1"]


def test_every_environment_of_a_marked_tree_listens_for_a_while(tree: Path) -> None:
    packages = tree / ".venv/lib/python3.11/site-packages"
    packages.mkdir(parents=True)
    with listening(tree, tree / "log"):
        start = (packages / "zz_trueward_marks.pth").read_text()
        assert (packages / "_trueward_marks.py").read_text() == Path(marks.__file__).read_text()
        assert str(tree / "log") in start
    assert list(packages.iterdir()) == []
    assert set(marked_files(Checkout(tree), [ANY, replace(ANY, path="app/gone.py")])) == {PATH}
