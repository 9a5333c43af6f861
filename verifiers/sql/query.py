"""The query of a response, and whether a query orders its rows. Linear in the text's length; never raises.

The query is what stands in the last answer tag, or else in the last fenced block, after the thinking, else all of
that text where it begins like a query, if after a lead such as ``SQL:``, in inline quotes, or before a paragraph of
prose that follows its semicolon; else the one query that stands in inline code. Of several blocks those count that say
SQL or begin like a query. In a JSON object it is the value of ``query`` or ``sql``. Not covered: a query in the middle
of prose without quotes.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

from trueward.wire.sample import Sample
from verifiers.extract import Answer, NoAnswer
from verifiers.extract.denial import is_denied
from verifiers.extract.fence import Fenced, fences
from verifiers.scope import Scope, extract_scope

LONGEST = 50_000
"""Characters that a query may have."""

_TAG = re.compile(r"<(/?)(?:answer|sql)>", re.IGNORECASE)
_QUERY = re.compile(r"(?:[\s(]|--[^\n]*+\n|/\*(?:[^*]|\*(?!/))*+\*/)*+(?:SELECT|WITH|VALUES|FROM)\b", re.IGNORECASE)
_SQL = re.compile(r"\{?\.?(?:\w{0,20}sql\w{0,20}|duckdb)\b", re.IGNORECASE)
_LEAD = re.compile(r"(?:[^\n:;]{0,80}:)?[`*\s]*+(?=(?:SELECT|WITH)\b)", re.IGNORECASE)
_INLINE = re.compile(r"(?<!`)`(?!`)(?P<query>\s*+(?:SELECT|WITH)\s[^`]++)`(?!`)", re.IGNORECASE)
_KEYS = ("query", "sql", "sql_query")
_PARAGRAPH = re.compile(r";[ \t]*\r?\n[ \t]*\r?\n")
_STATEMENT = re.compile(
    r"[\s(]*+(?:--|/\*|(?:SELECT|WITH|VALUES|FROM|INSERT|UPDATE|DELETE|REPLACE|MERGE|CREATE|DROP|ALTER|PRAGMA|ATTACH|"
    r"DETACH|EXPLAIN|BEGIN|COMMIT|ROLLBACK|VACUUM|ANALYZE|REINDEX|SET|COPY|CALL)\b)",
    re.IGNORECASE,
)
_TOKEN = re.compile(
    r"""'(?:[^']|'')*+(?:'|\Z)|"(?:[^"]|"")*+(?:"|\Z)|`(?:[^`]|``)*+(?:`|\Z)"""
    r"""|--[^\n]*+|/\*(?:[^*]|\*(?!/))*+(?:\*/|\Z)|\$(\w{0,20})\$.*?(?:\$\1\$|\Z)|[()]|\w++""",
    re.DOTALL,
)


def query_of(sample: Sample) -> Answer | NoAnswer:
    """The query of a response, without the semicolons and blanks at its end."""
    found = extract_scope(sample, Scope.ANSWER)
    if isinstance(found, NoAnswer):
        return found
    tagged = _tagged(found)
    if isinstance(tagged, NoAnswer):
        return tagged
    fenced = fences(tagged.text)
    answer = Answer(_chosen(fenced).text, "fenced") if fenced else Answer(_bare(tagged.text), tagged.rule)
    answer = replace(answer, text=_member(answer.text))
    text = answer.text.strip().rstrip(";\n\t ")
    if not text:
        return NoAnswer("empty_answer", "the query is empty")
    if len(text) > LONGEST:
        return NoAnswer("query_too_long", f"the query has more than {LONGEST} characters")
    if answer.rule == Scope.ANSWER and not _QUERY.match(text):
        return NoAnswer("no_answer", "there is no fenced block, no answer tag, and the answer is not itself a query")
    return Answer(text, answer.rule)


def _chosen(fenced: list[Fenced]) -> Fenced:
    return ([one for one in fenced if _SQL.match(one.info) or _QUERY.match(one.text)] or fenced)[-1]


def _bare(text: str) -> str:
    """A query without fences: what dresses it left out."""
    if _QUERY.match(text):
        lead = None
    elif (inline := _inline(text)) is not None:
        return inline
    else:
        lead = _LEAD.match(text)
    if lead is not None:
        text = text[lead.end() :].rstrip("`* \t\n")
    query, *after = _PARAGRAPH.split(text, maxsplit=1)
    return query if after and ";" not in after[0] and not _STATEMENT.match(after[0]) else text


def _inline(text: str) -> str | None:
    """The one query that stands in inline code and is not denied."""
    found = {code["query"].strip(): code for code in _INLINE.finditer(text)}
    if len(found) != 1:
        return None
    [(query, code)] = found.items()
    return None if is_denied(text, code.start(), code.end()) else query


def _member(text: str) -> str:
    """The query of a JSON object, or the text itself."""
    if not text.lstrip().startswith("{") or len(text) > 2 * LONGEST:
        return text
    try:
        members = json.loads(text, object_pairs_hook=list)
    except (ValueError, RecursionError):
        return text
    queries = [value for key, value in members if key.lower() in _KEYS]
    return queries[0] if len(queries) == 1 and isinstance(queries[0], str) else text


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
