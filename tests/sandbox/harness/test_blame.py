"""Whoever breaks a test is to blame for it: a solution whose answers are evaluated, or that is called on import.

Each test is sound: the right solution passes it. Whatever a hostile one answers, the test is neither passed nor broken.
"""

from __future__ import annotations

import re

import pytest

from sandbox.harness import TestResult, candidate_program, command_program, read_results
from tests.sandbox.harness.pairing import run_pair, split

CALLED = re.compile(r"\bf\b")
RIGHT = "def f(): return '6 * 4'"
CASE = "import unittest\nclass T(unittest.TestCase):\n    def test(self):\n        self.assertEqual({got}, 24)\n"
FILE = "from solution import f\n"
TESTS = {
    "an assertion": (None, "assert eval(f()) == 24"),
    "an assertion that compiles": (None, "assert eval(compile(f(), '<answer>', 'eval')) == 24"),
    "a statement": (None, "space = {}\nexec('x = ' + f(), space)\nassert space['x'] == 24"),
    "a case of unittest": (None, CASE.format(got="eval(f())")),
    "a case that skips": (None, CASE.format(got="eval(f()) if f() else self.skipTest('no answer')")),
    "a script": ("python test_f.py", FILE + "assert eval(f()) == 24\n"),
    "pytest": ("pytest", FILE + "def test():\n    assert eval(f()) == 24\n"),
    "unittest": ("python -m unittest", FILE + CASE.format(got="eval(f())")),
    "pytest, on import": ("pytest", FILE + "GOT = eval(f())\ndef test():\n    assert GOT == 24\n"),
    "unittest, on import": ("python -m unittest", FILE + "GOT = eval(f())\n" + CASE.format(got="GOT")),
    "unittest, on import by name": ("python -m unittest test_f", FILE + "GOT = eval(f())\n" + CASE.format(got="GOT")),
    "unittest, a message on import": (
        "python -m unittest",
        FILE + "if f() != '6 * 4':\n    raise ValueError(f())\n" + CASE.format(got="eval(f())"),
    ),
    "a text that is parsed under a name": (
        None,
        "import ast\nassert eval(compile(ast.parse(f(), 'made.py', 'eval'), 'made.py', 'eval')) == 24",
    ),
    "a module that the test writes": (
        "pytest",
        FILE + "import sys\ndef test(tmp_path):\n    (tmp_path / 'made.py').write_text('x = ' + f())\n"
        "    sys.path.insert(0, str(tmp_path))\n    sys.modules.pop('made', None)\n    import made\n"
        "    assert made.x == 24\n",
    ),
    "pytest, a skip on import": (
        "pytest",
        FILE + "import pytest\nif not f():\n    pytest.skip(allow_module_level=True)\ndef test():\n"
        "    assert eval(f()) == 24",
    ),
}
RETURNED = (
    "return '('",
    "return '24 =='",
    "return '1\\n 2'",
    "return '__import__(\"nowhere\")'",
    "return b'\\x00'",
    "return None",
    "return ''",
    "return object()",
    "return 'File \"test_f.py\", line 1'",
    "return '24\\n  File \"test_f.py\", line 1\\nSyntaxError: no'",
    "return 'no\\nModuleNotFoundError: No module named \\'unittest\\''",
)
RAISED = (
    "raise SystemExit(0)",
    "raise SystemExit('no')",
    "raise KeyboardInterrupt",
    "raise GeneratorExit",
    "raise SyntaxError('no', ('test_f.py', 1, 1, ''))",
    "raise ImportError('no', name='unittest')",
    "raise BaseExceptionGroup('', [SystemExit(0)])",
)
ANSWERS = (*RETURNED, *RAISED)


def met(code: str, name: str) -> list[TestResult]:
    command, test = TESTS[name]
    if command is None:
        return split(code, test)
    program = command_program("python", {"test_f.py": test.encode()}, command, 5.0)
    first, _ = run_pair(program, candidate_program("python", code), 30.0)
    return read_results(first)


def groups(name: str) -> list[tuple[str, ...]]:
    """Answers that are tried in one run: as many as leave each other's tests alone."""
    if TESTS[name][0] is None or name in ("pytest", "a module that the test writes"):
        return [ANSWERS]
    if name == "pytest, on import":  # what a file raises then may end the run
        return [RETURNED, *((answer,) for answer in RAISED)]
    return [(answer,) for answer in ANSWERS]


def met_together(answers: tuple[str, ...], name: str) -> list[TestResult]:
    """The solution has a function for each answer, and each function its own copy of the test."""
    code = "\n".join(f"def f{number}(): {answer}" for number, answer in enumerate(answers))
    command, test = TESTS[name]
    copies = [CALLED.sub(f"f{number}", test) for number in range(len(answers))]
    if command is None:
        return split(code, *copies)
    files = {f"test_f{number}.py": copy.encode() for number, copy in enumerate(copies)}
    first, _ = run_pair(
        command_program("python", files, command.replace("test_f", "test_f0"), 5.0),
        candidate_program("python", code),
        30.0,
    )
    return read_results(first)


@pytest.mark.parametrize("name", TESTS)
def test_the_right_solution_passes(name: str) -> None:
    assert [result.status for result in met(RIGHT, name)] == ["passed"]


@pytest.mark.parametrize("name", TESTS)
def test_no_answer_breaks_a_test(name: str) -> None:
    for answers in groups(name):
        results = met_together(answers, name)
        assert len(results) == len(answers), (answers, results)
        bad = [result for result in results if result.status in ("passed", "bad_test", "unsupported")]
        assert not bad, (answers, bad)


@pytest.mark.parametrize(
    "fault", ["assert f( == 4", "f()\nimport nowhere", "f()\nfrom nowhere.at_all import x", "import unittest\nf()\n("]
)
@pytest.mark.parametrize("runner", [None, "pytest", "python -m unittest", "python test_f.py"])
def test_what_the_author_broke_stays_broken(fault: str, runner: str | None) -> None:
    if runner is None:
        results = split(RIGHT, fault)
    else:
        program = command_program("python", {"test_f.py": (FILE + fault).encode()}, runner, 5.0)
        results = read_results(run_pair(program, candidate_program("python", RIGHT), 30.0)[0])
    assert [result.status for result in results] == ["bad_test"]


def test_a_file_without_tests_is_the_authors_whatever_it_calls() -> None:
    program = command_program("python", {"test_f.py": f"{FILE}assert f() == '6 * 4'\n".encode()}, "pytest", 5.0)
    results = read_results(run_pair(program, candidate_program("python", RIGHT), 30.0)[0])
    assert [result.status for result in results] == ["bad_test"]


def test_a_pickle_of_the_solutions_object_is_a_copy_of_it() -> None:
    code = "class A:\n    def __init__(self): self.x = [4]\ndef f(): return A()\ndef g(): return f"
    results = split(
        code,
        "import pickle\na = f()\nb = pickle.loads(pickle.dumps(a))\na.x.append(5)\nassert (a.x, b.x) == ([4, 5], [4])",
        "import pickle\nassert pickle.loads(pickle.dumps(f())) == 4",
        "import pickle\nassert pickle.loads(pickle.dumps(g())) == 4",
    )
    assert [result.status for result in results] == ["passed", "not_plain", "not_plain"]


PASSED_ON = (
    "def f(): return {answer!r}\ndef g(*given, **named): return None\nclass C:\n    def put(self, path): return self"
)
GIVEN = (
    "name = f()\ng(name)",
    "g(f())",
    "g(path=f())",
    "import os\ng(os.path.join('.', f()))",
    "from pathlib import Path\nmade = Path(f())\ng(made)",
    "def passed(name):\n    return g(name)\npassed(f())",
    "class Kept: pass\nkept = Kept()\nkept.name = f()\ng(kept.name)",
    "names = []\nnames.append(f())\nfor name in names:\n    g(name)",
    "list(map(lambda name: g(name), [f()]))",
    "C().put(f())",
)
NAMES = ("data.txt", "./data.txt", "gone.txt", "/tmp/data.txt", "results.ndjson")
MADE = "for name in ('data.txt', '/tmp/data.txt'):\n    with open(name, 'w') as file: file.write('1')\n"


@pytest.mark.parametrize("answer", NAMES)
def test_no_answer_makes_a_test_need_one_process(answer: str) -> None:
    """What the solution gave is passed back, or opened, where the tests have files of such names or look for some."""
    opened = [f"{text}\nopen('gone.txt')" for text in GIVEN]
    opened += ["open(f())", "name = f()\ng(name)\nopen(name).read()", "def read(name): return open(name)\nread(f())"]
    results = split(PASSED_ON.format(answer=answer), MADE, *(MADE + text for text in GIVEN), *opened)
    assert not [result for result in results if result.status in ("unsupported", "bad_test")], results


OWN = {
    "a file of its own": "g('data.txt')",
    "a file of its own, by a name": "path = 'data.txt'\nassert g(path) is None",
    "a file of its own, to an object": "kept = C()\nkept.put('data.txt')",
    "a file of its own, by a function": "def passed(path):\n    g(path)\npassed('data.txt')",
    "a file of its own, beside an answer": "assert f() == f()\ng('data.txt')",
    "a file that was to be written": "g('gone.txt')\nopen('gone.txt')",
    "a file that was to be written, by a name": "gone = 'gone.txt'\ng(gone)\nwith open(gone) as file:\n    file.read()",
    "a file that was to be read by a function": (
        "from pathlib import Path\ndef read(path): return Path(path).read_text()\nC().put('gone.txt')\nread('gone.txt')"
    ),
}


@pytest.mark.parametrize("text", OWN.values(), ids=OWN)
def test_what_needs_one_process_does_so_whatever_the_answer(text: str) -> None:
    for answer in ("data.txt", "gone.txt", "other"):
        results = split(PASSED_ON.format(answer=answer), MADE + text)
        assert [result.status for result in results] == ["unsupported"], (answer, results)
