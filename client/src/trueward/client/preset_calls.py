"""The calls of presets: list, show, try on a sample."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import quote

from pydantic import JsonValue

from trueward.client.call import Call
from trueward.client.plan import model, post_json
from trueward.wire.preset import PresetInfo, Presets, PresetTried, PresetView

_PRESETS = "/v1/presets"


def listing() -> Call[list[PresetInfo]]:
    return Call("GET", _PRESETS, lambda body: model(Presets)(body).presets)


def show(name: str) -> Call[PresetView]:
    return Call("GET", _path(name), model(PresetView))


def add(name: str, files: Mapping[str, str]) -> Call[PresetView]:
    return post_json(_PRESETS, {"name": name, "files": dict(files)}, model(PresetView))


def attempt(
    name: str, sample: Mapping[str, JsonValue], params: Mapping[str, JsonValue], deadline_s: float | None = None
) -> Call[PresetTried]:
    asked = {"sample": dict(sample), "params": dict(params), "deadline_s": deadline_s}
    return post_json(f"{_path(name)}/try", asked, model(PresetTried))


def _path(name: str) -> str:
    return f"{_PRESETS}/{quote(name, safe='')}"
