"""A verifier that never ends: the planted hang. Installed beside the service by its folder on ``PYTHONPATH``."""

from __future__ import annotations

from typing import ClassVar

from trueward.authoring.verifier import Params, SampleVerifier
from trueward.wire.sample import Sample
from trueward.wire.verdict import Verdict
from trueward.wire.verifier import Lane


class Spinner(SampleVerifier[Params]):
    name: ClassVar[str] = "spinner"
    summary: ClassVar[str] = "Burns CPU until it is killed"
    lane: ClassVar[Lane] = "cpu"

    def verify_one(self, sample: Sample) -> Verdict:
        while True:
            pass
