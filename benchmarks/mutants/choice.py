"""The draw: every place of the product is equally likely, so a module's chance is the number of its places."""

from __future__ import annotations

import ast
import json
import random
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from benchmarks.mutants.mutant import Mutant
from benchmarks.mutants.places import Spot, spots
from benchmarks.mutants.purity import is_pure
from benchmarks.mutants.spans import edited
from benchmarks.shape.sources import Source

CHOSEN = Path(__file__).with_name("chosen.json")
COUNT = 60
SEED = 20_260_101


def choose(sources: Iterable[Source], count: int = COUNT, seed: int = SEED) -> list[Mutant]:
    """``count`` different places without replacement, by file and line; the same of the same sources and seed.

    A place where the fault is no program, or the same program, is passed over for the next of the draw.
    """
    everything = list(spots(sources))
    drawn: list[Spot] = []
    for spot in random.Random(seed).sample(everything, len(everything)):
        if len(drawn) == count:
            break
        if _is_fault(spot):
            drawn.append(spot)
    drawn.sort(key=lambda spot: (spot.source.path, spot.place.whole.start, spot.place.operator))
    return [Mutant.of(number, spot, pure=is_pure(spot.source)) for number, spot in enumerate(drawn, 1)]


def write(mutants: Iterable[Mutant], path: Path = CHOSEN) -> None:
    path.write_text(json.dumps([asdict(one) for one in mutants], indent=1) + "\n", encoding="utf-8")


def chosen(path: Path = CHOSEN) -> list[Mutant]:
    """The list as it was drawn."""
    return [Mutant(**one) for one in json.loads(path.read_text(encoding="utf-8"))]


def _is_fault(spot: Spot) -> bool:
    mutated = edited(spot.source.text, list(spot.place.edits))
    try:
        return ast.dump(ast.parse(mutated)) != ast.dump(spot.source.tree)
    except SyntaxError:
        return False
