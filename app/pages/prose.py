"""A text as people read it: Markdown, formulas and code, made of few elements and one attribute beside their classes.

Markdown is read by markdown-it-py, without HTML, links, images, entities and references: they stay text. What it reads
is written by this module, each piece of text through :mod:`app.pages.inert`. Where it would leave out a letter, a digit
or a character that is shown by its number, as of a row that is wider than its table, the text is read without tables,
and else without Markdown; so is one that nests deeper than 16 levels. A text with room for more than 2,000 cells has no
tables.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup

from app.pages.atoms import Atom, Span, atoms, mask_atoms, restore_atoms, source
from app.pages.highlight import LANGUAGES, highlight_code
from app.pages.inert import SHOWN, UNRULY, inert

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

ELEMENTS = frozenset(
    {"p", "ul", "ol", "li", "blockquote", "hr", "pre", "strong", "em", "s", "code", "mark", "span", "bdi"}
    | {"table", "thead", "tbody", "tr", "th", "td"}
)
"""What a text becomes beside mathematics. The only attributes are ``class``, and ``start`` of ``ol``."""
_DEEPEST = 16
_MOST_CELLS = 2_000
_RULES = ("fence", "code", "blockquote", "hr", "list", "heading", "backticks", "emphasis", "strikethrough")
_ALIGNED = {"text-align:left": "left", "text-align:center": "center", "text-align:right": "right"}
_FORMATTED = re.compile("<(?!/?(?:p|span|bdi|mark)[ >])")


def prose(text: str, most: int = SHOWN, spans: Sequence[Span] = ()) -> Markup:
    """At most ``most`` characters of a text, for an element of the class ``inert``; what ``spans`` name is marked."""
    text = text[:most].replace("\r\n", "\n") if not spans else text[:most]
    found = atoms(text, [span for span in spans if 0 <= span[0] < span[1] <= len(text)])
    read = mask_atoms(text, found)
    for tables in (True, False) if _has_tables(text) else (False,):
        tokens = _reader(tables).parse(read)
        if max((token.level for token in tokens), default=0) < _DEEPEST and _count(read) == sum(
            map(_count_shown, tokens)
        ):
            return Markup("").join(_written(tokens, found))
    return Markup("<p>{}</p>").format(restore_atoms(read, found))


def plain(text: str, most: int = SHOWN, spans: Sequence[Span] = ()) -> Markup:
    """The same as it was written, with nothing but ``spans`` marked."""
    text = text[:most]
    pieces, end = [], 0
    for start, stop in sorted(spans):
        if end <= start < stop <= len(text):
            pieces += [inert(text[end:start], most), Markup("<mark>{}</mark>").format(inert(text[start:stop], most))]
            end = stop
    return Markup("").join([*pieces, inert(text[end:], most)])


def is_formatted(made: Markup) -> bool:
    """Whether a text became anything but paragraphs, so that it reads otherwise than it was written."""
    return _FORMATTED.search(made) is not None


@cache
def _reader(tables: bool) -> MarkdownIt:
    from markdown_it import MarkdownIt

    reader = MarkdownIt("zero", {"maxNesting": _DEEPEST + 4}).enable([*_RULES, *(["table"] if tables else [])])
    # it takes out what it does not like, and a page shows that by its number
    return reader.disable("normalize")


def _has_tables(text: str) -> bool:
    """Rows are filled up to the width of their head, so a narrow text can be a table of a million cells."""
    lines = text.split("\n")
    widest = max(line.count("|") for line in lines) + 1
    return widest * sum(bool(line.strip()) for line in lines) <= _MOST_CELLS


def _count(text: str) -> int:
    """What must not be left out: letters, digits, and what is shown by its number, but for the ends of lines."""
    return sum(character.isalnum() for character in text) + len(UNRULY.findall(text.replace("\r\n", "\n")))


def _count_shown(token: Token) -> int:
    """What of these is shown; ``info`` is the language of a block of code, and the number of an item."""
    return _count(token.content) + _count(token.info)


def _written(tokens: Sequence[Token], found: Sequence[Atom]) -> Iterator[Markup]:
    for token in tokens:
        if token.type == "inline":
            yield from _written(token.children or [], found)
        elif token.type in ("fence", "code_block"):
            yield _block(token, found)
        elif token.type == "code_inline":
            yield Markup("<code>{}</code>").format(restore_atoms(token.content, found, code=True))
        elif token.type == "heading_open":
            yield Markup('<p class="heading">')
        elif token.type == "heading_close":
            yield Markup("</p>")
        elif token.type == "hr":
            yield Markup("<hr>")
        elif token.nesting and not token.hidden:
            yield _tag(token)
        elif not token.nesting:
            yield restore_atoms(token.content, found)


def _tag(token: Token) -> Markup:
    """No heading of a text is one of the page, whose outline is its own."""
    assert token.tag in ELEMENTS, token.tag
    if token.nesting < 0:
        return Markup("</{}>").format(token.tag)
    start, aligned = token.attrs.get("start"), _ALIGNED.get(str(token.attrs.get("style")))
    if start is not None:
        return Markup('<{} start="{}">').format(token.tag, int(start))
    return Markup('<{} class="{}">').format(token.tag, aligned) if aligned else Markup("<{}>").format(token.tag)


def _block(token: Token, found: Sequence[Atom]) -> Markup:
    """A block of code, coloured where nothing in it is marked. What it calls itself is shown if it is no language."""
    code, language = token.content.removesuffix("\n"), source(token.info, found).strip()
    shown = restore_atoms(code, found, code=True)
    if "<mark>" not in shown:
        shown = highlight_code(source(code, found), language)
    named = language and language.lower() not in LANGUAGES
    head = Markup('<span class="language">{}</span>\n').format(inert(language)) if named else ""
    return Markup('<pre class="code">{}{}</pre>').format(head, shown)
