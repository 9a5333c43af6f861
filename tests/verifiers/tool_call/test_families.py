"""The call syntaxes that families of models are trained to write: each is read, and its near misses are refused.

The formats are those of the models' chat templates and of the tool parsers of vLLM and llama.cpp.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import JsonValue

from trueward import Sample, Verdict
from verifiers.tool_call import ToolCallVerifier

Calls = list[tuple[str, dict[str, JsonValue]]]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _listed(calls: Calls, name: str = "name", arguments: str = "arguments") -> str:
    return _json([{name: tool, arguments: given} for tool, given in calls])


def _python(calls: Calls) -> str:
    return ", ".join(
        f"{name}({', '.join(f'{key}={value!r}' for key, value in given.items())})" for name, given in calls
    )


def _xml(value: JsonValue) -> str:
    return value if isinstance(value, str) else _json(value)


def _deepseek_3_2(calls: Calls) -> str:
    written = [
        f'<｜DSML｜invoke name="{name}">\n'
        + "".join(
            f'<｜DSML｜parameter name="{key}" string="{_json(isinstance(value, str))}">'
            f"{_xml(value)}</｜DSML｜parameter>\n"
            for key, value in given.items()
        )
        + "</｜DSML｜invoke>\n"
        for name, given in calls
    ]
    return f"<｜DSML｜function_calls>\n{''.join(written)}</｜DSML｜function_calls>"


FAMILIES: dict[str, tuple[str, Callable[[Calls], str]]] = {
    "mistral": ("token", lambda calls: f"[TOOL_CALLS] {_listed(calls)}"),
    "mistral with names": (
        "token",
        lambda calls: "".join(f"[TOOL_CALLS]{name}[ARGS]{_json(given)}" for name, given in calls),
    ),
    "mistral with numbers": (
        "token",
        lambda calls: "".join(f"[TOOL_CALLS]{name}[CALL_ID]a1B2c3D4e[ARGS]{_json(given)}" for name, given in calls),
    ),
    "deepseek 3": (
        "token",
        lambda calls: (
            "<｜tool▁calls▁begin｜>"
            + "\n".join(
                f"<｜tool▁call▁begin｜>function<｜tool▁sep｜>{name}\n```json\n{_json(given)}\n```<｜tool▁call▁end｜>"
                for name, given in calls
            )
            + "<｜tool▁calls▁end｜>"
        ),
    ),
    "deepseek 3.1": (
        "token",
        lambda calls: (
            "<｜tool▁calls▁begin｜>"
            + "".join(
                f"<｜tool▁call▁begin｜>{name}<｜tool▁sep｜>{_json(given)}<｜tool▁call▁end｜>" for name, given in calls
            )
            + "<｜tool▁calls▁end｜>"
        ),
    ),
    "deepseek 3.2": ("xml", _deepseek_3_2),
    "kimi": (
        "token",
        lambda calls: (
            "<|tool_calls_section_begin|>"
            + "".join(
                f"<|tool_call_begin|>functions.{name}:{place}<|tool_call_argument_begin|>{_json(given)}<|tool_call_end|>"
                for place, (name, given) in enumerate(calls)
            )
            + "<|tool_calls_section_end|>"
        ),
    ),
    "llama": (
        "token",
        lambda calls: "<|python_tag|>" + "; ".join(_json({"name": name, "parameters": given}) for name, given in calls),
    ),
    "llama in python": ("token", lambda calls: f"<|python_tag|>{_python(calls)}<|eom_id|>"),
    "phi": ("token", lambda calls: f"functools{_listed(calls)}"),
    "phi with tokens": ("token", lambda calls: f"<|tool_call|>{_listed(calls)}<|/tool_call|>"),
    "cohere": (
        "token",
        lambda calls: f"<|START_ACTION|>{_listed(calls, 'tool_name', 'parameters')}<|END_ACTION|>",
    ),
    "cohere in a fence": ("fence", lambda calls: f"Action: ```json\n{_listed(calls, 'tool_name', 'parameters')}\n```"),
    "internlm": (
        "token",
        lambda calls: "".join(
            f"<|action_start|><|plugin|>{_json({'name': name, 'parameters': given})}<|action_end|>"
            for name, given in calls
        ),
    ),
    "nemotron": ("token", lambda calls: f"<TOOLCALL>{_listed(calls)}</TOOLCALL>"),
    "jamba": ("token", lambda calls: f"<tool_calls>{_listed(calls)}</tool_calls>"),
    "lfm": ("token", lambda calls: f"<|tool_call_start|>[{_python(calls)}]<|tool_call_end|>"),
    "harmony": (
        "harmony",
        lambda calls: (
            "<|channel|>analysis<|message|>We need weather, maybe in Rome.<|end|>"
            + "".join(
                f"<|start|>assistant<|channel|>commentary to=functions.{name} <|constrain|>json<|message|>"
                f"{_json(given)}<|call|>"
                for name, given in calls
            )
        ),
    ),
    "harmony with the recipient first": (
        "harmony",
        lambda calls: "".join(
            f"<|start|>assistant to=functions.{name}<|channel|>commentary json<|message|>{_json(given)}<|call|>"
            for name, given in calls
        ),
    ),
    "react": (
        "react",
        lambda calls: (
            "Thought: I look it up.\n"
            + "\n".join(f"Action: {name}\nAction Input: {_json(given)}" for name, given in calls)
        ),
    ),
    "react in fences": (
        "react",
        lambda calls: "\n".join(
            f"**Action:** `{name}`\n**Action Input:**\n```json\n{_json(given)}\n```" for name, given in calls
        ),
    ),
}
"""What each family writes for calls, and the rule that finds it."""

_RESERVED = {"as", "and", "or", "not", "in", "is", "if", "for", "def", "del", "try", "function", "none", "null", "true"}
_NAMES = st.from_regex(r"[a-z][a-z0-9_]{0,9}", fullmatch=True).filter(lambda name: name not in _RESERVED)
_TEXTS = st.text(st.sampled_from("abcXYZ 019,;:'\"\\(){}[]äöß京都-+*/=|"), max_size=12).map(str.strip)
_VALUES: st.SearchStrategy[JsonValue] = st.recursive(
    st.one_of(_TEXTS, st.integers(-(10**6), 10**6), st.sampled_from([0.5, -2.25, 1e9])),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(_NAMES, inner, max_size=3)),
    max_leaves=5,
)
_CALLS = st.lists(st.tuples(_NAMES, st.dictionaries(_NAMES, _VALUES, min_size=1, max_size=3)), min_size=1, max_size=3)


def judged(response: str, calls: Calls, prefix: str | None = None) -> Verdict:
    wanted: JsonValue = {"calls": [{"name": name, "arguments": given} for name, given in calls]}
    return ToolCallVerifier().verify([Sample(response=response, reference=wanted, prefix=prefix)])[0]


PARIS: Calls = [("weather", {"city": "Paris", "days": 3})]
ROME: Calls = [("weather", {"city": "Rome", "days": 3})]


@pytest.mark.parametrize("family", FAMILIES)
@settings(max_examples=12, deadline=None)
@given(_CALLS)
def test_calls_are_read_as_their_family_writes_them(family: str, calls: Calls) -> None:
    rule, write = FAMILIES[family]
    verdict = judged(write(calls), calls)
    assert (verdict.reason_code, verdict.evidence.get("rule")) == ("same_calls", rule), (write(calls), verdict)
    name, arguments = calls[-1]
    key = min(arguments)
    other: Calls = [*calls[:-1], (name, {**arguments, key: "another value"})]
    assert judged(write(other), calls).outcome != "correct"
    assert judged(write([*calls[:-1], (f"{name}x", arguments)]), calls).outcome != "correct"
    assert judged(write([*calls, calls[0]]), calls).outcome != "correct"
    assert judged(write(calls), []).outcome != "correct"


@pytest.mark.parametrize("family", FAMILIES)
def test_the_near_misses_of_a_family_have_their_own_reasons(family: str) -> None:
    _, write = FAMILIES[family]
    assert judged(write(ROME), PARIS).reason_code == "other_arguments"
    assert judged(write([("time", PARIS[0][1])]), PARIS).reason_code == "other_name"
    assert judged(write([*PARIS, *ROME]), PARIS).reason_code == "extra_call"
    assert judged(write(PARIS), [*PARIS, *ROME]).reason_code == "missing_call"
    assert judged(f"{write(PARIS)}\n{_json({'name': 'weather', 'arguments': ROME[0][1]})}", PARIS).outcome != "correct"


@pytest.mark.parametrize("first", FAMILIES)
def test_a_call_of_another_family_beside_it_is_no_less_a_call(first: str) -> None:
    for second, (_, write) in FAMILIES.items():
        text = f"{FAMILIES[first][1](PARIS)}\n\n{write(ROME)}\n"
        assert judged(text, PARIS).outcome != "correct", second
        assert judged(text, ROME).outcome != "correct", second


@settings(max_examples=100, deadline=None)
@given(st.lists(st.sampled_from(sorted(FAMILIES)), min_size=1, max_size=2), st.data())
def test_whatever_is_cut_or_spliced_is_the_responses_doing(families: list[str], data: st.DataObject) -> None:
    text = "".join(FAMILIES[family][1](PARIS) for family in families)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    cut = text[:start] + data.draw(st.sampled_from(["", "{", "[" * 50, "<|call|>", "```", "[ARGS]"])) + text[end:]
    assert judged(cut, PARIS).outcome in ("correct", "incorrect", "invalid")
    assert judged(cut, ROME).outcome != "correct"


@pytest.mark.parametrize(
    "before",
    [
        "I would not call ",
        "Do not use: ",
        "Not ",
        "Example: ",
        "For example:\n",
        "An example of a call is ",
        "Instead of ",
        "e.g. ",
        "例如：",
        "Beispiel: ",
    ],
)
@pytest.mark.parametrize(
    "written",
    [
        _json({"name": "weather", "arguments": PARIS[0][1]}),
        "```json\n" + _json({"name": "weather", "arguments": PARIS[0][1]}) + "\n```",
        "\n[weather(city='Paris', days=3)]",
        '\nAction: weather\nAction Input: {"city": "Paris", "days": 3}',
    ],
)
def test_a_bare_call_that_is_denied_or_an_example_is_none(before: str, written: str) -> None:
    written = "\n" + written if written.startswith("```") else written
    assert judged(before + written, PARIS).reason_code == "malformed_call"
    assert judged(before + written, []).outcome != "correct"
    for words in ("I call ", "I'm not sure, so I ask: ", "Not known. ", "Call: "):
        assert judged(words + written, PARIS).reason_code == "same_calls"


@pytest.mark.parametrize(
    ("response", "code"),
    [
        ("[TOOL_CALLS]", "malformed_call"),
        ("[TOOL_CALLS]weather", "malformed_call"),
        ('[TOOL_CALLS]weather[ARGS]{"city": "Paris", "days": 3} time[ARGS]{}', "malformed_call"),
        ('[TOOL_CALLS]weather[ARGS]{"city": "Paris", "city": "Rome", "days": 3}', "malformed_call"),
        ('[TOOL_CALLS]weather[ARGS]{"city": "Paris", "days": NaN}', "malformed_call"),
        ('[TOOL_CALLS]weather{"city": "Paris", "days": 3}', "same_calls"),
        ('<think>[TOOL_CALLS]time[ARGS]{}</think>[TOOL_CALLS]weather[ARGS]{"city": "Paris", "days": 3}', "same_calls"),
        ('not [TOOL_CALLS]weather[ARGS]{"city": "Paris", "days": 3}', "same_calls"),
        ("<｜tool▁calls▁begin｜><｜tool▁calls▁end｜>", "no_call"),
        ("<｜tool▁calls▁begin｜>weather", "malformed_call"),
        ('<｜tool▁call▁begin｜>weather<｜tool▁sep｜>{"city": "Paris", "days": 3}', "malformed_call"),
        ('<｜tool▁call▁begin｜>weather<｜tool▁sep｜>["Paris", 3]<｜tool▁call▁end｜>', "malformed_call"),
        (
            '<｜tool▁call▁begin｜>time<｜tool▁sep｜>weather\n```json\n{"city": "Paris", "days": 3}\n```'
            "<｜tool▁call▁end｜>",
            "malformed_call",
        ),
        (
            '<|tool_call_begin|>weather<|tool_call_argument_begin|>{"city": "Paris", "days": 3}<|tool_call_end|>',
            "same_calls",
        ),
        ("<|python_tag|>print('Paris')", "malformed_call"),
        ("<|python_tag|>import os", "malformed_call"),
        ("<|python_tag|>weather.call(city='Paris', days=3)", "same_calls"),
        ("functools[1]", "no_call"),
        ("functools[" * 9_000, "no_call"),
        ("[TOOL_CALLS]" + "[" * 90_000, "malformed_call"),
        ("<|channel|>commentary to=python <|message|>{}<|call|>", "malformed_call"),
        ("<|channel|>commentary to=functions.weather json", "malformed_call"),
        ("<|channel|>commentary to=functions.weather<|message|>Paris<|call|>", "malformed_call"),
        ("<|channel|>analysis<|message|>Perhaps functions.weather.", "unclosed_thinking"),
        ("<|channel|>analysis<|message|>No tool.<|end|><|start|>assistant<|channel|>final<|message|>Sunny.", "no_call"),
        (
            "<|channel|>commentary<|message|>I look.<|end|><|start|>assistant<|channel|>commentary to=functions.weather"
            '<|message|>{"city": "Paris", "days": 3}',
            "same_calls",
        ),
        (
            '<|channel|>commentary to=functions.weather<|message|>{"city": "Paris", "days": 3}<|call|>'
            "<|start|>assistant<|channel|>commentary to=functions.time x<|message|>{}",
            "malformed_call",
        ),
        ("Action: weather\nAction Input: Paris", "malformed_call"),
        ('Action: weather\nAction Input: {"city": "Paris", "days": 3} please', "malformed_call"),
        ('Action: weather\nAction Input: {"city": "Paris", "days": 3}\nObservation: 20 degrees', "same_calls"),
        ('Action: weather\nAction Input: {"city": "Paris", "days": 3}\nFinal Answer: 20 degrees', "malformed_call"),
        ("Action: weather", "no_call"),
        ("Final Answer: it is sunny", "no_call"),
    ],
)
def test_what_a_family_does_not_write_is_no_call(response: str, code: str) -> None:
    assert judged(response, PARIS).reason_code == code


def test_the_header_of_a_message_may_stand_in_the_generation_prefix() -> None:
    whole = (
        '<|channel|>commentary to=functions.weather <|constrain|>json<|message|>{"city": "Paris", "days": 3}<|call|>'
    )
    for cut in ("<|channel|>", "functions.weather", "<|message|>"):
        at = whole.index(cut) + len(cut)
        assert judged(whole[at:], PARIS, prefix=f"<|start|>assistant{whole[:at]}").reason_code == "same_calls", cut
    thought = "<|channel|>analysis<|message|>"
    rest = f"Paris it is.<|end|><|start|>assistant{whole}"
    assert judged(rest, PARIS, prefix=f"<|start|>assistant{thought}").reason_code == "same_calls"
