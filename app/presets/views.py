"""A preset as ``/v1/presets`` shows it."""

from __future__ import annotations

from judges.presets import Preset
from trueward.wire.preset import PresetInfo, PresetView


def info(preset: Preset) -> PresetInfo:
    head = preset.head.model_dump(include={"mechanism", "version", "summary", "source", "experimental"})
    return PresetInfo(name=preset.name, hash=preset.hash, **head)


def view(preset: Preset) -> PresetView:
    return PresetView(**info(preset).model_dump(), files=dict(preset.files))
