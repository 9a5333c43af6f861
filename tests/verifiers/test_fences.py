"""However a model fences its answer, and whatever stands beside the block, each verifier finds the same answer."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample
from verifiers import registry
from verifiers.extract import Answer
from verifiers.extract.fence import fences
from verifiers.sql.query import query_of

CALL: dict[str, JsonValue] = {"name": "weather", "arguments": {"city": "Paris", "days": 3}}
BREAKS = st.sampled_from(["\n", "\r\n"])
MARKS = st.sampled_from(["```", "````", "~~~", "~~~~~"])
INDENTS = st.sampled_from(["", "  ", "   ", "    ", "\t"])
BEFORE = st.sampled_from(["", "Sure! Here it is:\n\n", "1. The answer:\n", "- see below\n", "The input was `a, b`.\n"])
AFTER = st.sampled_from(
    [
        "",
        "\n\nLet me know.",
        "\nUse it:\n```python\nimport this\n```",
        "\nRun it:\n```bash\nls\n```\n",
        "\n~~~text\nout\n~~~",
    ]
)


def fence(text: str, label: str, mark: str, indent: str) -> str:
    return "\n".join(indent + line for line in [mark + label, *text.split("\n"), mark])


@given(
    BEFORE, AFTER, MARKS, INDENTS, BREAKS, st.sampled_from(["json", "JSON", "", "jsonc", "{.json}", 'json title="a"'])
)
def test_a_document_is_found_in_any_fence(
    before: str, after: str, mark: str, indent: str, line: str, label: str
) -> None:
    text = json.dumps(CALL, indent=1)
    response = (before + fence(text, label, mark, indent) + after).replace("\n", line)
    [verdict] = registry.create("json", {}).verify([Sample(response=response, reference=CALL)])
    assert verdict.outcome == "correct", (response, verdict)


@given(BEFORE, MARKS, INDENTS, BREAKS, st.sampled_from(["json", "JSON", "", "tool_call", "json tool"]))
def test_a_call_is_found_in_any_fence(before: str, mark: str, indent: str, line: str, label: str) -> None:
    response = (before + fence(json.dumps(CALL), label, mark, indent)).replace("\n", line)
    [verdict] = registry.create("tool_call", {}).verify([Sample(response=response, reference=CALL)])
    assert verdict.outcome == "correct", (response, verdict)


@given(BEFORE, AFTER, MARKS, INDENTS, BREAKS, st.sampled_from(["sql", "SQL", "", "sqlite", "postgresql", "{.sql}"]))
def test_a_query_is_found_in_any_fence(before: str, after: str, mark: str, indent: str, line: str, label: str) -> None:
    response = (before + fence("SELECT a\nFROM t", label, mark, indent) + after).replace("\n", line)
    found = query_of(Sample(response=response))
    assert isinstance(found, Answer), response
    assert found.text.split() == ["SELECT", "a", "FROM", "t"]


_CODE = st.lists(st.sampled_from(["x = 1", "if x:", "    y = `2`", "", "'```'", "# see ``` above"]), min_size=1).map(
    "\n".join
)


@given(
    _CODE,
    MARKS,
    INDENTS,
    st.sampled_from(["    ", "      ", "\t", "        "]),
    st.sampled_from(["", "python", "text"]),
)
def test_a_fence_in_a_docstring_is_its_text(code: str, mark: str, indent: str, deeper: str, label: str) -> None:
    program = f'{code}\ndef f():\n{deeper}"""\n{deeper}{mark}{label}\n{deeper}f()\n{deeper}{mark}\n{deeper}"""'
    response = f"Here:\n{fence(program, 'python', mark, indent)}\nDone.\n"
    assert [one.text for one in fences(response)] == [program]


@given(_CODE, MARKS, INDENTS, st.sampled_from(["", " ", "\n", "\nIt prints 1.", "\r\nIt does `f()`.\n"]))
def test_a_fence_at_the_end_of_the_last_line_of_code_closes_it(code: str, mark: str, indent: str, after: str) -> None:
    program = f"{code}\nprint(1)"
    opened = fence(program, "python", mark, indent).rpartition("\n")[0]
    [one] = fences(f"Here:\n{opened}{mark}{after}")
    assert (one.text, one.closed) == (program, True)


@given(MARKS, st.sampled_from(["- ", "* ", "1. ", "12) ", "  - "]))
def test_a_fence_behind_the_mark_of_an_item_opens_a_block(mark: str, item: str) -> None:
    indent = " " * len(item)
    response = f"Steps:\n{item}{mark}python\n{indent}if x:\n{indent}    y\n{indent}{mark}\n{item}Then run it.\n"
    assert [one.text for one in fences(response)] == ["if x:\n    y"]


@given(st.text(alphabet="`~ \n\t{}a-1.", max_size=80))
def test_blocks_stand_in_order_where_they_say(text: str) -> None:
    end = 0
    for one in fences(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end].lstrip(" \t-1.").startswith(("```", "~~~"))
        end = one.end


@pytest.mark.parametrize("mark", ["</think>", "<think>", "<answer>", "</answer>", "<answer>{}</answer>", "```"])
@given(key=st.text(alphabet="ab<>/", max_size=4), nested=st.booleans())
def test_marks_in_the_texts_of_a_document_are_its_text(mark: str, key: str, *, nested: bool) -> None:
    document: JsonValue = {key: f"x {mark} y"}
    document = {"in": [document]} if nested else document
    for response in (json.dumps(document), json.dumps(document, indent=2)):
        [verdict] = registry.create("json", {}).verify([Sample(response=response, reference=document)])
        assert verdict.outcome == "correct", (response, verdict)
