"""A verifier that never ends: the planted hang. Installed beside the service by its folder on ``PYTHONPATH``."""

from __future__ import annotations

from typing import ClassVar

from trueward.types import Lane, Sample, Verdict
from trueward.verifier import Params, SampleVerifier


class Spinner(SampleVerifier[Params]):
    name: ClassVar[str] = "spinner"
    summary: ClassVar[str] = "Burns CPU until it is killed"
    lane: ClassVar[Lane] = "cpu"

    def verify_one(self, sample: Sample) -> Verdict:
        while True:
            pass
