"""A playground's sample to take along: a link that holds the form, and calls to paste.

The form travels in the link's fragment, which browsers send to no server. Calls are plain ASCII, so that nothing that
a response hides can be pasted into a terminal.
"""

from __future__ import annotations

import base64
import json
import pprint
import shlex

from pydantic import JsonValue

from app.pages.playground.views import PlaygroundForm, SampleCalls

PAGE = "/ui/playground"
LONGEST_LINK = 16_000
LONGEST_CALL = 20_000


def calls_of(url: str, kind: str, body: dict[str, JsonValue], link: str, needs_keys: bool) -> SampleCalls:
    """``body`` is what the API takes, with one sample."""
    return SampleCalls(
        link=link,
        curl=curl_of(url, kind, body, needs_keys),
        python=python_of(url, kind, body),
        jsonl=jsonl_of(body),
    )


def link_of(state: PlaygroundForm) -> str:
    """Empty where the form is longer than a link should be."""
    body = json.dumps(state.model_dump(exclude_defaults=True), separators=(",", ":"))
    packed = base64.urlsafe_b64encode(body.encode()).decode().rstrip("=")
    return f"{PAGE}#{packed}" if len(packed) <= LONGEST_LINK else ""


def curl_of(url: str, kind: str, body: dict[str, JsonValue], needs_keys: bool) -> str:
    """Empty where the sample is longer than one pastes."""
    sent = json.dumps(body)
    if len(sent) > LONGEST_CALL:
        return ""
    lines = [f"curl --fail-with-body {shlex.quote(f'{url}{_path(kind)}')}", "  -H 'Content-Type: application/json'"]
    lines += ['  -H "Authorization: Bearer $TRUEWARD_API_KEY"'] if needs_keys else []
    return " \\\n".join([*lines, f"  --data {shlex.quote(sent)}"])


def python_of(url: str, kind: str, body: dict[str, JsonValue]) -> str:
    """The same with the client, which finds the key in the environment."""
    if len(json.dumps(body)) > LONGEST_CALL:
        return ""
    samples = _literal(body["samples"])
    named = {name: value for name, value in body.items() if name != "samples"}
    arguments = "".join(f", {name}={_literal(value)}" for name, value in named.items())
    call = f"client.reward(samples{arguments}).rewards" if kind == "recipe" else f"client.verify(samples{arguments})"
    return (
        "from trueward import Client\n\n"
        f"samples = {samples}\n"
        f"with Client({_literal(url)}) as client:\n"
        f"    for one in {call}:\n"
        "        print(one.model_dump_json(indent=2))\n"
    )


def jsonl_of(body: dict[str, JsonValue]) -> str:
    """The sample as one line, such as `trueward verify` and `trueward reward` read."""
    assert isinstance(body["samples"], list)
    line = json.dumps(body["samples"][0])
    return line if len(line) <= LONGEST_CALL else ""


def _path(kind: str) -> str:
    return "/v1/rewards" if kind == "recipe" else "/v1/verify"


def _literal(value: JsonValue) -> str:
    """In ASCII, one entry a line where it is long."""
    text = pprint.pformat(value, width=100, sort_dicts=False)
    return text if text.isascii() else ascii(value)
