r"""What a response gives as its answer, where more than one thing could be meant.

Right: the last of several boxes, a true equation, trials within the thinking. Wrong although the
reference stands in the response: only within the thinking or an earlier box, denied, hedged, in a box left open or
emptied, at the end of a false equation.
"""

from __future__ import annotations

import random
from collections.abc import Callable

from benchmarks.pairs.pair import Pair
from benchmarks.pairs.template import reasoning


def _box(value: int) -> str:
    return f"$\\boxed{{{value}}}$"


def corrected(value: int, other: int, dice: random.Random) -> str:
    return f"This gives {_box(other)}.\n\nWait, I made a mistake there. With the right sign it is\n\n{_box(value)}."


def after_thinking(value: int, other: int, dice: random.Random) -> str:
    return f"<think>\nMaybe {_box(other)}? No.\n</think>\n\nThe final answer is {_box(value)}."


def chained(value: int, other: int, dice: random.Random) -> str:
    a = dice.randint(1, 99)
    return f"Adding up, $\\boxed{{{a} + {value - a} = {value}}}$."


def box_and_tag(value: int, other: int, dice: random.Random) -> str:
    return f"One case gives ${other}$, which is excluded.\n\n<answer>{_box(value)}</answer>"


def repeated(value: int, other: int, dice: random.Random) -> str:
    return f"So the result is {_box(value)}.\n\n**Final Answer**\n\n{_box(value)}"


def other_last(value: int, other: int, dice: random.Random) -> str:
    return f"This gives {_box(value)}.\n\nWait, I made a mistake there. With the right sign it is\n\n{_box(other)}."


def thought_only(value: int, other: int, dice: random.Random) -> str:
    return f"<think>\nIt must be {_box(value)}.\n</think>\n\nThe final answer is {_box(other)}."


def still_thinking(value: int, other: int, dice: random.Random) -> str:
    return f"<think>\nIt must be {_box(value)}. But let me double-check, because ${other}$ is possible, too"


def emptied(value: int, other: int, dice: random.Random) -> str:
    return f"We have $x = {value}$ at this point.\n\nThe final answer is $\\boxed{{}}$."


def left_open(value: int, other: int, dice: random.Random) -> str:
    return f"We have $x = {value}$ at this point.\n\nThe final answer is $\\boxed{{{value}"


def denied(value: int, other: int, dice: random.Random) -> str:
    return dice.choice(("The answer is not {}.", "So the final answer is not ${}$.")).format(value)


def hedged(value: int, other: int, dice: random.Random) -> str:
    guesses = [value, other, other + dice.randint(1, 9) + abs(value - other)]
    dice.shuffle(guesses)
    return f"The answer is {_box(guesses[0])} or {_box(guesses[1])} or {_box(guesses[2])}."


def false_equation(value: int, other: int, dice: random.Random) -> str:
    return f"The final answer is $\\boxed{{{other} = {value}}}$."


def both(value: int, other: int, dice: random.Random) -> str:
    return f"The final answer is $\\boxed{{{value} \\text{{ or }} {other}}}$."


def off_by_one(value: int, other: int, dice: random.Random) -> str:
    return f"So far we found ${value}$ cases, and one more.\n\nThe final answer is {_box(value + 1)}."


Ending = Callable[[int, int, random.Random], str]

_RIGHT: tuple[Ending, ...] = (corrected, after_thinking, chained, box_and_tag, repeated)
_WRONG: tuple[Ending, ...] = (
    other_last,
    thought_only,
    still_thinking,
    emptied,
    left_open,
    denied,
    hedged,
    false_equation,
    both,
    off_by_one,
)


def draw(dice: random.Random, right: bool) -> Pair:
    value = dice.randint(100, 99_999)
    other = value + dice.choice((-1, 1)) * dice.randint(2, 50)
    ending = dice.choice(_RIGHT if right else _WRONG)
    text = ending(value, other, dice)
    response = text if text.startswith("<think>") else f"{reasoning(dice)}\n\n{text}"
    return Pair((str(value),), text, response, right, "endings", ending.__name__, "ending")
