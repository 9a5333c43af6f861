r"""Samples by construction: what models write at the end of some 400 characters of reasoning, right and wrong.

Simple answers are integers, decimals and fractions. Symbolic ones are surds, polynomials, rational expressions,
multiples of pi and intervals; where right, they are never written as the reference is, so that comparing the
text does not settle them. No two samples share their answer and reference: no cache ever helps. Half are wrong.

:func:`rollouts` makes what a trainer sends: several responses a prompt, of which some say the same.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd

SYMBOLIC_SHARE = 0.2
RESPONSE_CHARACTERS = 400

Pair = tuple[str, str, str]
"""Reference, a right answer, a wrong one."""

_SQUAREFREE = [n for n in range(2, 500) if all(n % (d * d) for d in range(2, 23))]


@dataclass(frozen=True, slots=True)
class Item:
    """``prompt`` is a whole conversation in ChatML, or nothing."""

    response: str
    reference: str
    correct: bool
    symbolic: bool
    prompt: str = ""


def corpus(count: int, *, seed: int = 0, symbolic_share: float = SYMBOLIC_SHARE) -> Iterator[Item]:
    """``count`` distinct items; every stretch of them has about the same mix."""
    dice = random.Random(seed)
    seen: set[tuple[str, str]] = set()
    number = 0
    while number < count:
        symbolic = dice.random() < symbolic_share
        reference, right, wrong = dice.choice(_SYMBOLIC if symbolic else _SIMPLE)(dice)
        correct = dice.random() < 0.5
        answer = right if correct else wrong
        if (answer, reference) in seen:
            continue
        seen.add((answer, reference))
        yield Item(_response(dice, number, answer), reference, correct, symbolic)
        number += 1


GROUP = 8
_PROMPTS_A_STEP = 128


def rollouts(count: int, *, seed: int = 0, symbolic_share: float = SYMBOLIC_SHARE) -> Iterator[Item]:
    """``count`` responses of steps with 128 prompts, eight a prompt, in the order in which a step's generation ends.

    The responses to a prompt all differ. Their answers do not: the right ones are written alike, as a policy does, a
    quarter of the wrong ones are the same slip, and the others occur once. A prompt's success rate is anything from
    0 to 1. Statements are made up: no verifier reads them.
    """
    dice = random.Random(seed)
    number = 0
    while number < count:
        step = [item for _ in range(_PROMPTS_A_STEP) for item in _group(dice, symbolic_share)]
        dice.shuffle(step)
        yield from step[: count - number]
        number += len(step)


def _group(dice: random.Random, symbolic_share: float) -> Iterator[Item]:
    symbolic = dice.random() < symbolic_share
    kind = dice.choice(_SYMBOLIC if symbolic else _SIMPLE)
    reference, right, slip = kind(dice)
    prompt = _prompt(dice)
    success = dice.random()
    for _ in range(GROUP):
        correct = dice.random() < success
        answer = right if correct else slip if dice.random() < 0.25 else kind(dice)[1]
        yield Item(_response(dice, dice.randint(1, 10**9), answer), reference, correct, symbolic, prompt)


def _prompt(dice: random.Random) -> str:
    numbers = {name: dice.randint(2, 9_999) for name in "abcd"}
    statement = dice.choice(_STATEMENTS).format(**numbers)
    return (
        "<|im_start|>system\nYou are a helpful assistant.<|im_end|>\n"
        f"<|im_start|>user\n{statement} Please reason step by step, and put your final answer within \\boxed{{}}."
        "<|im_end|>\n<|im_start|>assistant\n"
    )


_STATEMENTS = (
    "A depot receives {a} crates on Monday and {b} crates on Tuesday. Each of its {c} lorries takes as many crates as "
    "the others, and {d} crates stay behind. How many crates, written as exactly as you can, does a lorry take?",
    "Let $f(x) = {a}x^2 - {b}x + {c}$ for all real $x$, and let $g(x) = f(x + {d}) - f(x)$. Find $g$, and say for "
    "which $x$ it vanishes. Give your answer in simplest form.",
    "In triangle $ABC$ the sides are $AB = {a}$, $BC = {b}$ and $CA = {c}$. A circle of radius ${d}$ touches $AB$ and "
    "$AC$. Find the distance of its centre from $A$, without approximating it.",
    "The numbers $x$ and $y$ satisfy ${a}x + {b}y = {c}$ and $x - {d}y = 1$. Determine $x + y$.",
)


def _response(dice: random.Random, number: int, answer: str) -> str:
    text = f"This is problem {number}. Let me work through it step by step."
    while len(text) < RESPONSE_CHARACTERS - 90:
        a, b = dice.randint(2, 999), dice.randint(2, 999)
        text += dice.choice(_STEPS).format(a=a, b=b, sum=a + b, product=a * b)
    return f"{text}\n\nTherefore the final answer is $\\boxed{{{answer}}}$."


_STEPS = (
    " First I compute ${a} + {b} = {sum}$, which we need below.",
    "\n\nNext, note that {a} times {b} is {product}, so the bound holds.",
    " We substitute $x = {a}$ and get $x + {b} = {sum}$.",
    "\n\nWait, let me check this again: ${a} \\cdot {b} = {product}$. Yes, that is right.",
)


def _integer(dice: random.Random) -> Pair:
    n = dice.randint(-(10**8), 10**8)
    return str(n), dice.choice((str(n), f"{n:,}", f"{n}.0")), str(n + dice.choice((-10, -1, 1, 2, 10)))


def _decimal(dice: random.Random) -> Pair:
    n = dice.randint(1, 10**8)
    return f"{n / 1000:.3f}", dice.choice((f"{n / 1000:.3f}", f"{n / 1000:.4f}")), f"{(n + 7) / 1000:.3f}"


def _fraction(dice: random.Random) -> Pair:
    p, q, k = dice.randint(1, 9999), dice.randint(2, 999), dice.randint(2, 9)
    right = dice.choice((f"\\frac{{{p}}}{{{q}}}", f"\\dfrac{{{k * p}}}{{{k * q}}}", f"{p}/{q}"))
    return f"\\frac{{{p}}}{{{q}}}", right, f"\\frac{{{p + 1}}}{{{q}}}"


def _surd(dice: random.Random) -> Pair:
    a, b = dice.randint(2, 999), dice.choice(_SQUAREFREE)
    return f"{a}\\sqrt{{{b}}}", f"\\sqrt{{{a * a * b}}}", f"\\sqrt{{{a * a * b + 1}}}"


def _surd_sum(dice: random.Random) -> Pair:
    a, b, c = dice.randint(1, 999), dice.randint(2, 99), dice.choice(_SQUAREFREE)
    return f"{a}+{b}\\sqrt{{{c}}}", f"{b}\\sqrt{{{c}}}+{a}", f"{b}\\sqrt{{{c}}}-{a}"


def _rationalised(dice: random.Random) -> Pair:
    a, b = dice.randint(2, 9999), dice.choice(_SQUAREFREE)
    return (
        f"\\frac{{{a}\\sqrt{{{b}}}}}{{{b}}}",
        f"\\frac{{{a}}}{{\\sqrt{{{b}}}}}",
        f"\\frac{{{a + 1}}}{{\\sqrt{{{b}}}}}",
    )


def _polynomial(dice: random.Random) -> Pair:
    a, b = dice.randint(1, 999), dice.randint(1, 999)
    return f"x^2+{a + b}x+{a * b}", f"(x+{a})(x+{b})", f"(x+{a})(x+{b + 1})"


def _rational_expression(dice: random.Random) -> Pair:
    a, b, k = dice.randint(1, 999), dice.randint(1, 999), dice.randint(2, 9)
    wrong = f"\\frac{{{k * a}}}{{{k}x+{k * b + 1}}}"
    return f"\\frac{{{a}}}{{x+{b}}}", f"\\frac{{{k * a}}}{{{k}x+{k * b}}}", wrong


def _multiple_of_pi(dice: random.Random) -> Pair:
    p, q, k = dice.randint(1, 9999), dice.randint(2, 999), dice.randint(2, 9)
    return f"\\frac{{{p}\\pi}}{{{q}}}", f"\\frac{{{k * p}}}{{{k * q}}}\\pi", f"\\frac{{{p + 1}}}{{{q}}}\\pi"


def _interval(dice: random.Random) -> Pair:
    p, q, k = dice.randint(1, 99), dice.randint(2, 99), dice.randint(2, 9)
    p, q = p // gcd(p, q), q // gcd(p, q)
    far = p + dice.randint(1, 999)
    return (
        f"[\\frac{{{p}}}{{{q}}}, {far})",
        f"\\left[\\frac{{{k * p}}}{{{k * q}}}, {far}\\right)",
        f"\\left(\\frac{{{k * p}}}{{{k * q}}}, {far}\\right)",
    )


_SIMPLE: tuple[Callable[[random.Random], Pair], ...] = (_integer, _decimal, _fraction)
_SYMBOLIC: tuple[Callable[[random.Random], Pair], ...] = (
    _surd,
    _surd_sum,
    _rationalised,
    _polynomial,
    _rational_expression,
    _multiple_of_pi,
    _interval,
)
