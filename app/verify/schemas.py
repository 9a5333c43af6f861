"""What the catalogue of verifiers answers."""

from __future__ import annotations

from trueward.types import VerifierInfo, Wire


class Catalogue(Wire):
    verifiers: list[VerifierInfo]
    failures: dict[str, str]
