"""A verifier as the catalogue lists it."""

from __future__ import annotations

from typing import Literal

from pydantic import Field, JsonValue

from trueward.wire.base import Wire

Lane = Literal["inline", "cpu", "model", "sandbox", "remote"]


Scale = Literal["binary", "graded", "unbounded"]
"""What a verifier's scores are: a plain yes or no, numbers in [0, 1], or any numbers."""


VOTING_VERIFIERS = frozenset({"agreement", "majority"})
"""Verifiers that judge whole groups by their own answers: what they pay can collapse unnoticed."""


GROUP_VERIFIERS = VOTING_VERIFIERS | {"tournament"}
"""Verifiers that judge whole groups: known by name, for no request may split a group of theirs."""


class VerifierInfo(Wire):
    """An entry of the catalogue of verifiers."""

    name: str
    version: str
    summary: str
    lane: Lane
    deterministic: bool
    needs: list[str] = Field(description="fields of a sample without which there is nothing to judge")
    reference: dict[str, JsonValue] | None = Field(None, description="JSON Schema of a reference; null: none is read")
    params: dict[str, JsonValue] = Field(description="JSON Schema of the parameters")
    examples: list[dict[str, JsonValue]]


class Catalogue(Wire):
    verifiers: list[VerifierInfo]
    failures: dict[str, str]
