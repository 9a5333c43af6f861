"""Is a reward ever missing that waiting within its deadline would have cured, and what does the waiting cost in calls?

``python -m benchmarks.patience [--short | --quick | --long]``. Steps of a training run are judged by models of an
imitated provider, which is our own: it is down for a while, allows so much and no more, is slow, or has a dead model
among others. The lane, the judge and the client are the service's; the clock is virtual, so that half an hour takes
seconds. Beside them stands the client of the package ``openai`` with its own retries, at the same provider. ``--long``
takes three seeds.
"""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from random import Random

import structlog

from benchmarks.patient.callers import AT_ONCE, Caller, OpenAIClient, Question, Trueward, prompt_of
from benchmarks.patient.provider import Provider
from benchmarks.patient.scenes import Scene, scenes
from benchmarks.patient.virtual import run
from benchmarks.pieces import find_all
from benchmarks.report import Call, Form, called, finish, rows


@dataclass(frozen=True, slots=True)
class Scale:
    """Virtual minutes a scene, seeds, samples a step, and ``max_retries`` of the peers."""

    minutes: float
    seeds: int
    samples: int
    retries: tuple[int, ...] = (2, 10)


SCALES: dict[Form, Scale] = {"short": Scale(3.2, 1, 24, ()), "quick": Scale(10, 1, 256), "long": Scale(30, 3, 256)}
Make = Callable[[Provider, Scene, Sequence[str]], Caller]


@dataclass(slots=True)
class Found:
    """What became of one scene with one caller.

    ``missing`` counts curable questions without a reward, by reason; ``hopeless`` questions that were not curable.
    ``calls`` are those that the provider got, ``least`` the answers that were had. ``paid`` and ``paid_least`` are
    tokens: what the provider answered, and what reached whoever asked.
    """

    scene: str
    caller: str
    seed: int
    steps: int = 0
    curable: int = 0
    missing: Counter[str] = field(default_factory=Counter)
    hopeless: int = 0
    calls: int = 0
    least: int = 0
    paid: int = 0
    paid_least: float = 0.0
    longest_step_s: float = 0.0
    states: dict[str, str] = field(default_factory=dict)

    @property
    def wasted(self) -> float:
        """Calls beyond the least, as a share of it."""
        return (self.calls - self.least) / max(self.least, 1)


async def played(scene: Scene, make: Make, seed: int, minutes: float) -> Found:
    """Steps for so many minutes, one after the other."""
    now = asyncio.get_running_loop().time
    random = Random(seed)
    provider = Provider(scene.natures(random, 60.0 * minutes), began=now(), seed=seed)
    caller = make(provider, scene, list(provider.natures))
    found = Found(scene.name, caller.name, seed)
    place = 1_000_000 * seed
    try:
        while now() - provider.began < 60.0 * minutes:
            began = now()
            step = [Question(*asked, place + number) for number, asked in enumerate(scene.step)]
            place += len(step)
            requests = [[one for one in step if (one.model, one.deadline_s) == kind] for kind in _kinds(step)]
            said = await asyncio.gather(*map(caller.ask, requests))
            for asked, reasons in zip(requests, said, strict=True):
                _count(found, scene, asked, reasons)
            found.steps += 1
            found.longest_step_s = max(found.longest_step_s, now() - began)
            await asyncio.sleep(scene.least_rest_s)
        if isinstance(caller, Trueward):
            found.states = await caller.states()
    finally:
        await caller.close()
    alive = [name for name in provider.natures if scene.curable((name, float("inf")))]
    found.calls = sum(provider.calls[name] for name in alive or provider.natures)
    found.paid = provider.tokens.total()
    found.paid_least = found.least * provider.tokens.total() / max(provider.started.total(), 1)
    return found


def _kinds(step: Sequence[Question]) -> list[tuple[str, float]]:
    return list(dict.fromkeys((one.model, one.deadline_s) for one in step))


def _count(found: Found, scene: Scene, asked: Sequence[Question], reasons: Sequence[str]) -> None:
    for question, reason in zip(asked, reasons, strict=True):
        found.least += not reason
        if not scene.curable((question.model, question.deadline_s)):
            found.hopeless += 1
            continue
        found.curable += 1
        if reason:
            found.missing[reason] += 1


def _ours(provider: Provider, scene: Scene, models: Sequence[str]) -> Caller:
    return Trueward(provider, models, scene.limits)


def _peer(retries: int) -> Make:
    return lambda provider, scene, models: OpenAIClient(provider, retries)


def main(arguments: Sequence[str] | None = None) -> None:
    call = called("patience", (__doc__ or "").partition("\n")[0], arguments)
    scale = SCALES[call.form]
    found = measured(call)
    rows(
        f"Rewards that waiting within the deadline would have cured, {scale.minutes:g} minutes a scene",
        ["scene", "by", "curable", "missing", "calls beyond the least", "tokens paid / used", "longest step"],
        [
            [
                one.scene,
                one.caller,
                str(one.curable),
                f"{one.missing.total()}",
                f"{one.calls - one.least} ({one.wasted:.1%})" if one.curable else str(one.calls),
                f"{one.paid / one.paid_least:.3f}" if one.paid_least else "-",
                f"{one.longest_step_s:.0f} s",
            ]
            for one in found
        ],
    )
    ours = [one for one in found if one.caller == Trueward.name]
    locked = [one for one in ours if "key" in one.scene]
    claims = {
        "no reward is missing that waiting within its deadline would have cured": not any(
            one.missing.total() for one in ours
        ),
        "a refused key costs the calls on their way and one a minute, and is a state that is told": all(
            one.calls <= AT_ONCE + scale.minutes and one.states == {"judge": "failed"} for one in locked
        ),
        "a dead model is told as one, and its neighbours are well": all(
            one.states == {"one": "ready", "two": "ready", "dead": "failed"} for one in ours if "one dead" in one.scene
        ),
    }
    finish("patience", call, {"scale": scale, "found": found}, claims)


def measured(call: Call) -> list[Found]:
    scale = SCALES[call.form]
    return find_all(
        "patience",
        call,
        piece,
        [
            (scale, place, retries, seed)
            for place in range(len(_scenes(scale)))
            for retries in (None, *scale.retries)
            for seed in range(scale.seeds)
        ],
    )


def piece(scale: Scale, place: int, retries: int | None, seed: int) -> Found:
    """One scene with the service, or with the peer and so many retries."""
    make = _ours if retries is None else _peer(retries)
    quieted = structlog.get_config()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.ERROR))
    try:
        return run(played(_scenes(scale)[place], make, seed, scale.minutes))
    finally:
        structlog.configure(**quieted)


def _scenes(scale: Scale) -> list[Scene]:
    return scenes(len(prompt_of(0)) // 4, scale.samples)


if __name__ == "__main__":
    main()
