"""How a data loader deals the prompts of a healthy run: data sources, difficulty, and prompts that come again.

``benchmarks/policies.py`` makes the responses. Sources differ in all that a watch looks at: how many responses pass,
how long they are, how many have no answer or no verdict, how many answers differ, how often the verifier errs, and in
a text that one source often has as its answer. Nothing is wrong in any of these runs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

Numbers = Any
"""An array, numpy's, of one entry a prompt."""
SOURCES = 5
KNOWN = (0.0, 0.9, 1.3, 1.5)
"""Logits that a policy gains at a prompt by having seen it so often."""


@dataclass(frozen=True, slots=True)
class Data:
    """One entry a prompt, in the order of the steps, each of which has ``prompts``.

    ``easier`` are logits of skill, ``longer`` logarithms of a length; the other numbers are factors of the usual rate.
    ``quiz``: where half of what is wrong is one text.
    """

    prompts: int
    source: Numbers
    prompt: Numbers
    easier: Numbers
    longer: Numbers
    unanswered: Numbers
    missing: Numbers
    erring: Numbers
    quiz: Numbers


Deal = Callable[[np.random.Generator, int, int], Numbers]
"""The number of the source of each prompt, shape steps x prompts."""


def data(seed: int, source: Numbers, prompt: Numbers | None = None) -> Data:
    """``source``: of shape steps x prompts; ``prompt``: which prompt each is, else all are different."""
    dice = np.random.default_rng([seed, 29])
    count = int(source.max()) + 1
    order = dice.permutation(max(count, SOURCES))[:count]
    # the first two are far apart, the others anywhere
    easier = np.concatenate([[-1.4, 1.4], dice.uniform(-1.5, 1.5, max(count, SOURCES))])[: max(count, SOURCES)]
    of = source.ravel()
    names = np.arange(of.size) if prompt is None else prompt.ravel()
    return Data(
        prompts=source.shape[1],
        source=np.array([f"source-{one}" for one in of], dtype=object),
        prompt=names,
        easier=easier[of] + np.take(KNOWN, np.minimum(_seen(names), len(KNOWN) - 1)),
        longer=dice.uniform(-0.7, 0.7, max(count, SOURCES))[of],
        unanswered=np.array([1.0, 4.0, 0.3])[order[of] % 3],
        missing=np.array([1.0, 0.0, 4.0])[order[of] % 3],
        erring=np.array([0.5, 1.5, 1.0])[order[of] % 3],
        quiz=order[of] % 2 == 1,
    )


def _seen(names: Numbers) -> Numbers:
    """How often each prompt came before."""
    order = np.argsort(names, kind="stable")
    changes = np.concatenate([[True], np.diff(names[order]) != 0])
    first = np.maximum.accumulate(np.where(changes, np.arange(len(names)), 0))
    seen = np.empty(len(names), np.int64)
    seen[order] = np.arange(len(names)) - first
    return seen


def one_source(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    return np.zeros((steps, prompts), np.int64)


def by_turns(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Whole batches: step k from one source, step k + 1 from the other."""
    return np.repeat(np.arange(steps)[:, None] % 2, prompts, axis=1)


def in_blocks(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Twenty steps from one source, twenty from the other."""
    return np.repeat(np.arange(steps)[:, None] // 20 % 2, prompts, axis=1)


def by_chance(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Whole batches, of one of three sources by chance."""
    return np.repeat(dice.integers(0, 3, steps)[:, None], prompts, axis=1)


def of_many(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Whole batches, of one of forty sources by chance."""
    return np.repeat(dice.integers(0, 40, steps)[:, None], prompts, axis=1)


def mixed(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Each prompt from one of four sources by chance."""
    return dice.integers(0, 4, (steps, prompts))


def unevenly(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Each step has its own shares of three sources."""
    shares = dice.dirichlet(np.full(3, 0.6), steps)
    return np.array([dice.choice(3, prompts, p=one) for one in shares])


def wandering(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """The share of the second source grows from none to all."""
    return (dice.random((steps, prompts)) < np.linspace(0, 1, steps)[:, None]).astype(np.int64)


def harder(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """A curriculum: one source after the other, with ten steps between two in which both are dealt."""
    place = np.arange(steps)[:, None] + dice.uniform(-5, 5, (steps, prompts))
    return np.clip(place * SOURCES / steps, 0, SOURCES - 1).astype(np.int64)


def joined(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """A second source has half of the prompts from the middle of the run on."""
    second = dice.random((steps, prompts)) < 0.5
    return (second & (np.arange(steps)[:, None] >= 0.45 * steps)).astype(np.int64)


def with_evaluations(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Every tenth step is an evaluation, of prompts that are always the same."""
    return np.repeat(np.arange(steps)[:, None] % 10 == 9, prompts, axis=1).astype(np.int64)


def again(dice: np.random.Generator, steps: int, prompts: int) -> Numbers:
    """Passes over the prompts of fifty steps, shuffled each time."""
    pool = 50 * prompts
    passes = [dice.permutation(pool) for _ in range(-(-steps * prompts // pool))]
    return np.concatenate(passes)[: steps * prompts].reshape(steps, prompts)


DEALS: dict[str, Deal] = {
    "one source": one_source,
    "sources mixed": mixed,
    "whole batches by turns": by_turns,
    "blocks of twenty steps": in_blocks,
    "whole batches by chance": by_chance,
    "whole batches of forty sources": of_many,
    "uneven shares": unevenly,
    "a share that grows": wandering,
    "a curriculum": harder,
    "a source joins": joined,
    "evaluations in between": with_evaluations,
    "three passes and more": one_source,
}


def dealt(name: str, seed: int, steps: int, prompts: int) -> Data:
    dice = np.random.default_rng([seed, 31])
    source = DEALS[name](dice, steps, prompts)
    if name == "three passes and more":
        return data(seed, source, again(dice, steps, prompts))
    if name == "evaluations in between":
        own = np.arange(steps * prompts).reshape(steps, prompts)
        # no policy learns what it is evaluated by
        made = data(seed, source)
        return Data(**{**_fields(made), "prompt": np.where(source == 1, np.arange(prompts), own + prompts).ravel()})
    return data(seed, source)


def _fields(made: Data) -> dict[str, Numbers]:
    return {name: getattr(made, name) for name in Data.__dataclass_fields__}
