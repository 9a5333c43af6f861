"""The program in a response: fences of Markdown, policies for several blocks, languages, never the thinking."""

from __future__ import annotations

import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trueward import Sample
from verifiers.code.block import Choice, Code, blocks, code
from verifiers.code.suite import suite
from verifiers.extract import NoAnswer


def found(response: str, wanted: str | None = None, choice: Choice = "last") -> Code:
    result = code(Sample(response=response), wanted, choice)
    assert isinstance(result, Code), result
    return result


def refused(response: str, wanted: str | None = None, choice: Choice = "last") -> str:
    result = code(Sample(response=response), wanted, choice)
    assert isinstance(result, NoAnswer), result
    return result.reason_code


@pytest.mark.parametrize(
    ("response", "text"),
    [
        ("```python\na\nb\n```", "a\nb"),
        ("~~~python\na\n~~~", "a"),
        ("text\n\n```\na\n```\ntext", "a"),
        ("````python\n```\na\n```\n````", "```\na\n```"),
        ("```python\na\n~~~\nb\n```", "a\n~~~\nb"),
        ("```python\na\n``` not closed here\nb\n```", "a\n``` not closed here\nb"),
        ("```python\na", "a"),
        ("```python\r\na\r\n```\r\n", "a\r"),
        ("1. Do it:\n   ```python\n   def f():\n       return 1\n   ```", "def f():\n    return 1"),
        ("> The code:\n>\n> ```python\n> def f():\n>     return 1\n> ```\nafter", "def f():\n    return 1"),
        ("> ```python\n> a\nafter the quote", "a"),
        (">> ```\n>> a\n> ```\n", "a"),
        ("```python\na\n> ```\nb\n```", "a\n> ```\nb"),
        ("<answer>```python\na\n```</answer>", "a"),
        ("<answer> <code>```python\na\nb```</code></answer>", "a\nb"),
        ("<answer>\n```python\na\n```</answer>\nDone.", "a"),
        ("The code: ```python\na\n```", "a"),
        ("Use ```python fences.\n```python\na\n```", "a"),
        ("Write it in ```python\n```python\na\n```", "a"),
        ("```markdown\n# Title\n```python\na\n```\n```", "a"),
        ("```python\na\n```\n```\n", "a"),
        ("```python title=x\na\n```", "a"),
        ("``` python\na\n```", "a"),
        ("```{.python}\na\n```", "a"),
        ("```python\na\n`````", "a"),
        ("inline ```code``` here\n```python\na\n```", "a"),
        ("```print(1)```\n\n```python\na\n```", "a"),
        ("<think>```python\nno\n```</think>```python\nyes\n```", "yes"),
        ("<answer>\n```python\na\n```\n</answer>", "a"),
    ],
)
def test_a_fenced_block_is_found(response: str, text: str) -> None:
    assert found(response).text == text


THREE = "```python\nfirst\n```\nthen\n```python\nthe largest\n```\nlast\n```python\nlast\n```"


@pytest.mark.parametrize(
    ("choice", "text"),
    [
        ("last", "last"),
        ("first", "first"),
        ("largest", "the largest"),
        ("joined", "first\nthe largest\nlast"),
        ("whole", THREE),
    ],
)
def test_which_of_several_blocks_counts_is_the_callers_choice(choice: Choice, text: str) -> None:
    assert found(THREE, choice=choice).text == text


def test_of_two_largest_blocks_the_later_counts() -> None:
    assert found("```python\na\n```\n```python\nb\n```", choice="largest").text == "b"


@pytest.mark.parametrize(
    ("response", "wanted", "text", "language"),
    [
        ("```python\np\n```\n```\noutput\n```", "python", "p", "python"),
        ("```python\np\n```\n```\noutput\n```", None, "p", "python"),
        ("```python\np\n```\n```js\nj\n```", "python", "p", "python"),
        ("```js\nj\n```", "python", "j", "python"),
        ("```\nc\n```", "c", "c", "c"),
        ("```\np\n```", None, "p", "python"),
        ("```py3\np\n```", None, "p", "python"),
        ("```C++\nc\n```", None, "c", "cpp"),
        ("```python\np\n```\nRun it:\n```bash\npython p.py\n```", None, "p", "python"),
        ("```bash\necho 1\n```", None, "echo 1", "bash"),
        ("```cpp\nc\n```\n```output\n5\n```", None, "c", "cpp"),
        ("```unheard-of\nx\n```", "python", "x", "python"),
    ],
)
def test_blocks_in_the_wanted_language_come_first(response: str, wanted: str | None, text: str, language: str) -> None:
    result = found(response, wanted)
    assert (result.text, result.language) == (text, language)


def test_who_chose_the_language_is_known() -> None:
    assert found("```c\nx\n```").chosen
    assert not found("```c\nx\n```", wanted="c").chosen
    assert not found("```\nx\n```").chosen


def test_blocks_are_joined_in_one_language_alone() -> None:
    result = found("```c\nc\n```\n```python\na\n```\n```python\nb\n```", choice="joined")
    assert (result.text, result.language, result.blocks) == ("a\nb", "python", 2)


@pytest.mark.parametrize(
    ("response", "wanted", "code"),
    [
        ("no code at all", None, "no_code"),
        ("print(1)", "python", "no_code"),
        ("```python\n```", None, "no_code"),
        ("```python\n  \n\n```", None, "no_code"),
        ("<think>```python\nprint(1)\n```", None, "unclosed_thinking"),
        ("<think>```python\nprint(1)\n```</think>", None, "no_code"),
        ("```klingon\nx\n```", None, "unsupported_language"),
        ("```python\n" + "x" * 1_000_001 + "\n```", None, "too_long"),
    ],
)
def test_no_program_is_the_responses_own_doing(response: str, wanted: str | None, code: str) -> None:
    assert refused(response, wanted) == code


def test_thinking_that_the_template_opened_does_not_count() -> None:
    sample = Sample(response="```python\nno\n```</think>```python\nyes\n```", prefix="<think>")
    result = code(sample, None, "first")
    assert isinstance(result, Code)
    assert result.text == "yes"


LINES = st.lists(st.sampled_from(["a", "  b", "", "``", "x ``` y", "~~", "\tc", "é"]), min_size=1)


@given(LINES, st.sampled_from(["```", "````", "~~~"]), st.sampled_from(["", "python", "c++", "unknown"]))
def test_a_block_is_what_stands_between_its_fences(lines: list[str], mark: str, tag: str) -> None:
    text = "\n".join(lines)
    [block] = blocks(f"before\n{mark}{tag}\n{text}\n{mark}\nafter")
    assert block.text == text


@given(st.text(alphabet="`~ \n\ta{.", max_size=200))
def test_no_text_makes_extraction_raise(text: str) -> None:
    blocks(text)
    code(Sample(response=text), None, "joined")


@pytest.mark.parametrize("unit", ["```\n", "```python\nx\n", "~~~", "`", "   ```x\n", "{.", "`````` a\n"])
def test_extraction_is_linear(unit: str) -> None:
    text = unit * (1_000_000 // len(unit))
    start = time.process_time()
    blocks(text)
    assert time.process_time() - start < 5


ADD = "def add(a, b):\n    return a + b"


@pytest.mark.parametrize(
    ("after", "taken"),
    [
        ("print(add(1, 2))", ADD),
        ("assert add(1, 2) == 3", ADD),
        ("class Tests:\n    def test(self): assert add(1, 2) == 3", ADD),
        ("result = add(1, 2)", ADD),
        ("def add(a, b):\n    return b + a", "def add(a, b):\n    return b + a"),
        ("add = print", ADD),
        ("add: object = print", ADD),
        ("async def add(a, b): ...", "async def add(a, b): ..."),
        ("    def add(a, b): ...", ADD),
    ],
)
def test_the_last_block_is_the_last_that_defines_what_the_tests_name(after: str, taken: str) -> None:
    response = f"```python\n{ADD}\n```\nIts use:\n```python\n{after}\n```"
    result = code(Sample(response=response), "python", "last", lambda: {"add"})
    assert isinstance(result, Code)
    assert result.text == taken


def test_where_no_block_defines_it_the_last_counts() -> None:
    response = "```python\nx = 1\n```\n```python\ny = 2\n```"
    result = code(Sample(response=response), "python", "last", lambda: {"add"})
    assert isinstance(result, Code)
    assert result.text == "y = 2"


@pytest.mark.parametrize(
    ("reference", "names"),
    [
        ({"calls": [{"function": "f", "args": [], "expected": 1}]}, {"f"}),
        ({"calls": [{"function": "Solution.f", "args": [], "expected": 1}]}, {"Solution"}),
        ({"calls": [{"class": "Box", "methods": [{"method": "pop"}]}]}, {"Box"}),
        ({"assertions": ["def check(candidate):\n    assert candidate(1) == 2"], "entry_point": "f"}, {"f"}),
        ({"assertions": ["xs = [1]\nassert sorted(f(xs, key=1)) == len(xs)"]}, {"f"}),
        ({"files": {"test_a.py": "from solution import f, g\ndef test(): pass\n"}, "command": "pytest"}, {"f", "g"}),
        ({"stdio": [{"stdin": "1", "stdout": "2"}]}, set()),
    ],
)
def test_the_names_that_tests_use_are_the_solutions_alone(reference: dict[str, object], names: set[str]) -> None:
    assert suite(json.dumps(reference)).tested == names


@pytest.mark.parametrize(
    ("draft", "after"),
    [
        ("def add(a, b):\n    return a + b", "expected = 5\nprint(add(2, 3) == expected)"),
        ("const add = (a, b) => a + b;", "const assert = require('assert');\nassert.equal(add(1, 2), 3);"),
        ("export const add = function (a, b) { return a + b; };", "expected = add(1, 2);"),
        ("add = lambda a, b: a + b", "assert = 1"),
    ],
)
def test_a_name_that_an_example_binds_does_not_make_it_the_program(draft: str, after: str) -> None:
    response = f"```\n{draft}\n```\nIts use:\n```\n{after}\n```"
    result = code(Sample(response=response), "python", "last", lambda: {"add", "assert", "expected"})
    assert isinstance(result, Code)
    assert result.text == draft


@pytest.mark.parametrize(
    "text",
    [
        ">" * 300_000 + "```python\n" + ">" * 300_000,
        "```python\nx" + "</a>" * 150_000,
        "```python\nx" + "</a> " * 150_000,
    ],
)
def test_a_block_of_one_long_line_is_read_in_linear_time(text: str) -> None:
    start = time.process_time()
    code(Sample(response=text), "python", "last")
    assert time.process_time() - start < 5


@pytest.mark.parametrize("bound", ["add = int.__add__", "add: object = int.__add__"])
def test_a_name_that_is_bound_is_defined_where_no_function_is(bound: str) -> None:
    response = f"```python\n{bound}\n```\nIts use:\n```python\nprint(add(1, 2))\n```"
    result = code(Sample(response=response), "python", "last", lambda: {"add"})
    assert isinstance(result, Code)
    assert result.text == bound
