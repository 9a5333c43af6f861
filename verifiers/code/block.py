"""The program in a response: a fenced block of Markdown after the thinking.

A last fence that is never closed runs to the end: generation may stop at the closing one. A block of Markdown stands
for the blocks in it. Which of several blocks counts is the caller's :data:`Choice`, among those whose language fits
best; the last is the last that defines what the tests name, where one does: an example of its use may follow it. Linear
in the response's length; never raises.

Not covered: code in prose or in inline quotes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Literal

from sandbox.languages import find_language
from trueward.wire.sample import Sample
from verifiers.extract import NoAnswer
from verifiers.extract.fence import fences
from verifiers.scope import Scope, extract_scope

Choice = Literal["last", "first", "largest", "joined", "whole"]

Names = Callable[[], Collection[str]]

LONGEST = 1_000_000
"""Characters that a program may have."""

DEFAULT_LANGUAGE = "python"

_TAG = re.compile(r"\{?\.?(?P<tag>[A-Za-z][A-Za-z0-9+#._-]{0,19})(?![A-Za-z0-9+#._-])")


_MARKDOWN = frozenset({"markdown", "md"})
_DEFINITION = re.compile(
    r"^(?:export[ \t]+)?(?:default[ \t]+)?(?:async[ \t]+)?(?:def|class|function\*?)[ \t]+(?P<name>[\w$]+)"
    r"|^(?:export[ \t]+)?(?:(?:const|let|var)[ \t]+)?(?P<bound>[\w$]+)[ \t]*(?::[^=\n]{0,200})?=(?![=>])"
    r"[ \t]*(?P<made>lambda\b|async\b|function\b|class\b|\([^()\n]{0,200}\)[ \t]*=>|[\w$]+[ \t]*=>)?",
    re.MULTILINE,
)
"""What a text of Python or JavaScript defines at its top level: functions and classes, and other names."""


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


def code(sample: Sample, wanted: str | None, choice: Choice, tested: Names = frozenset) -> Code | NoAnswer:
    """The response's program.

    ``wanted`` is the language that the caller asks for, None where the fence decides; ``tested`` gives the names of
    which the tests use some.
    """
    answer = extract_scope(sample, Scope.ANSWER)
    if isinstance(answer, NoAnswer):
        code = "no_code" if answer.reason_code == "no_answer" else answer.reason_code
        return NoAnswer(code, answer.reason)
    whole = [Block(answer.text, None)]
    found = whole if choice == "whole" else _chosen(_fitting(blocks(answer.text), wanted), choice, tested)
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
    found: list[Block] = []
    for one in fences(text):
        tag = _TAG.match(one.info)
        parts = fences(one.text) if tag and tag["tag"].lower() in _MARKDOWN else []
        found += [Block(part.text, _language(part.info)) for part in parts or [one]]
    return [block for block in found if block.text.strip()] or found


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


def _chosen(fitting: list[Block], choice: Choice, tested: Names) -> list[Block]:
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
    if choice == "first":
        return [fitting[0]]
    if len(fitting) == 1:
        return fitting
    names = tested()
    found = [(block, *_defined(block.text)) for block in fitting]
    making = [block for block, made, _ in found if not made.isdisjoint(names)]
    binding = [block for block, _, bound in found if not bound.isdisjoint(names)]
    return [(making or binding or fitting)[-1]]


def _defined(text: str) -> tuple[set[str], set[str]]:
    """The names of functions and classes, and of all else: ``expected = 5`` may stand in an example."""
    made, bound = set[str](), set[str]()
    for one in _DEFINITION.finditer(text):
        (made if one["name"] or one["made"] else bound).add(one["name"] or one["bound"])
    return made, bound
