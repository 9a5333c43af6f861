r"""The parts of a text that Markdown must leave alone: formulas, escaped characters, and stretches to be marked.

Each becomes one placeholder in the text before Markdown is read, and markup of its own after that. Found are formulas
between TeX's delimiters and a bare ``\boxed{...}``; nothing is looked for in code. Linear, for every look ahead is
bounded.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from markupsafe import Markup

from app.pages.inert import inert
from app.pages.maths import LONGEST, mathml
from verifiers.extract.braces import closing

_MOST_TRIED = 500
"""Openers of formulas in one text, each of which is looked after for up to 1,000 characters."""
_OPENER = re.compile(
    r"^[ \t]*(?P<fence>`{3,}|~{3,})[^`\n]*$|(?P<code>`+)|\\(?P<escaped>[*_`#$|~])|\\(?P<box>boxed|fbox)\s?(?=\{)"
    r"|\$\$|\\\[|\\\(|\$|(?P<reserved>[\ufdd0\ufdd1])",
    re.MULTILINE,
)
_CLOSERS = {"$$": "$$", "\\[": "\\]", "\\(": "\\)", "$": "$"}
_BLOCKS = frozenset({"$$", "\\["})
_MATHEMATICS = re.compile(r"\\[a-zA-Z]|[\^=]|_\{")
_WORDS = re.compile(r"[^\\^_{}$]*[^\W\d_]{2}[^\\^_{}$]*")
_PLACEHOLDER = re.compile("\ufdd0(\\d{1,6})\ufdd1")

Span = tuple[int, int]


class Atom(NamedTuple):
    """Characters ``start`` to before ``end``: as they are ``shown`` in a text, and as they stand in ``code``."""

    start: int
    end: int
    shown: Markup
    code: Markup
    source: str


def atoms(text: str, spans: Sequence[Span] = ()) -> list[Atom]:
    """In order, none over another. A span that cuts one takes it in whole."""
    found = list(_iter_atoms(text))
    for start, end in sorted(spans):
        inside = [atom for atom in found if atom.start < end and atom.end > start]
        if inside:
            start, end = min(start, inside[0].start), max(end, inside[-1].end)
        shown = Markup("<mark>{}</mark>").format(_pieced(text, start, end, inside))
        code = Markup("<mark>{}</mark>").format(inert(text[start:end], end - start))
        found = [atom for atom in found if atom not in inside]
        found.append(Atom(start, end, shown, code, text[start:end]))
        found.sort(key=lambda atom: atom.start)
    return found


def mask_atoms(text: str, found: Sequence[Atom]) -> str:
    """The text with a placeholder for each."""
    pieces, end = [], 0
    for number, atom in enumerate(found):
        pieces += [text[end : atom.start], f"\ufdd0{number}\ufdd1"]
        end = atom.end
    return "".join([*pieces, text[end:]])


def source(text: str, found: Sequence[Atom]) -> str:
    """The text as it was before :func:`mask_atoms`."""
    return _PLACEHOLDER.sub(lambda place: found[int(place[1])].source, text)


def restore_atoms(text: str, found: Sequence[Atom], *, code: bool = False) -> Markup:
    """A piece of such a text, inert, with the atoms in their places."""
    pieces, end = [], 0
    for place in _PLACEHOLDER.finditer(text):
        atom = found[int(place[1])]
        pieces += [inert(text[end : place.start()], len(text)), atom.code if code else atom.shown]
        end = place.end()
    return Markup("").join([*pieces, inert(text[end:], len(text))])


def _pieced(text: str, start: int, end: int, inside: Sequence[Atom]) -> Markup:
    pieces: list[Markup] = []
    for atom in inside:
        pieces += [inert(text[start : atom.start], end - start), atom.shown]
        start = atom.end
    return Markup("").join([*pieces, inert(text[start:end], len(text))])


def _iter_atoms(text: str) -> Iterator[Atom]:
    place = tried = 0
    while (opener := _OPENER.search(text, place)) is not None:
        place = opener.end()
        if opener["fence"] or opener["code"]:
            place = _code_end(text, opener)
        elif opener["escaped"] or opener["reserved"]:
            yield _character(opener)
        elif tried < _MOST_TRIED:
            tried += 1
            if (atom := _formula(text, opener)) is not None:
                place = atom.end
                yield atom


def _code_end(text: str, opener: re.Match[str]) -> int:
    """After the code that begins here; a fence that is never closed goes on to the end, other ticks are text."""
    ticks = opener["fence"] or opener["code"]
    if opener["fence"]:
        closer = re.compile(rf"^[ \t]*{re.escape(ticks)}[`~]*[ \t]*$", re.MULTILINE).search(text, opener.end())
        return len(text) if closer is None else closer.end()
    closer = re.compile(rf"(?<!`){ticks}(?!`)").search(text, opener.end(), opener.end() + LONGEST)
    return opener.end() if closer is None else closer.end()


def _character(opener: re.Match[str]) -> Atom:
    """An escaped character without its backslash, or one of the two that placeholders are made of by its number."""
    whole = opener[0]
    if opener["reserved"]:
        mark = Markup('<span class="mark">U+{}</span>').format(f"{ord(whole):04X}")
        return Atom(*opener.span(), mark, mark, whole)
    return Atom(*opener.span(), inert(opener["escaped"]), inert(whole), whole)


def _formula(text: str, opener: re.Match[str]) -> Atom | None:
    """MathML, or the source where it is beyond what is converted; None where it is no formula at all."""
    if opener["box"]:
        return _box(text, opener)
    kind = opener[0]
    close = text.find(_CLOSERS[kind], opener.end(), opener.end() + LONGEST)
    if close < 0:
        return None
    inside, end = text[opener.end() : close], close + len(_CLOSERS[kind])
    if kind == "$" and not _enclosed(inside, text[end : end + 1]):
        return None
    return _converted(text[opener.start() : end], inside.strip(), opener.start(), kind in _BLOCKS)


def _enclosed(inside: str, after: str) -> bool:
    """Whether dollars are delimiters and no money: white space stands on both sides within or on neither."""
    if not inside.strip() or after.isdigit() or not set("\n`").isdisjoint(inside):
        return False
    if inside[0].isspace() or inside[-1].isspace():
        return inside[0].isspace() and inside[-1].isspace() and _MATHEMATICS.search(inside) is not None
    return True


def _box(text: str, opener: re.Match[str]) -> Atom | None:
    r"""A box without delimiters; one that holds words is no formula, which would take out their spaces."""
    close = closing(text, opener.end(), min(len(text), opener.end() + LONGEST))
    if close is None:
        return None
    inside, whole = text[opener.end() + 1 : close], text[opener.start() : close + 1]
    if not inside.strip():
        return None
    if _WORDS.fullmatch(inside) is not None:
        shown = Markup('<span class="boxed">{}</span>').format(inert(inside, LONGEST))
        return Atom(opener.start(), close + 1, shown, inert(whole, LONGEST), whole)
    return _converted(whole, f"\\boxed{{{inside}}}", opener.start(), False)


def _converted(whole: str, formula: str, start: int, display: bool) -> Atom:
    code = inert(whole, LONGEST + 4)
    made = mathml(formula, display)
    if made is None:
        made = Markup('<code class="tex">{}</code>').format(code)
    return Atom(start, start + len(whole), made, code, whole)
