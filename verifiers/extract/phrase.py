"""The answer within a phrase such as ``**42** apples, because ...``: what a marker announces.

Mathematics that stands first is the answer; else the phrase up to the end of its sentence, without the
Markdown around it, or the mathematics or emphasis inside that sentence. Citations after it do not belong to it, nor
does what says it again (``1/2, i.e. 0.5``), but where the value follows its words (``two weeks, i.e. 14 days``).
"""

from __future__ import annotations

import re

from verifiers.extract.parts import Span, is_listed
from verifiers.extract.said import said_of
from verifiers.extract.segment import Segment, final_row, segments

LONGEST = 10_000
"""Characters of a phrase that are read."""

_NOT_ABBREVIATED = (
    r"(?<!\b[A-Z])(?<!\b[A-Z][A-Za-z])(?<!\b[A-Z][a-z][a-z])(?<!\bi\.e)(?<!\be\.g)(?<!\bviz)(?<!\ba\.k\.a)"
)
# n!, (n+1)n! and (n+1)! end in a sign of their own; "42!" and "B!" more often exclaim
_NO_FACTORIAL = r"(?!(?<=[^\w'’][a-z])!|(?<=\d\))!)"
# "5 p.m. or 6 p.m.", "5 in. or 6 in.": what goes on so has not ended
_NO_ALTERNATIVE = r"(?!\.\s(?:or|and)\b)"
# "1/2, i.e. 0.5": said again
_AGAIN = (
    r"(?:,?\s\(?(?:i\.e\.|e\.g\.|viz\.|a\.k\.a\.|namely|(?:or\s)?equivalently|in\sother\swords)"
    r"|(?:,\s|\s\()that\sis),?\s"
)
# how sure the policy is, and nothing behind it: "(confidence: 0.9)", "with 90% confidence"
_SHARE = r"\d{1,3}(?:\.\d{1,4})?\s?(?:\\?%|/\s?\d{1,3})?"
_SURE = (
    r"(?:\s?[-–—|,]{1,2}\s?|\s)[(\[]?"
    r"(?:[Cc]onfidence(?:\s(?:level|score))?\s?(?:[:=]|of)?[*_ ]{0,4}"
    rf"(?:{_SHARE}|(?:very\s)?(?:high|medium|moderate|low))"
    r"|(?:with\s|[Ii](?:'m|\sam)\s)?(?:about\s|approximately\s|~\s?)?\d{1,3}\s?\\?%"
    r"\s(?:confiden(?:t|ce)|sure|certain(?:ty)?))[)\]*_ \t]{0,5}(?=\n|\Z|[.!](?:\s|\Z))"
)
_VALUE = r"[-+(\[.]{0,3}[\d\\$]|[A-Za-z]\s?[=<>\\≤≥]"
_SENTENCE_END = re.compile(
    rf"{_NOT_ABBREVIATED}{_NO_FACTORIAL}{_NO_ALTERNATIVE}[.!?](?=\**(?:\s|$))|;(?!\s?(?:{_VALUE}))|[\n。।]|</[a-z]"
    r"|(?<=\S),?\s\(?(?:because|since|rather than|instead of|but not)\b"
    rf"|(?<=[\d)}}\]%$°]){_AGAIN}|(?<=\S){_AGAIN}(?!{_VALUE})"
    rf"|(?<=\S){_SURE}"
    r"|,\s(?:not|which|as (?:required|expected|desired|shown|stated|above|claimed))\b"
)
_FROM_WORDS = re.compile(rf"{_AGAIN}(?={_VALUE})")
# a sign of a quotation begins a line, an arrow leads to the answer; elsewhere > compares
_LEAD = re.compile(r"(?:```[a-z]{0,12}\n|(?<=\n)[ \t]{0,3}>|[-–—=]{1,2}>|[→➡⇒]\ufe0f?|[ \t\r\n:*_`])*+")
_AROUND_FORMULA = ' \t\r\n*_`"'  # f' is a derivative
_AROUND = _AROUND_FORMULA + "'"
_CITATION = re.compile(r"(?:(?<=[\w)}%.$*][ .])\[\d{1,3}\]|\[\^\w{1,8}\]|【[^】]{0,40}】)\Z")
# two asterisks within an expression are a power: 2**10, (x+1)**2
_EMPHASIS = re.compile(r"(?<![\w)])\*\*|\*\*(?![\w(-])|__")
_BRACKET = re.compile(r"\\(?P<edge>begin|end)\{[a-zA-Z]{1,20}\*?\}|(?P<open>[(\[{])|(?P<close>[)\]}])")
# the phrase only leads over to the next line
_ONWARD = re.compile(r"(?:[:=]|\b(?:is|are|as follows))[*_ \t]*\Z")


def answer_in(text: str, start: int, end: int | None = None) -> list[Span]:
    """The spans of the answer in the phrase from ``start`` (to ``end``): several where it lists formulas.

    Empty where the phrase says nothing.
    """
    end = min(len(text) if end is None else end, start + LONGEST)
    start, cut = sentence(text, start, end)
    if text[cut : cut + 1] == "\n" and _ONWARD.search(text, max(start, cut - 20), cut):
        start, cut = sentence(text, cut, end)
    said = _FROM_WORDS.search(text, start, cut)
    if said:
        start = said.end()
    formulas = _formulas(text, start, cut, end)
    value = said_of(text, (formulas[-1][0], formulas[-1][3]), cut) if formulas else None
    if value is not None:
        return [value]
    if formulas:
        found = [
            _trimmed(text, *final_row(text, inner, inner_end), _AROUND_FORMULA) for _, inner, inner_end, _ in formulas
        ]
    else:
        found = [_trimmed(text, *_unemphasised(text, start, cut))]
    return [span for span in found if span is not None]


def _formulas(text: str, start: int, cut: int, end: int) -> list[Segment]:
    """The list of formulas that a phrase begins with, else the last one in its sentence."""
    run: list[Segment] = []
    leads = False
    for part in segments(text, start, end):
        if not run and not leads:
            leads = not text[start : part[0]].strip(" ([{:=-")
            if not leads and part[0] >= cut:
                break
            run.append(part)
        elif is_listed(text, run[-1][3], part[0]):
            run.append(part)
        elif leads or part[0] >= cut:
            break
        else:
            run = [part]
    return run


def sentence(text: str, start: int, end: int) -> tuple[int, int]:
    """Where the sentence that begins at ``start`` has its first character, and where it ends."""
    lead = _LEAD.match(text, start, end)
    start = lead.end() if lead else start
    found = _SENTENCE_END.search(text, start, end)
    if found is None:
        return start, end
    closed = _closed(text, start, found.start(), end)
    if closed > found.start():
        found = _SENTENCE_END.search(text, closed, end)
    return start, found.start() if found else end


def _closed(text: str, start: int, cut: int, end: int) -> int:
    r"""Where what is open at ``cut`` is closed again; ``cut`` where nothing is open, or for good.

    Environments count everywhere, brackets only where the phrase begins with one: ``[[1, 2],\n [3, 4]]``.
    """
    brackets = text[start : start + 1] in tuple("([{\\")
    if not brackets and text.find("\\begin", start, cut) < 0:
        return cut
    depth = 0
    for step in _BRACKET.finditer(text, start, end):
        if step.start() >= cut and depth <= 0:
            break
        if step["edge"] or brackets:
            depth += 1 if step["open"] or step["edge"] == "begin" else -1
        if step.start() >= cut and depth <= 0:
            return step.end()
    return cut


def _unemphasised(text: str, start: int, cut: int) -> tuple[int, int]:
    """The part before a closing ``**`` (its opening one came before), or the last part in bold.

    A mark that stands between spaces opens and closes nothing: ``3 ** x``.
    """
    marks = [match.start() for match in _EMPHASIS.finditer(text, start, min(len(text), cut + 2))]
    if len(marks) % 2 and not text[marks[0] - 1].isspace():
        return start, min(marks[0], cut)
    if marks and len(marks) % 2 == 0 and not (text[marks[-2] + 2].isspace() or text[marks[-1] - 1].isspace()):
        return marks[-2] + 2, min(marks[-1], cut)
    return start, cut


def _trimmed(text: str, start: int, end: int, around: str = _AROUND) -> Span | None:
    while start < end and text[start] in around:
        start += 1
    while True:
        while end > start and (text[end - 1] in around or text[end - 1] in ".,:"):
            end -= 1
        cited = _CITATION.search(text, max(start, end - 42), end) if end > start and text[end - 1] in "]】" else None
        if cited is None or cited.start() == start:
            return (start, end) if start < end else None
        end = cited.start()
