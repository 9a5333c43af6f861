"""The program in a response: a fenced block of Markdown after the thinking.

A last fence that is never closed runs to the end: generation may stop at the closing one. Which of several blocks
counts is the caller's :data:`Choice`, among those whose language fits best. Linear in the response's length; never
raises.

Not covered: code in prose or in inline quotes, fences inside a block's own text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.languages import find_language
from trueward.wire.sample import Sample
from verifiers.extract import NoAnswer
from verifiers.extract.fence import fences
from verifiers.scope import Scope, extract_scope

Choice = Literal["last", "first", "largest", "joined", "whole"]

LONGEST = 1_000_000
"""Characters that a program may have."""

DEFAULT_LANGUAGE = "python"

_TAG = re.compile(r"\{?\.?(?P<tag>[A-Za-z][A-Za-z0-9+#._-]{0,19})(?![A-Za-z0-9+#._-])")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its text, and the language of its fence: None where none is stated, ``""`` where unknown."""

    text: str
    language: str | None


@dataclass(frozen=True, slots=True)
class Code:
    """The program to run. ``chosen`` says that the response itself chose the language; ``blocks`` are its parts."""

    text: str
    language: str
    chosen: bool
    blocks: int


def code(sample: Sample, wanted: str | None, choice: Choice) -> Code | NoAnswer:
    """The response's program. ``wanted`` is the language that the caller asks for, None where the fence decides."""
    answer = extract_scope(sample, Scope.ANSWER)
    if isinstance(answer, NoAnswer):
        code = "no_code" if answer.reason_code == "no_answer" else answer.reason_code
        return NoAnswer(code, answer.reason)
    whole = [Block(answer.text, None)]
    found = whole if choice == "whole" else _chosen(_fitting(blocks(answer.text), wanted), choice)
    text = "\n".join(block.text for block in found)
    if not text.strip():
        return NoAnswer("no_code", "the code block is empty" if found else "there is no code block in the answer")
    if len(text) > LONGEST:
        return NoAnswer("too_long", f"the program has more than {LONGEST} characters")
    fence = found[-1].language
    if wanted is None and fence == "":
        return NoAnswer("unsupported_language", "the language of the code block is unknown")
    return Code(text, wanted or fence or DEFAULT_LANGUAGE, wanted is None and bool(fence), len(found))


def blocks(text: str) -> list[Block]:
    """Every fenced block, in order."""
    return [Block(one.text, _language(one.info)) for one in fences(text)]


def _language(info: str) -> str | None:
    if not info:
        return None
    tag = _TAG.match(info)
    language = find_language(tag["tag"]) if tag else None
    return language.name if language else ""


def _fitting(found: Sequence[Block], wanted: str | None) -> list[Block]:
    """The blocks of the best rank: stated in the language, unstated, then any.

    Where the fence decides, a shell block ("run it with ...") counts only where no other language is stated.
    """

    def rank(block: Block) -> int:
        if wanted is not None:
            return 0 if block.language == wanted else 1 if block.language is None else 2
        if block.language is None:
            return 2
        return {"bash": 1, "": 3}.get(block.language, 0)

    best = min(map(rank, found), default=0)
    return [block for block in found if rank(block) == best]


def _chosen(fitting: list[Block], choice: Choice) -> list[Block]:
    if choice == "joined":
        if fitting:
            last = fitting[-1].language
            return [block for block in fitting if block.language == last]
        return []
    if not fitting:
        return []
    if choice == "largest":
        # of two that are equally long the later one
        return [max(reversed(fitting), key=lambda block: len(block.text))]
    return [fitting[-1] if choice == "last" else fitting[0]]
