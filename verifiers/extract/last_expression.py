"""The last expression of the last line that has mathematics in it: the fall-back of responses without form.

A stretch set as mathematics goes first (its last row), then emphasis, then the last run of words that look like
mathematics (a whole expression, never a number out of its middle). An expression that its sentence denies
(``so it is not 42``), rules out or only compares with (``it is less than 42``) ends the search.
"""

from __future__ import annotations

import re
from itertools import pairwise

from verifiers.extract.answer import Answer, NoAnswer
from verifiers.extract.denial import is_denied, is_excluded
from verifiers.extract.parts import Span, answer_of, is_listed
from verifiers.extract.said import said_of
from verifiers.extract.segment import Segment, final_row, segments

RULE = "last_expression"
TAIL = 2_000
"""Characters at the end of a response that are looked at."""

_WORD = re.compile(r"\S+")
_LETTERS = re.compile(r"[^\W\d_²³¹⁰⁴-⁹]{2,}")
_COMMAND = re.compile(r"\\[A-Za-z]+")
FUNCTIONS = frozenset(
    "sin cos tan cot sec csc arcsin arccos arctan sinh cosh tanh log ln exp sqrt pi max min gcd lcm".split()  # noqa: SIM905 - a list of quoted words reads worse
)
_DIGIT = re.compile(r"\d")
_MATHEMATICAL = re.compile(r"[\d\\^=√π]")
_BOLD = re.compile(r"\*\*([^*\n]{1,200})\*\*")
# **Total: 42**
_CALLED = re.compile(r"[^\W\d_][^:\d\\=]{0,60}:\s+")
_CJK = re.compile("[\u3000-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_LEAD = re.compile(r"(?:[^\W\d_]|[-–—])\s+(?=[\d$]|\\(?!(?:leq?|geq?|neq?|[lg]t|in|equiv|approx)(?![a-z])))")
# the signs that end a proof
_ENDED = frozenset(
    ("", "\\blacksquare", "\\square", "\\Box", "\\qed", "\\checkmark", "\\qedsymbol", "\\therefore", *"□■∎✓")
)
_AROUND = "*_`\"'"
_BEFORE = _AROUND + ",;:= #"
_ARROW = re.compile(r"\s*(?:[-=]{1,2}>|[→⇒➡]\ufe0f?)")
_QUOTED = re.compile(r"[ \t]{0,3}(?:>(?!\s?=)[ \t]?)+")
_AFTER = _AROUND + ".,;:!?。 "
_JOINS = ("and", "or")
_MINUS = re.compile(r"(?<![\d)}\]$]\s)(?<!\w)(?:minus|negative)\s(?P<open>\$|\\\()?\Z", re.IGNORECASE)
_OPERATIONS = ("plus", "minus", "times", "by")
_UNSURE = ("maybe", "perhaps", "possibly", "even", "rather")
# "7, attained at x = 2": what follows says where or why, not what
_CLAUSE = re.compile(
    r",?\s[(\[]?(?:(?:(?:which\s)?is\s)?(?:attained|achieved|reached|obtained|occurring)\s(?:at|when|for|if)|when(?:ever)?|where"
    r"|since|because|provided|if|for|with|at)\s(?=\$?\\?[A-Za-z](?:_\w{1,4}|\([\w,]{1,9}\))?\s?(?:[=<>≤≥]|\\(?:[lg]e|in)))"
    r"|,\s(?:and\s)?not\s(?=\$|\\|-?\d)"
    r"|,?\s[(\[]?(?:(?:since\s|as\s|because\s)?we\s)?(?:reject|discard|ignor)(?:e|ing)?\s"
)
_SENTENCE = re.compile(r"[.!?]\s")
_UNIT = (
    r"(?:hours?|minutes?|seconds?|days?|weeks?|months?|years?|feet|foot|inch(?:es)?|pounds?|ounces?|dollars?|cents?"
    r"|ft|lbs?|oz|h|min)"
)
_COUNT = r"(?<!\d)\d++(?:\.\d++)?\s"
_COMPOUND = re.compile(rf"{_COUNT}{_UNIT}(?:,?\sand\s|,\s|\s){_COUNT}{_UNIT}(?![^\W\d_])")
_SCALE = re.compile(r"(?<=\d)\s(?:hundred|thousand|million|billion|trillion)(?!\w)", re.IGNORECASE)
# a unit that is no word of a sentence, nor a letter that may be a factor: 5 km, 50 mm^2, 15 cents, 12:30 AM
_MEASURED = re.compile(
    r"(?<=\d)\s?(?:(?:[kcm]m|(?:kilo|centi|milli)?met(?:er|re)s?|kg|(?:kilo|milli)?grams?|k[JNWV]|kPa|[kMG]Hz|cents"
    r"|miles?|feet|inches|percent|per cent)(?:\^\{?[23]\}?|[²³])?|(?<=:\d\d)\s?[ap]\.?m\.?)(?![\w/^])",
    re.IGNORECASE,
)
_ABBREVIATED = re.compile(r"[(,]*(?:i\.e|e\.g|a\.k\.a|p\.s)\.?[,:]?", re.IGNORECASE)


def last_expression(text: str) -> Answer | NoAnswer | None:
    begin = _tail(text)
    end = len(text)
    while end > begin:
        # no display of mathematics has a blank line in it
        blank = text.rfind("\n\n", begin, end)
        start = blank + 2 if blank >= 0 else begin
        spans = _in_paragraph(text, start, end)
        if spans:
            spans[0] = _signed(text, spans[0])
            texts = tuple(text[slice(*span)] for span in spans)
            return _denied(text, spans[0]) or answer_of(text, RULE, spans, candidates=texts)
        end = start - 2
    return None


def _in_paragraph(text: str, start: int, end: int) -> list[Span]:
    math = [part for part in segments(text, start, end) if text[part[1] : part[2]].strip() not in _ENDED]
    line_end = end
    while line_end > start:
        line_start = max(start, text.rfind("\n", start, line_end) + 1)
        line_end = _before_clause(text, line_start, line_end)
        while math and math[-1][3] > line_end:
            math.pop()
        value = said_of(text, (math[-1][0], math[-1][3]), line_end) if math and math[-1][3] > line_start else None
        if value is not None:
            found = [_tight(text, *value)]
        elif math and math[-1][3] > line_start:
            found = [
                _tight(text, *final_row(text, inner, inner_end)) for _, inner, inner_end, _ in _together(text, math)
            ]
        else:
            run = _in_line(text, line_start, line_end)
            found = [_tight(text, *run)] if run else []
        spans = [span for span in found if span is not None]
        if spans:
            return spans
        line_end = line_start - 1
    return []


def _before_clause(text: str, start: int, end: int) -> int:
    """Where the line's last sentence ends without the clause that only says where or why; its end without one."""
    for sentence in _SENTENCE.finditer(text, start, end - 1):
        start = sentence.end()
    clause = _CLAUSE.search(text, start, end)
    return clause.start() if clause is not None and _says(text, start, clause.start()) else end


def _says(text: str, start: int, end: int) -> bool:
    """Whether a stretch has a number or formula of its own, and is no condition itself."""
    head = text[start : start + 12].lower().lstrip()
    return bool(_DIGIT.search(text, start, end)) and not head.startswith(
        ("if ", "when ", "for ", "where ", "since ", "at ")
    )


def _together(text: str, math: list[Segment]) -> list[Segment]:
    """The last formula, with those before it where "and" or "or" makes a list of them."""
    first = len(math) - 1
    while first > 0 and is_listed(text, math[first - 1][3], math[first][0], by_word=first == len(math) - 1):
        first -= 1
    return math[first:]


def _tight(text: str, start: int, end: int) -> tuple[int, int] | None:
    inner = text[start:end]
    bare = inner.strip()
    start += len(inner) - len(inner.lstrip())
    return (start, start + len(bare)) if bare else None


def _signed(text: str, span: Span) -> Span:
    """With the sign that a word before it gives: ``minus 42``."""
    minus = _MINUS.search(text, max(0, span[0] - 20), span[0])
    if minus is None or not _DIGIT.match(text, span[0]):
        return span
    return minus.start(), span[1] + len(minus["open"] or "")


def _denied(text: str, span: tuple[int, int]) -> NoAnswer | None:
    if is_denied(text, *span) or is_excluded(text, *span):
        return NoAnswer("denied_answer", "the last expression is what the answer is not", span)
    return None


def _tail(text: str) -> int:
    """Where the end of the text begins that is looked at: at a line or word, never within a number."""
    start = len(text) - TAIL
    if start <= 0:
        return 0
    for edge in ("\n", " "):
        found = text.find(edge, start)
        if found >= 0:
            return found + 1
    return len(text)


def _in_line(text: str, start: int, end: int) -> tuple[int, int] | None:
    if not _DIGIT.search(text, start, end) and not _is_expression(text[start:end]):
        return None
    bold = list(_BOLD.finditer(text, start, end))
    if bold and _DIGIT.search(bold[-1][1]):
        called = _CALLED.match(text, *bold[-1].span(1))
        return (called.end() if called else bold[-1].start(1)), bold[-1].end(1)
    run: tuple[int, int] | None = None
    quoted = _QUOTED.match(text, start, end)
    words = _words(text, quoted.end() if quoted else start, end)
    for place in range(len(words) - 1, -1, -1):
        first, last = words[place]
        if _is_mathematical(text[first:last]):
            run = (first, run[1]) if run else (first, last)
        elif run is not None and _leads_on(text, words[: place + 1]):
            continue
        elif run is not None:
            worked = text[first:last].lower() in _OPERATIONS and "=" in text[slice(*run)]
            # "3 times 14 = 42" is 42
            kept = _kept(text, (text.rindex("=", *run) + 1, run[1]) if worked else run)
            if kept is not None:
                return _whole_quantity(text, start, end, kept)
            run = None
    kept = _kept(text, run) if run is not None else None
    return _whole_quantity(text, start, end, kept) if kept is not None else None


def _whole_quantity(text: str, start: int, end: int, run: tuple[int, int]) -> tuple[int, int]:
    """``5 hours and 30 minutes`` around its last number, ``5 million`` and ``5 km`` around its digits."""
    found = next((each.span() for each in _COMPOUND.finditer(text, start, end) if each.end() >= run[1]), run)
    if found[0] <= run[0] and found != run:
        return found
    more = _SCALE.match(text, run[1], end) or _MEASURED.match(text, run[1], end)
    return (run[0], more.end()) if more is not None else run


def _leads_on(text: str, words: list[tuple[int, int]]) -> bool:
    """Whether the last of some words joins what follows to a value before it: ``1 or 2``, ``1 or maybe 2``."""
    word = text[slice(*words[-1])]
    if word in _JOINS:
        return _joins(text, words[:-1])
    return word in _UNSURE and len(words) > 1 and text[slice(*words[-2])] in _JOINS


def _joins(text: str, before: list[tuple[int, int]]) -> bool:
    """Whether a value stands before ``and`` or ``or`` as well: ``x = 1 or x = 2``."""
    word = text[slice(*before[-1])] if before else ""
    return _is_mathematical(word) and bool(_DIGIT.search(word)) and not word.endswith((".", ":", ";"))


def _words(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The words of a line; in scripts without blanks a change of script parts them too."""
    if text.isascii() or not _CJK.search(text, start, end):
        return [word.span() for word in _WORD.finditer(text, start, end)]
    found = []
    for word in _WORD.finditer(text, start, end):
        parts = (edge for part in _CJK.finditer(text, *word.span()) for edge in part.span())
        edges = [word.start(), *parts, word.end()]
        found += [(a, b) for a, b in pairwise(edges) if a < b]
    return found


def _is_expression(line: str) -> bool:
    words = line.split()
    return any(c in line for c in "+=^\\/") and bool(words) and all(map(_is_mathematical, words))


def _is_mathematical(word: str) -> bool:
    if not word.isascii() and _CJK.search(word):
        return False
    word = word.strip(_AROUND)
    if _ABBREVIATED.fullmatch(word):
        return False
    if "\\" in word:
        word = _COMMAND.sub("", word)
    return all(letters.lower() in FUNCTIONS for letters in _LETTERS.findall(word))


def _kept(text: str, run: tuple[int, int]) -> tuple[int, int] | None:
    """The run without punctuation around it; None where it has neither digit nor operator."""
    start, end = run
    arrow = _ARROW.match(text, start, end)
    start = arrow.end() if arrow is not None else start
    while start < end and (text[start] in _BEFORE or text.startswith("| ", start, end)):
        start += 1
    while end > start and (text[end - 1] in _AFTER or text.endswith(" |", start, end)):
        end -= 1
    # a lone letter ("I", "a") or dash before the number belongs to the prose
    while (lead := _LEAD.match(text, start, end)) is not None:
        start = lead.end()
    return (start, end) if _MATHEMATICAL.search(text, start, end) else None
