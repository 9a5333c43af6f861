"""What a model says through the service against what a plain forward says of the same texts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from math import inf

import typer

from trueward.commands.report import add_row, new_table, plain, show
from trueward.wire.base import Wire
from trueward.wire.model import ModelAnswer, ModelQuestion

_HEAD = 160


class Plain(Wire):
    """A question with a plain forward's rows, the text that was read, and what its tokenizer made of it."""

    question: ModelQuestion
    rows: list[list[float]]
    text: str
    tokens: int
    bos: int


class Parity(Wire):
    """``engine`` and ``plain`` are the rows; ``difference`` is the largest of two of their numbers."""

    text: str
    engine: list[list[float]]
    plain: list[list[float]]
    difference: float
    engine_tokens: int
    plain_tokens: int
    bos: int


def check_parity(plain: Sequence[Plain], answers: Sequence[ModelAnswer]) -> list[Parity]:
    """Sample by sample, in order. Rows of different shapes are infinitely apart."""
    return [
        Parity(
            text=one.text,
            engine=answer.rows,
            plain=one.rows,
            difference=_difference(one.rows, answer.rows),
            engine_tokens=answer.tokens,
            plain_tokens=one.tokens,
            bos=one.bos,
        )
        for one, answer in zip(plain, answers, strict=True)
    ]


def show_parity(found: Sequence[Parity], tolerance: float) -> None:
    table = new_table("", "engine", "plain", "difference", "tokens", "BOS")
    for one in found:
        word = "same" if one.difference <= tolerance else "DIFFERS"
        tokens = str(one.plain_tokens) if one.plain_tokens == one.engine_tokens else _token_ratio(one)
        add_row(table, word, _short(one.engine), _short(one.plain), f"{one.difference:.2e}", tokens, one.bos)
    show(table)
    typer.echo("the first text as the model reads it:")
    typer.echo(plain(f"  {found[0].text[:_HEAD]!r}") if found else "")
    if any(one.bos > 1 for one in found):
        typer.echo("several BOS tokens: the chat template writes one, and the tokenizer adds another")


def _difference(rows: Sequence[Sequence[float]], others: Sequence[Sequence[float]]) -> float:
    if list(map(len, rows)) != list(map(len, others)):
        return inf
    pairs = zip(chain.from_iterable(rows), chain.from_iterable(others), strict=True)
    return max((abs(one - other) for one, other in pairs), default=0.0)


def _short(rows: Sequence[Sequence[float]]) -> str:
    """A row in full where it is short, else how much there is and the sum: what most scores are made of."""
    numbers = list(chain.from_iterable(rows))
    if len(numbers) <= 4:
        return " ".join(f"{number:.5f}" for number in numbers)
    return f"{len(numbers)} numbers, sum {sum(numbers):.5f}"


def _token_ratio(one: Parity) -> str:
    return f"{one.engine_tokens} / {one.plain_tokens}"
