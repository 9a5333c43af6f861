"""The query of a response, and whether a query orders its rows. Linear in the text's length; never raises.

The query is what stands in the last answer tag, or else in the last fenced block, after the thinking, else all of
that text where it begins like a query. Not covered: a query in the middle of prose.
"""

from __future__ import annotations

import re

from trueward.types import Sample
from verifiers.code.block import blocks
from verifiers.extract import Answer, NoAnswer
from verifiers.scope import Scope, scoped

LONGEST = 50_000
"""Characters that a query may have."""

_TAG = re.compile(r"<(/?)(?:answer|sql)>", re.IGNORECASE)
_QUERY = re.compile(r"[\s(]*(?:SELECT|WITH|VALUES|FROM)\b", re.IGNORECASE)
_TOKEN = re.compile(
    r"""'(?:[^']|'')*+(?:'|\Z)|"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)"""
    r"""|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|\$(\w{0,20})\$.*?(?:\$\1\$|\Z)|[()]|\w++""",
    re.DOTALL,
)


def query_of(sample: Sample) -> Answer | NoAnswer:
    """The query of a response, without the semicolons and blanks at its end."""
    found = scoped(sample, Scope.ANSWER)
    if isinstance(found, NoAnswer):
        return found
    tagged = _tagged(found)
    if isinstance(tagged, NoAnswer):
        return tagged
    fenced = blocks(tagged.text)
    answer = Answer(fenced[-1].text, "fenced") if fenced else tagged
    text = answer.text.strip().rstrip(";\n\t ")
    if not text:
        return NoAnswer("empty_answer", "the query is empty")
    if len(text) > LONGEST:
        return NoAnswer("query_too_long", f"the query has more than {LONGEST} characters")
    if answer.rule == Scope.ANSWER and not _QUERY.match(text):
        return NoAnswer("no_answer", "there is no fenced block, no answer tag, and the answer is not itself a query")
    return Answer(text, answer.rule)


def orders(query: str) -> bool:
    """Whether the rows of a query come in an order: ORDER BY outside all parentheses, or in ones around all of it."""
    depth, before = 0, ""
    lowest, ordered_at = None, None
    for token in _TOKEN.finditer(query):
        word = token[0].upper()
        if word.startswith(("--", "/*")):
            continue
        if word == "(":
            depth += 1
        elif word == ")":
            depth -= 1
        else:
            lowest = depth if lowest is None else min(lowest, depth)
            if word == "BY" and before == "ORDER" and (ordered_at is None or depth < ordered_at):
                ordered_at = depth
        before = word
    return ordered_at is not None and ordered_at == lowest


def _tagged(found: Answer) -> Answer | NoAnswer:
    """What stands in the last tag, else the text itself."""
    text = found.text
    inside: str | None = None
    opened: int | None = None
    for mark in _TAG.finditer(text):
        if not mark[1]:
            opened = mark.end()
        elif opened is not None:
            inside, opened = text[opened : mark.start()], None
    if opened is not None:
        return NoAnswer("unclosed_tag", "the final answer tag is not closed")
    return found if inside is None else Answer(inside.strip(), "tag")
