"""A Java program as contests take it: its class may have any name and stand in a package.

The compiler wants a public class in a file of its name, and the file is ``Main.java``. So the word ``public`` before
other classes, and the package, give way to blanks: lines and columns stay. Where no type is ``Main``, one is added that
calls the first with a ``main`` of its own. A text that is no Java is left to the compiler, and so is a very long one.

Not covered: words written as ``\\u`` escapes, names that repeat the package.
"""

from __future__ import annotations

import re
from itertools import pairwise

LONGEST = 2**16
"""Characters, as contests bound sources."""

_TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?(?:\*/|\Z)|\"{3}(?:\\?.)*?(?:\"{3}|\Z)|"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?"""
    r"""|(?P<word>[^\W\d][\w$]*)|(?P<mark>[{};])""",
    re.DOTALL,
)
_KINDS = frozenset({"class", "interface", "enum", "record"})
_MAIN = "\nclass Main {{ public static void main(String[] args) throws Throwable {{ {}.main(args); }} }}\n"


def as_main(text: str) -> str:
    """The program in the form that ``Main.java`` takes."""
    if len(text) > LONGEST:
        return text
    blanks: list[tuple[int, int]] = []
    types: list[str] = []
    entry = ""
    depth = 0
    words: list[re.Match[str]] = []
    for token in _TOKEN.finditer(text):
        if token["word"]:
            words.append(token)
        if not token["mark"]:
            continue
        said = [word[0] for word in words]
        if depth == 0 and token[0] == "{" and (name := _declared(said)):
            types.append(name)
            if name != "Main":
                blanks += [word.span() for word in words if word[0] == "public"]
        elif depth == 0 and token[0] == ";" and said[:1] == ["package"]:
            blanks.append((words[0].start(), token.end()))
        elif depth == 1 and token[0] == "{" and types and not entry and _begins_main(said):
            entry = types[-1]
        depth += {"{": 1, "}": -1, ";": 0}[token[0]]
        words = []
    parts, done = [], 0
    for start, end in blanks:
        parts += [text[done:start], re.sub(r"[^\n]", " ", text[start:end])]
        done = end
    parts += [text[done:], _MAIN.format(entry) if entry and "Main" not in types else ""]
    return "".join(parts)


def _declared(words: list[str]) -> str:
    """The name of the type that these words before its body declare."""
    return next((after for kind, after in pairwise(words) if kind in _KINDS), "")


def _begins_main(words: list[str]) -> bool:
    at = words.index("main") if "main" in words else 0
    return "static" in words[:at] and words[at - 1] == "void"
