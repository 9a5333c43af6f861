"""What the service says of jobs, runs, verifiers and itself: the members that a client relies on."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, JsonValue

from trueward.wire.run import Run


class JobState(BaseModel):
    """``counts`` has ``total``, ``done`` and one number for each outcome seen so far."""

    model_config = ConfigDict(extra="ignore")

    id: str
    state: Literal["queued", "running", "completed", "cancelled", "failed"]
    counts: dict[str, int] = {}
    error: str | None = None

    @property
    def ended(self) -> bool:
        return self.state in ("completed", "cancelled", "failed")

    @property
    def done(self) -> int:
        return self.counts.get("done", 0)

    @property
    def total(self) -> int:
        return self.counts.get("total", 0)


class Check(BaseModel):
    """One part that scoring needs, and how it is."""

    name: str
    ok: bool
    detail: str = ""


class Readiness(BaseModel):
    """Whether scoring works, part by part."""

    ready: bool
    checks: list[Check] = []


class RecipeInfo(BaseModel):
    """A recipe with the hash of its content; ``recipe`` is all of it, defaults included.

    ``reads`` are the fields of a sample without which it gives no reward, ``gives`` what it gives beside the reward;
    None from a service that does not tell.
    """

    name: str
    hash: str
    recipe: dict[str, JsonValue]
    reads: list[str] | None = None
    gives: list[str] | None = None


class RecipeList(BaseModel):
    recipes: list[RecipeInfo]


class RunList(BaseModel):
    runs: list[Run]
    next: str | None = None


class JobPage(BaseModel):
    jobs: list[JobState]
    next: str | None = None


class LanguageInfo(BaseModel):
    """A language of programs; ``reason`` says why it cannot be used on the service, and is empty where it can."""

    name: str
    title: str
    aliases: list[str] = []
    file: str
    usable: bool
    reason: str = ""


class LanguageList(BaseModel):
    """``sandbox`` names what runs the programs."""

    sandbox: str
    languages: list[LanguageInfo]
