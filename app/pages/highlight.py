"""Code with its parts marked by class: the text stays what it was, to the character, and inert."""

from __future__ import annotations

from functools import cache
from time import perf_counter

from markupsafe import Markup
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import STANDARD_TYPES, Token

from app.pages.inert import inert

LONGEST = 4000
LONGEST_S = 0.1
"""Characters of code that are marked, and the seconds that a block may take: lexers are regular expressions, some of
which take time with the square of what they read. The rest of such a block is plain."""
LANGUAGES = {
    "python": "python", "py": "python", "python3": "python", "c": "c", "cpp": "cpp", "c++": "cpp", "java": "java",
    "javascript": "javascript", "js": "javascript", "typescript": "typescript", "ts": "typescript", "go": "go",
    "rust": "rust", "rs": "rust", "bash": "bash", "sh": "bash", "shell": "bash", "sql": "sql", "json": "json",
    "yaml": "yaml", "diff": "diff", "lean": "lean4", "haskell": "haskell", "ruby": "ruby", "php": "php",
    "kotlin": "kotlin", "csharp": "csharp", "c#": "csharp", "lua": "lua", "r": "r", "julia": "julia",
}  # fmt: skip
"""What a block of code may call itself, and whose lexer that is."""


def highlight_code(code: str, language: str) -> Markup:
    """Spans of Pygments' short classes; plain where the language is not known, or the code is longer than 4,000."""
    name = LANGUAGES.get(language.strip().lower())
    if name is None or len(code) > LONGEST:
        return inert(code, len(code))
    pieces: list[Markup] = []
    place = 0
    ends = perf_counter() + LONGEST_S
    for _, kind, text in _lexer(name).get_tokens_unprocessed(code):
        pieces.append(_span(kind, text))
        place += len(text)
        if perf_counter() > ends:
            break
    return Markup("").join([*pieces, inert(code[place:], len(code))])


def _span(kind: object, text: str) -> Markup:
    while kind not in STANDARD_TYPES:
        kind = getattr(kind, "parent", Token)
    name = STANDARD_TYPES[kind]
    shown = inert(text, len(text))
    return Markup('<span class="{}">{}</span>').format(name, shown) if name else shown


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name)
