"""Call syntaxes beside JSON: XML of three families, and Python; what is malformed is told from what is wrong."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from verifiers.tool_call import ToolCallVerifier

WANTED: JsonValue = {"name": "weather", "arguments": {"city": "Paris", "days": 3}}
TOOLS: JsonValue = [
    {
        "type": "function",
        "function": {
            "name": "weather",
            "parameters": {"properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}}},
        },
    },
    {"name": "time", "parameters": {"type": "dict", "properties": {}}},
]


def judged(response: str, wanted: JsonValue = WANTED, tools: JsonValue = TOOLS) -> Verdict:
    return ToolCallVerifier().verify([Sample(response=response, reference=wanted, metadata={"tools": tools})])[0]


@pytest.mark.parametrize(
    ("response", "rule"),
    [
        ('weather(city="Paris", days=3)', "python"),
        ("[weather(city='Paris', days=3)]", "python"),
        ("I look it up.\n\n[weather(city='Paris', days=3)]", "python"),
        ("```python\nweather(city='Paris', days=3)\n```", "python"),
        ("```tool_code\nweather(city='Paris', days=3)\n```", "python"),
        ("[\n  weather(\n    days=3,\n    city='Paris',\n  )\n]", "python"),
        ("<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>3</parameter></function>", "xml"),
        (
            "<tool_call>\n<function=weather>\n<parameter=city>\nParis\n</parameter>\n<parameter=days>\n3\n</parameter>\n"
            "</function>\n</tool_call>",
            "tag",
        ),
        (
            '<function_calls>\n<invoke name="weather">\n<parameter name="city">Paris</parameter>\n'
            '<parameter name="days">3</parameter>\n</invoke>\n</function_calls>',
            "xml",
        ),
        (
            "<tool_call>weather\n<arg_key>city</arg_key>\n<arg_value>Paris</arg_value>\n<arg_key>days</arg_key>\n"
            "<arg_value>3</arg_value>\n</tool_call>",
            "tag",
        ),
        ('{"name": "weather", "arguments": {"city": "Paris"}}', "json"),
    ],
)
def test_the_same_call_in_every_syntax(response: str, rule: str) -> None:
    verdict = judged(response)
    assert (verdict.reason_code, verdict.evidence.get("rule")) == ("same_calls", rule)


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("weather(city='Rome', days=3)", "other_arguments"),
        ("[time(city='Paris', days=3)]", "other_name"),
        ("weather('Paris', 3)", "malformed_call"),
        ("weather(city='Paris', **more)", "malformed_call"),
        ("weather(city='Paris', city='Rome')", "malformed_call"),
        ("weather(city=get_city(), days=3)", "malformed_call"),
        ("[weather(city='Paris', days=3)]\n[weather(city='Rome', days=3)]", "other_number"),
        ("[weather(city='Rome', days=3)]\n\nI mean:\n\n[weather(city='Paris', days=3)]", "malformed_call"),
        ("print('Paris')", "no_call"),
        ("```python\nprint(city)\n```", "no_call"),
        ("weather(city='Paris', days=3", "no_call"),
        ("<function=weather><parameter=city>Paris</parameter>", "malformed_call"),
        ("<function=weather><parameter=city>Rome</parameter></function>", "other_arguments"),
        ("<function=weather></parameter></function>", "malformed_call"),
        ("<function=weather><function=time></function></function>", "malformed_call"),
        (
            "<function=weather><parameter=city>Paris</parameter><parameter=city>Rome</parameter></function>",
            "malformed_call",
        ),
        (
            "<tool_call>weather\n<arg_key>city</arg_key><arg_value>Paris</arg_value> and more</tool_call>",
            "malformed_call",
        ),
        (
            '<tool_call>{"name": "weather", "arguments": {"city": "Paris"}}</tool_call>'
            "<function=weather><parameter=city>Rome</parameter></function>",
            "malformed_call",
        ),
    ],
)
def test_what_is_malformed_is_told_from_what_is_wrong(response: str, code: str) -> None:
    said = judged(response).reason_code
    assert said == code or (code == "other_number" and said in ("extra_call", "malformed_call"))


def test_what_xml_leaves_without_a_type_is_read_as_the_reference_has_it() -> None:
    def call(value: str) -> str:
        return f"<function=f><parameter=x>{value}</parameter></function>"

    pairs: list[tuple[str, JsonValue, bool]] = [
        ("3", 3, True),
        ("3", "3", True),
        ("3.0", 3, True),
        ("true", True, True),
        ("True", True, True),
        ("null", None, True),
        ("[1, 2]", [1, 2], True),
        ('{"a": "b"}', {"a": "b"}, True),
        ("x < 3 & y", "x < 3 & y", True),
        ("true", 1, False),
        ("4", 3, False),
    ]
    for value, wanted, right in pairs:
        verdict = judged(call(value), {"name": "f", "arguments": {"x": wanted}}, tools=None)
        assert (verdict.reason_code == "same_calls") is right, (value, wanted, verdict)


def test_an_argument_left_out_has_its_tools_default() -> None:
    one: JsonValue = {"name": "weather", "arguments": {"city": "Paris"}}
    assert judged('{"name": "weather", "arguments": {"city": "Paris", "days": 3}}', one).reason_code == "same_calls"
    assert (
        judged('{"name": "weather", "arguments": {"city": "Paris", "days": 4}}', one).reason_code == "other_arguments"
    )
    assert judged('{"name": "weather", "arguments": {"city": "Paris"}}', tools=None).reason_code == "other_arguments"


def test_a_name_without_its_dots_means_the_tool() -> None:
    wanted: JsonValue = {"name": "uber.ride", "arguments": {}}
    assert judged('{"name": "uber_ride", "arguments": {}}', wanted, tools=None).reason_code == "same_calls"
    both: JsonValue = [{"name": "uber.ride"}, {"name": "uber_ride"}]
    assert judged('{"name": "uber_ride", "arguments": {}}', wanted, tools=both).reason_code == "other_name"


@pytest.mark.parametrize("tools", ["{", 1, [1], [{}], [{"name": "f", "parameters": {"properties": []}}]])
def test_tools_that_cannot_be_read_are_the_callers(tools: JsonValue) -> None:
    assert judged("weather(city='Paris')", tools=tools).reason_code == "bad_tools"


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.sampled_from(
            (
                *(
                    "weather(",
                    "[",
                    "]",
                    ")",
                    "city=",
                    "'Paris'",
                    "3",
                    ",",
                    "from=",
                    "\n",
                    "<function=weather>",
                    "<parameter=city>",
                ),
                *(
                    "</parameter>",
                    "</function>",
                    "<tool_call>",
                    "</tool_call>",
                    "<arg_key>",
                    "</arg_key>",
                    "<arg_value>",
                ),
                *(
                    "</arg_value>",
                    "```python",
                    "```",
                    "{",
                    "}",
                    '"name"',
                    "-",
                    "f'{",
                    "\\",
                    "\x00",
                    "(" * 300,
                    "-" * 5_000,
                    "é",
                ),
                *(
                    "lambda: 0",
                    "1e999",
                    "9" * 5_000,
                    "\ud800",
                    "<invoke name='a'>",
                    "</invoke>",
                    '<invoke name="a">',
                    "a.b(",
                ),
            )
        ),
        max_size=14,
    ).map("".join)
)
def test_no_text_crashes_the_reading(response: str) -> None:
    for wanted in (WANTED, {"bfcl": [{"weather": {"city": ["Paris"], "days": [3, ""]}}]}):
        verdict = ToolCallVerifier().verify([Sample(response=response, reference=wanted)])[0]
        assert not verdict.outcome.missing
        assert verdict.reason_code != "unjudgeable_response"
