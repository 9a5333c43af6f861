"""The toy models as the service knows them: where they lie, and what ends a step."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

SEPARATOR = "<step>"


@dataclass(frozen=True, slots=True)
class Toys:
    """Directories of models; ``later`` are the causal model's newer weights."""

    reward: Path
    process: Path
    causal: Path
    later: Path

    @classmethod
    def under(cls, root: Path) -> Toys:
        return cls(root / "reward", root / "process", root / "causal", root / "causal-later")
