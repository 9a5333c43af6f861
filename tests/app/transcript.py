"""Carries the scenario out against a service, and keeps what was asked and answered for the OpenAPI document.

``python -m tests.app.transcript`` writes the examples of the document anew.
"""

from __future__ import annotations

import json
import re
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import httpx2

from app.http.openapi import EXAMPLES
from tests.app.scenario import STEPS, Step
from tests.judges.tiny import Tiny
from tests.live import serving
from tests.openapi import paths

Answers = dict[str, Any]
_PLACE = re.compile(r"<([\w.]+)>")
_KEPT = 2
"""Entries of a list that an example shows."""
_PATIENCE_S = 120.0
_MODELS = "/srv/models/"
_KEY = re.compile(r"tw_(\w{8})_[\w-]+")


def carry_out(url: str, models: Mapping[str, Path]) -> dict[str, dict[str, Any]]:
    """The example of each operation. ``models``: where the files are that the scenario has under ``/srv/models``."""
    located = {f"{_MODELS}{name}": str(path) for name, path in models.items()}
    operations = {one["operationId"]: (method, path) for path, many in paths().items() for method, one in many.items()}
    answers: Answers = {}
    shown: dict[str, dict[str, Any]] = {}
    with httpx2.Client(base_url=url, timeout=120.0, trust_env=False) as http:
        for step in STEPS:
            asked = {
                "path": _filled(dict(step.path), answers),
                "query": _filled(dict(step.query), answers),
                "body": _filled(step.body, answers),
            }
            sent = json.loads(_renamed(json.dumps(asked), located))
            answers[step.operation] = _answer(http, step, *operations[step.operation], sent)
            told = _renamed(json.dumps(answers[step.operation]), {there: here for here, there in located.items()})
            told = _KEY.sub(r"tw_\1_shown-only-here", told)
            given = {name: value for name, value in asked.items() if value is not None}
            shown[step.operation] = {**given, "answer": _shortened(json.loads(told))}
    return shown


def shape(value: Any) -> Any:
    """What stays of an answer from one service to the next: names and kinds of its parts."""
    if isinstance(value, dict):
        return {name: shape(part) for name, part in value.items()}
    if isinstance(value, list):
        return [shape(part) for part in value[:1]]
    return "number" if isinstance(value, int | float) and not isinstance(value, bool) else type(value).__name__


def _answer(http: httpx2.Client, step: Step, method: str, path: str, sent: dict[str, Any]) -> Any:
    end = time.monotonic() + _PATIENCE_S
    while True:
        answer = http.request(method, path.format(**sent["path"]), params=sent["query"], json=sent["body"])
        assert answer.is_success, (step.operation, answer.status_code, answer.text)
        told = answer.json()
        has_state = step.waits in (None, told.get("state") if isinstance(told, dict) else None)
        if has_state and (step.tells is None or _filled(f"<{step.tells}>", told) is not None):
            return told
        assert time.monotonic() < end, (step.operation, told)
        time.sleep(0.05)


def _filled(value: Any, answers: Answers) -> Any:
    if isinstance(value, dict):
        return {name: _filled(part, answers) for name, part in value.items()}
    if isinstance(value, list):
        return [_filled(part, answers) for part in value]
    if not isinstance(value, str) or (place := _PLACE.fullmatch(value)) is None:
        return value
    found: Any = answers
    for name in place[1].split("."):
        found = found[int(name) if isinstance(found, list) else name]
    return found


def _renamed(text: str, names: Mapping[str, str]) -> str:
    # the longest first: one name may begin as another does
    for name in sorted(names, key=len, reverse=True):
        text = text.replace(json.dumps(name)[1:-1], json.dumps(names[name])[1:-1])
    return text


def _shortened(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _shortened(part) for name, part in value.items()}
    return [_shortened(part) for part in value[:_KEPT]] if isinstance(value, list) else value


def examples_of(folder: Path) -> dict[str, dict[str, Any]]:
    """Those of a service that starts with nothing."""
    tiny = Tiny(folder / "models")
    models = {
        "prm": tiny.classifier("llama"),
        "prm-next": tiny.classifier("llama", seed=1),
        "judge": tiny.causal("llama"),
    }
    (data := folder / "data").mkdir()
    with serving(data, model_device="cpu") as live:
        return carry_out(live.url, models)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as room:
        made = examples_of(Path(room))
    EXAMPLES.write_text(json.dumps(made, indent=1, sort_keys=True, ensure_ascii=False) + "\n", encoding="utf-8")
