"""Whether a missing reward teaches a trainer anything where its protocol has no null, and what AReaL's pool pays.

``python -m benchmarks.standins [--short | --quick | --long]``. A service of its own is asked as each trainer's client
asks it, sample by sample; then the trainer's advantage is computed, ``(reward - mean) / (std + 1e-6)`` over the group
in single precision. In a third of the prompts nothing can be judged; or one response of eight cannot, sent before its
siblings, after them, or between. Beside it stands the mean of what came before, which is what a shared running mean
would have given. Prompts and responses are our own, drawn by a seed.
"""

from __future__ import annotations

import asyncio
import json
import math
import subprocess
import uuid
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from random import Random

import numpy as np

from benchmarks.report import Form, called, finish, rows
from benchmarks.servers import ROOT, trueward
from benchmarks.standing.protocols import PROTOCOLS, Draw, Where, asked

SIZE = 8
MOST = 0.05
SCENES = ("whole groups", "first", "last", "random")


@dataclass(frozen=True, slots=True)
class Scale:
    """Groups a scene, and responses that AReaL has under way at once."""

    groups: int
    at_once: int


SCALES: dict[Form, Scale] = {"short": Scale(4, 32), "quick": Scale(24, 256), "long": Scale(160, 1280)}


@dataclass(frozen=True, slots=True)
class Found:
    """The greatest size of the advantage of a missing member, and by the mean of what came before."""

    protocol: str
    scene: str
    told: bool
    missing: int
    greatest: float
    mean_so_far: float
    seconds: float


def draws(scene: str, groups: int, at_once: int, random: Random) -> list[Draw]:
    """In the order in which they are sent: so many prompts at once as fill the client's connections."""
    found: list[Draw] = []
    prompts = max(1, at_once // SIZE)
    for start in range(0, groups, prompts):
        batch = [_group(scene, place, random) for place in range(start, min(start + prompts, groups))]
        if scene == "whole groups":
            together = [one for group in batch for one in group]
            random.shuffle(together)
            found += together
        else:
            found += [group[place] for place in range(SIZE) for group in batch]
    return found


def _group(scene: str, place: int, random: Random) -> list[Draw]:
    prompt = f"What is {place} + 1? ({random.random()})"
    right = random.choice([1, 2, 4, 6, 7])
    texts = [f"\\boxed{{{place + 1 if member < right else -member}}} {random.random()}" for member in range(SIZE)]
    random.shuffle(texts)
    label: str | None = str(place + 1)
    if scene == "whole groups":
        return [Draw(prompt, text, None if place % 3 == 0 else label) for text in texts]
    lost = {"first": 0, "last": SIZE - 1, "random": random.randrange(SIZE)}[scene]
    return [Draw(prompt, text, None if member == lost else label) for member, text in enumerate(texts)]


def advantages(draws: Sequence[Draw], numbers: Sequence[float]) -> list[float]:
    """The sizes of those of missing members."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for place, one in enumerate(draws):
        groups[one.prompt].append(place)
    found = []
    for places in groups.values():
        values = np.array([numbers[place] for place in places], dtype=np.float32)
        centred = (values - values.mean()) / (values.std(ddof=1) + np.float32(1e-6))
        found += [abs(float(one)) for one, place in zip(centred, places, strict=True) if draws[place].label is None]
    return found


def means_so_far(draws: Sequence[Draw], numbers: Sequence[float]) -> list[float]:
    """What a running mean of the prompt, else of the run, gives in the order in which they were sent."""
    means: defaultdict[str, list[float]] = defaultdict(list)
    told = []
    for one, number in zip(draws, numbers, strict=True):
        if one.label is None:
            known = means[one.prompt] or means[""]
            told.append(math.fsum(known) / len(known) if known else 0.0)
            continue
        told.append(number)
        means[one.prompt].append(number)
        means[""].append(number)
    return told


async def measured(name: str, scene: str, url: str, groups: int, *, told: bool) -> Found:
    sent = draws(scene, groups, PROTOCOLS[name].at_once, Random(f"{name} {scene}"))
    where = Where(url, "math", f"{name}-{uuid.uuid4().hex[:8]}", SIZE if told else None)
    now = asyncio.get_running_loop().time
    began = now()
    numbers = await asked(name, where, sent)
    sizes = advantages(sent, numbers)
    before = advantages(sent, means_so_far(sent, numbers))
    return Found(name, scene, told, len(sizes), max(sizes), max(before), now() - began)


@dataclass(frozen=True, slots=True)
class Areal:
    """How often AReaL's own code paid each number to responses of a kind; ``raised`` and ``masked`` are none."""

    way: str
    kind: str
    paid: Mapping[str, int]
    seconds: float


def areal(url: str, at_once: int) -> list[Areal]:
    """Its process pool, which pickles our function at every call, and its workflow; nothing without its package."""
    python = ROOT / ".venv-trainers/bin/python"
    if not python.exists():
        return []
    script = ROOT / "tests/trainers/packages/areal_pool.py"
    done = subprocess.run([python, script, url, "", str(at_once)], capture_output=True, text=True, check=True)
    told = json.loads(done.stdout.splitlines()[-1])
    return [
        Areal(way, kind, paid, told[way]["seconds"])
        for way in ("pool", "workflow")
        for kind, paid in told[way]["paid"].items()
    ]


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("standins", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    with trueward() as server:
        found = [
            asyncio.run(measured(name, scene, server.url, scale.groups, told=True))
            for name in PROTOCOLS
            for scene in SCENES
        ]
        found.append(asyncio.run(measured("slime", "whole groups", server.url, scale.groups, told=False)))
        of_areal = areal(server.url, scale.at_once)
    rows(
        "The greatest advantage of a missing member",
        ("protocol", "missing", "size told", "members", "advantage", "by the mean so far", "seconds"),
        [
            [one.protocol, one.scene, str(one.told), str(one.missing), f"{one.greatest:.4f}", f"{one.mean_so_far:.2f}",
             f"{one.seconds:.1f}"]
            for one in found
        ],
    )  # fmt: skip
    rows(
        f"AReaL, {scale.at_once} under way at once" if of_areal else "AReaL is not installed: make trainers",
        ("way", "response", "paid", "seconds"),
        [
            [one.way, one.kind, ", ".join(f"{paid}: {times}" for paid, times in one.paid.items()), f"{one.seconds:.1f}"]
            for one in of_areal
        ],
    )
    claims = {
        f"{name}: no missing member has an advantage of {MOST} or more": all(
            one.greatest < MOST for one in found if one.protocol == name
        )
        for name in PROTOCOLS
    }
    claims |= {
        f"AReaL's {one.way}: no missing response is paid": one.paid.keys() <= {"raised", "masked"}
        for one in of_areal
        if one.kind == "missing"
    }
    claims |= {
        f"AReaL's {one.way}: every {one.kind} response is paid 1": one.paid.keys() == {"1.0"}
        for one in of_areal
        if (one.way, one.kind) == ("workflow", "right")
    }
    finish("standins", call, {"scale": scale, "found": found, "areal": of_areal}, claims)


if __name__ == "__main__":
    main()
