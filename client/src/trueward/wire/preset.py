"""Presets on the wire: what a judge asks, and one trial of it with all that was said."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field, JsonValue, StrictStr

from trueward.wire.base import Number, Wire
from trueward.wire.model import Finish
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict

_FILE = r"^([a-z0-9][a-z0-9_-]{0,63}\.(md|json)|preset\.yaml)$"


class PresetInfo(Wire):
    name: str
    mechanism: str = Field(description="which verifier uses it; see docs/judges.md")
    version: str
    summary: str
    source: str
    experimental: bool
    hash: str = Field(description="of all its files; part of the producer of every verdict by it")


class PresetView(PresetInfo):
    files: dict[str, str] = Field(description="the folder's files by name")


class Presets(Wire):
    presets: list[PresetInfo]


class PresetUpload(Wire):
    """A preset to store: the texts of its files by their names (`preset.yaml`, `prompt.md`, `reply.json`, ...)."""

    name: StrictStr = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")
    files: dict[Annotated[StrictStr, Field(pattern=_FILE)], Annotated[StrictStr, Field(max_length=100_000)]] = Field(
        min_length=1, max_length=16
    )


class PresetTrial(Wire):
    """A sample to try a judge on. Nothing of it is recorded, and no reward is made."""

    sample: Sample
    params: dict[StrictStr, JsonValue] = Field({}, description="parameters of the preset's verifier beside `preset`")
    deadline_s: Annotated[Number, Field(gt=0)] | None = None


class Exchange(Wire):
    """One question that the judge's model was asked, and its answer as it was given."""

    model: StrictStr
    prompt: list[dict[str, str]] = Field(description="the turns as the model got them: role and content")
    reply: str = Field("", description="the model's text; empty where it is asked for numbers alone")
    alternatives: dict[str, float] = Field({}, description="log-probability of each label that was asked for")
    finish: Finish = "stop"
    read: bool = Field(True, description="whether the reply was of the form that was asked for")
    probe: bool = Field(False, description="asked of a harmless response, to find out whose doing a failure is")
    tokens_read: int = 0
    tokens_written: int = 0
    cost: float = 0.0
    elapsed_s: float = 0.0
    failure: str = Field("", description="why there is no answer")


class PresetTried(Wire):
    """The verdict, and what was said on the way to it, in the order in which the answers came."""

    verifier: StrictStr
    verdict: Verdict
    exchanges: list[Exchange]
