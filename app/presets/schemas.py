"""What ``/v1/presets`` answers."""

from __future__ import annotations

from typing import Self

from pydantic import Field

from judges.presets import Mechanism, Preset
from trueward.types import Wire


class PresetInfo(Wire):
    name: str
    mechanism: Mechanism = Field(description="which verifier uses it; see docs/judges.md")
    version: str
    summary: str
    source: str
    experimental: bool
    hash: str = Field(description="of all its files; part of the producer of every verdict by it")

    @classmethod
    def of(cls, preset: Preset) -> Self:
        head = preset.head.model_dump(include={"mechanism", "version", "summary", "source", "experimental"})
        return cls(name=preset.name, hash=preset.hash, **head)


class PresetView(PresetInfo):
    files: dict[str, str] = Field(description="the folder's files by name")

    @classmethod
    def of(cls, preset: Preset) -> Self:
        return cls(**PresetInfo.of(preset).model_dump(), files=dict(preset.files))


class Presets(Wire):
    presets: list[PresetInfo]
