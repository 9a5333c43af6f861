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


@given(st.text(alphabet="`~ \n\t{}a", max_size=80))
def test_blocks_stand_in_order_where_they_say(text: str) -> None:
    end = 0
    for one in fences(text):
        assert end <= one.start < one.end <= len(text)
        assert text[one.start : one.end].lstrip(" \t").startswith(("```", "~~~"))
        end = one.end


@pytest.mark.parametrize("mark", ["</think>", "<think>", "<answer>", "</answer>", "<answer>{}</answer>", "```"])
@given(key=st.text(alphabet="ab<>/", max_size=4), nested=st.booleans())
def test_marks_in_the_texts_of_a_document_are_its_text(mark: str, key: str, *, nested: bool) -> None:
    document: JsonValue = {key: f"x {mark} y"}
    document = {"in": [document]} if nested else document
    for response in (json.dumps(document), json.dumps(document, indent=2)):
        [verdict] = registry.create("json", {}).verify([Sample(response=response, reference=document)])
        assert verdict.outcome == "correct", (response, verdict)
