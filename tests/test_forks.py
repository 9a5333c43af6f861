"""``--forks``: tests that run in forks are told of as if they ran in one process, and no death goes unnoticed."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests import together

ROOT = Path(__file__).parents[1]
ALIKE = """
import os
import pytest

@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    yield tmp_path_factory.mktemp("kept")
    with open(os.environ["ENDS"], "a") as file:
        file.write(f"{os.getpid()}\\n")

@pytest.mark.parametrize("number", range(3))
def test_passes(kept, number, record_property):
    print("said in vain")
    record_property("pid", os.getpid())

def test_fails(kept, record_property):
    print("said before it fell")
    record_property("pid", os.getpid())
    assert kept is None

def test_is_left_out():
    pytest.skip("not here")

@pytest.mark.xfail(strict=True)
def test_fails_as_expected():
    assert False
"""
DIES = """
import os
import pytest

@pytest.mark.parametrize("number", range(4))
def test_number(number):
    if number == 1:
        os._exit(77)
"""

Run = Callable[..., "Told"]


class Told:
    """What pytest said: its exit code, its text, and for each test the outcome with the process that ran it."""

    def __init__(self, code: int, text: str, report: Path) -> None:
        self.code = code
        self.text = text
        self.outcomes: dict[str, str] = {}
        self.pids: dict[str, set[str]] = {}
        for case in ElementTree.parse(report).iter("testcase"):
            kinds = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
            module, name = case.attrib["classname"], case.attrib["name"]
            self.outcomes[f"{module}.{name}"] = kinds[0] if kinds else "passed"
            self.pids.setdefault(module, set()).update(one.attrib["value"] for one in case.iter("property"))


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Runs files, given by name, in so many forks."""

    def call(files: dict[str, str], forks: int, *options: str) -> Told:
        for name, text in files.items():
            (tmp_path / f"test_{name}.py").write_text(text)
        (tmp_path / "pytest.ini").write_text("[pytest]\n")
        report = tmp_path / "report.xml"
        command = [sys.executable, "-m", "pytest", "-ra", f"--rootdir={tmp_path}", f"--junitxml={report}"]
        command += [
            "-p",
            "no:cacheprovider",
            "-p",
            "xdist",
            "-p",
            "tests.together",
            "-p",
            "tests.forks",
            f"--forks={forks}",
            *options,
        ]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "ENDS": str(tmp_path / "ends")}
        environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"  # half of what it takes to start
        ended = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
        return Told(ended.returncode, ended.stdout + ended.stderr, report)

    return call


def test_files_are_dealt_to_forks_and_each_ends_its_own_fixtures(run: Run, tmp_path: Path) -> None:
    told = run({"a": ALIKE, "b": ALIKE}, 2)
    expected = {f"test_{module}.test_passes[{number}]": "passed" for module in "ab" for number in range(3)}
    for module in "ab":
        expected[f"test_{module}.test_fails"] = "failure"
        expected[f"test_{module}.test_is_left_out"] = expected[f"test_{module}.test_fails_as_expected"] = "skipped"
    assert told.outcomes == expected
    assert told.code == pytest.ExitCode.TESTS_FAILED
    assert "2 failed, 6 passed, 2 skipped, 2 xfailed" in told.text
    assert told.text.count("said before it fell") == 4  # the line of the source, and the one that was captured
    assert "said in vain" not in told.text
    ran = told.pids["test_a"] | told.pids["test_b"]
    assert [len(told.pids["test_a"]), len(told.pids["test_b"]), len(ran)] == [1, 1, 2]
    assert set((tmp_path / "ends").read_text().split()) == ran


def test_a_fork_that_dies_fails_the_test_that_it_ran_and_no_other(run: Run) -> None:
    told = run({"dies": DIES, "other": ALIKE}, 1)
    assert told.code == pytest.ExitCode.TESTS_FAILED
    outcomes = [told.outcomes[f"test_dies.test_number[{number}]"] for number in range(4)]
    assert outcomes == ["passed", "failure", "passed", "passed"]
    assert "the process that ran this test ended with exit code 77" in told.text
    assert "2 failed, 6 passed, 1 skipped, 1 xfailed" in told.text


def test_the_first_failure_ends_all_where_that_is_asked_for(run: Run) -> None:
    told = run({"dies": DIES}, 2, "--exitfirst")
    assert "stopping after 1 failures" in told.text
    assert told.outcomes == {"test_dies.test_number[0]": "passed", "test_dies.test_number[1]": "failure"}


def test_a_file_that_cannot_be_collected_ends_the_run(run: Run) -> None:
    told = run({"broken": "import no_such_module", "other": ALIKE}, 2)
    assert told.code == pytest.ExitCode.INTERRUPTED
    assert "1 error during collection" in told.text


def test_tests_of_a_shared_folder_go_together_and_groups_keep_their_order() -> None:
    folder = together.FOLDERS[0]
    nodeids = ["tests/test_b.py::one", f"{folder}/test_x.py::one", "tests/test_a.py::one", f"{folder}/test_y.py::one"]
    assert together.groups([*nodeids, "tests/test_b.py::two"]) == [[0, 4], [1, 3], [2]]
