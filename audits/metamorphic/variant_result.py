"""A variant that was judged."""

from __future__ import annotations

from dataclasses import dataclass

from audits.metamorphic.variants import Variant
from audits.subject_verdict import Judged


@dataclass(frozen=True, slots=True)
class Tried:
    """A variant with what the subject said of it."""

    variant: Variant
    judged: Judged

    @property
    def breaks(self) -> bool:
        return self.variant.transformation.breaks

    @property
    def wrong(self) -> bool | None:
        """Whether the subject was; None where it said neither yes nor no."""
        return None if self.judged.accepted is None else self.judged.accepted == self.breaks
