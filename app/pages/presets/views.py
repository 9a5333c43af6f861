"""What a preset's page shows."""

from __future__ import annotations

from datetime import datetime

from pydantic import Field

from app.pages.audits.rates import BigNumber
from trueward.wire.base import Wire
from trueward.wire.preset import PresetView


class Parameter(Wire):
    """A parameter of the preset's verifier; ``default`` as JSON, empty where it is needed."""

    name: str
    default: str
    description: str


class PresetPrompt(Wire):
    """One of the preset's prompts: ``slots`` are what the service puts in."""

    file: str
    text: str
    slots: list[str]


class Rated(Wire):
    """A completed audit of verdicts by the preset. ``model`` is the name that its subject says, empty where it took
    any; ``alone`` is false where other presets' verdicts were audited with them."""

    id: str
    name: str
    kind: str
    finished_at: datetime
    model: str
    origins: dict[str, int]
    versions: list[str]
    alone: bool
    numbers: list[BigNumber]


class Used(Wire):
    """A model that was asked by the preset, among the newest verdicts. ``reported`` is what its server says it is."""

    model: str
    served: str
    reported: str
    entry: str
    verdicts: int
    missing: int = Field(description="verdicts without a score")
    calls: int
    malformed: int = Field(description="calls whose reply could not be read")
    last: datetime

    @property
    def malformed_share(self) -> float | None:
        return self.malformed / self.calls if self.calls else None


class PresetPage(Wire):
    preset: PresetView
    verifiers: list[str]
    needs: list[str]
    metadata: list[str]
    prompts: list[PresetPrompt]
    reply: str = Field(description="JSON Schema of a reply; empty where the probabilities of labels are read")
    judgement: str = Field(description="what is made of a reply, as JSON")
    params: list[Parameter]
    audits: list[Rated]
    used: list[Used]
    counted: int = Field(description="verdicts that are counted in `used`")
    try_it: str = Field(description="address of the playground with the preset filled in")
    audit_it: str = Field(description="address of the form of an audit with the preset filled in")
