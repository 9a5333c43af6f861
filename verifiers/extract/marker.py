"""What follows the last phrase that announces an answer: ``final answer is``, ``**Answer:**``, ``####``, ``答案是``.

The phrases of each language are data (``markers.toml``). ``the answer is not 42``, with nothing after it, is no
answer; neither is a marker with nothing behind it. ``if the answer is 42`` and ``the answer is correct`` announce
nothing. In a JSON object it is the value of such a key. After a denial the search goes on in the text that follows it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from itertools import islice

from verifiers.extract.answer import Answer, Denied, NoAnswer
from verifiers.extract.doubt import is_supposed, is_unclaimed
from verifiers.extract.parts import Span, answer_of
from verifiers.extract.phrase import answer_in, sentence
from verifiers.extract.vocabulary import Language, cues
from verifiers.extract.worded import with_words_apart
from verifiers.legible import legible

RULE = "marker"
TAIL = 4_000
"""Characters at the end of a response in which a marker is looked for."""
NEAR = 800
"""Characters at its very end that are looked at first, because most markers stand there."""
MOST = 200
"""Places in it that are looked at, from its end."""

_BEFORE = 60
_HASHES = re.compile(r"^[ \t]{0,3}####(?!#)", re.MULTILINE)
_HASHED_VALUE = re.compile(r"[ \t]*(?!\d{1,2}[.):]\s+[^\W\d])[-+$\\(*]{0,6}[\d.]")
_TITLE = re.compile(r"[ \t]{0,3}(?:#{1,6}[ \t]|[*_]{2,3})[^\n]{0,30}\Z")
_DIVIDER = re.compile(r"[^\n]*\n[ \t]*\|[-:| \t]+(?:\n|\Z)")
_VALUE = re.compile(r"[ \t*_`(\[{+-]{0,9}(?:[\d$\\√π.]|[A-Z](?!\w))")
_WORDS = re.compile(r"[^\W\d_]{3,}(?:[ ,]+[^\W\d_]{2,}){0,8}")
# "answer": "42" in a JSON object, or a flat list or an object of named values there
_TEXT = r'(?:[^"\\\n]|\\.){0,2000}+'
_NAME = r"[^\W\d_]\w{0,19}+"
_NUMBER = r"-?\d[\d.]{0,40}(?:e[-+]?\d{1,4})?"
_ITEM = re.compile(
    rf'(?:"(?P<name>{_NAME})"\s{{0,3}}:\s{{0,3}})?(?:"(?P<said>{_TEXT})"|(?P<number>{_NUMBER}))', re.IGNORECASE
)
_ITEMS = rf'(?:"{_TEXT}"|{_NUMBER})'
_MEMBER = rf'"{_NAME}"\s{{0,3}}:\s{{0,3}}{_ITEMS}'
_KEYED = re.compile(
    rf'(?:answer|result|solution)"\s{{0,3}}:\s{{0,3}}(?:"(?P<said>{_TEXT})"|(?P<number>{_NUMBER})(?=\s{{0,40}}[,}}\]])'
    rf"|\[\s{{0,40}}(?P<listed>{_ITEMS}(?:\s{{0,40}},\s{{0,40}}{_ITEMS}){{0,200}}+)\s{{0,40}}\](?=\s{{0,40}}[,}}])"
    rf"|\{{\s{{0,40}}(?P<named>{_MEMBER}(?:\s{{0,40}},\s{{0,40}}{_MEMBER}){{0,50}}+)\s{{0,40}}\}}(?=\s{{0,40}}[,}}]))",
    re.IGNORECASE,
)
# a text of JSON whose backslashes are escapes; LaTeX that a policy left as it is has others
_ESCAPED = re.compile(r'(?:[^\\]|\\(?:[\\"/]|u[0-9A-Fa-f]{4}|[nt](?![A-Za-z])))*+')
_ENDS = tuple(".!?;。।")
# not the response's own answer, where it announced one before
_GIVEN = re.compile(r"(?<!\w)(?:expected|reference|official|gold(?:en)?|ground[- ]truth|textbook(?:['’]s)?)\s\Z")
_SHORT = re.compile(r"[ \t*_`\"]{0,9}[^\s.]+(?:[ \t][^\s.]+){0,2}[.*_`\"]{0,4}[ \t]*(?:\n|\Z)")

Found = Answer | NoAnswer | Denied | None


@dataclass(frozen=True, slots=True)
class Misnamed(Denied):
    """``A common wrong answer is 13``, ``the expected answer is 13``: what was announced before it stands."""

    start: int

    def leaves(self, text: str, found: Found) -> bool:
        """Whether an earlier announcement is an answer, and another than what is called wrong."""
        called_wrong = text[self.start : self.rest]
        return isinstance(found, Answer) and not re.search(rf"(?<!\w){re.escape(found.text)}(?!\w)", called_wrong)


class Skip(Enum):
    """A place that announces nothing: the one before it is next."""

    SKIP = "skip"


def marker(text: str) -> Found:
    text = with_words_apart(text)
    offset = max(0, len(text) - TAIL)
    tail = text[offset:]
    # of all characters only this one grows when it is lowered, and positions must stay
    lowered = tail.replace("\u0130", "i").lower()
    misnamed: Misnamed | None = None
    for place, language in islice(_places(tail, lowered), MOST):
        if language is None:
            found = _hashed(text, offset + place)
        else:
            found = _announced(text, lowered, offset, place, language)
        if isinstance(found, Misnamed):
            misnamed = misnamed or found
        elif found is not Skip.SKIP:
            return found if misnamed is None or misnamed.leaves(text, found) else misnamed
    return misnamed


def _places(tail: str, lowered: str) -> Iterator[tuple[int, Language | None]]:
    """Where a noun or ``####`` stands, from the end."""
    known = cues(ascii_only=lowered.isascii())
    near = max(0, len(tail) - NEAR)
    # a short text is all near its end
    for begin, end in ((near, len(tail)), (0, near)) if near else ((0, len(tail)),):
        found: list[tuple[int, Language | None]] = []
        for noun, language in known:
            place = lowered.find(noun, begin, end + len(noun) - 1)
            while place >= 0:
                found.append((place, language))
                place = lowered.find(noun, place + len(noun), end + len(noun) - 1)
        if "####" in tail:
            found += [(match.end(), None) for match in _HASHES.finditer(tail) if begin <= match.start() < end]
        yield from sorted(found, key=lambda item: item[0], reverse=True)


def _hashed(text: str, start: int) -> Found | Skip:
    """``#### 42``; a heading of that level announces nothing, unless nothing follows it."""
    if not _HASHED_VALUE.match(text, start):
        said = text[start:].strip()
        if not said:
            return NoAnswer("empty_answer", "nothing follows the final '####'", (start - 4, start))
        if "\n" in said:
            return Skip.SKIP
    return _answer(text, answer_in(text, start), start, "####", None)


def _announced(text: str, lowered: str, offset: int, place: int, language: Language) -> Found | Skip:
    keyed = _KEYED.match(text, offset + place) if '"' in text else None
    if keyed is not None:
        return _keyed(keyed)
    found = language.announcement.match(lowered, place)
    before = lowered[max(0, place - _BEFORE) : place]
    if found is None or not (language.unspaced or _word_starts(before)):
        return Skip.SKIP
    weak = not found[0].startswith(language.nouns)
    if weak and found[0].count("$") % 2:  # the mark is a formula's: the solutions of $x^2 = 4$
        return Skip.SKIP
    if language.hypothesis.search(before) or _is_title(found, before, weak) is False:
        return Skip.SKIP
    start = found.end()
    if found["denied"] and (neither := _neither(lowered, start)) is not None:
        return Answer(text[offset + neither[0] : offset + neither[1]], RULE, (offset + neither[0], offset + neither[1]))
    if language.misnomer.search(before) and not found["denied"]:
        denied = _denied(text, lowered, offset, start, language)
        return Misnamed(denied.rest, offset + place) if isinstance(denied, Denied) else denied
    if _GIVEN.search(before):
        return Misnamed(offset + place, offset + place)
    if found["denied"] or language.doubt.search(before):
        return _denied(text, lowered, offset, start, language)
    if language.verdict.match(lowered, start) or (weak and not _says_value(text, offset + start, found["mark"])):
        return Skip.SKIP
    lead = language.lead.match(lowered, start)
    start = lead.end() if lead else start
    end = None
    if found["mark"] == "|":
        if "|" not in before.rsplit("\n", 1)[-1] or _DIVIDER.match(lowered, start):
            return Skip.SKIP
        bar = lowered.find("|", start)
        end = offset + bar if bar >= 0 else None
    spans = answer_in(text, offset + start, end)
    if spans and _is_negated(lowered, spans[0][0] - offset, spans[-1][1] - offset, language):
        return _denied(text, lowered, offset, spans[-1][1] - offset, language)
    if spans and is_supposed(text, spans[0][0], spans[-1][1]):
        return Skip.SKIP
    if spans and is_unclaimed(text, spans[0][0], spans[-1][1]):
        return _denied(text, lowered, offset, spans[-1][1] - offset, language)
    return _answer(text, spans, offset + start, found[0], language)


def _keyed(found: re.Match[str]) -> Found | Skip:
    """What a text, a number, a flat list or an object of named values says; several are one answer in parts."""
    if found["named"] is not None:
        return _named(found)
    if found["listed"] is None:
        value = "said" if found["said"] is not None else "number"
        said = _unescaped(found[value])
        return Answer(said, RULE, found.span(value)) if said else Skip.SKIP
    parts = tuple(_unescaped(each["number"] or each["said"]).strip() for each in _ITEM.finditer(found["listed"]))
    span = found.string.rindex("[", 0, found.start("listed")), found.string.index("]", found.end("listed")) + 1
    if not all(parts):
        return Skip.SKIP
    return Answer(", ".join(parts), RULE, span, parts if len(set(parts)) > 1 else ())


def _named(found: re.Match[str]) -> Found | Skip:
    """``{"x": 1, "y": 2}`` is what two boxes say, each behind its name."""
    members = list(_ITEM.finditer(found["named"]))
    names = tuple(each["name"] for each in members)
    parts = tuple(_unescaped(each["number"] or each["said"]).strip() for each in members)
    span = found.string.rindex("{", 0, found.start("named")), found.string.index("}", found.end("named")) + 1
    if not all(parts) or len(set(names)) < len(names):
        return Skip.SKIP
    if len(parts) == 1:
        return Answer(f"{names[0]} = {parts[0]}", RULE, span)
    return Answer(", ".join(parts), RULE, span, parts, names)


def _unescaped(said: str) -> str:
    r"""What a text of JSON says: ``\\frac`` is ``\frac``."""
    if "\\" not in said or not _ESCAPED.fullmatch(said):
        return said
    return legible(json.loads(f'"{said}"', strict=False))


def _word_starts(before: str) -> bool:
    return not before or not (before[-1].isalnum())


def _is_title(found: re.Match[str], before: str, weak: bool) -> bool | None:
    """Whether a noun that a line ends with is a heading's last word; None where the line goes on."""
    if found["line"] is None:
        return None
    return not weak and _TITLE.fullmatch(before.rsplit("\n", 1)[-1]) is not None


def _says_value(text: str, start: int, mark: str | None) -> bool:
    return _VALUE.match(text, start) is not None or (mark == ":" and _SHORT.match(text, start) is not None)


def _is_negated(lowered: str, start: int, end: int, language: Language) -> bool:
    if not language.negated:
        return False
    cut = sentence(lowered, end, len(lowered))[1] if lowered[end : end + 1] != "\n" else end
    return language.denied_after.search(lowered, start, max(cut, end)) is not None


def _neither(lowered: str, start: int) -> tuple[int, int] | None:
    """``neither`` as what the answer is, alone or of words (``neither even nor odd``); of values it denies them."""
    begin = start - len("neither")
    if lowered[begin:start] != "neither":
        return None
    end = sentence(lowered, start, len(lowered))[1] if lowered[start : start + 1] not in ".!\n" else start
    rest = lowered[start:end].strip(" *_")
    if rest and (not _WORDS.fullmatch(rest) or lowered[end:].strip(" .*_\n")):
        return None
    return begin, end


def _denied(text: str, lowered: str, offset: int, start: int, language: Language) -> Found:
    """What the answer is instead, where the sentence says it; else the search goes on after the sentence."""
    cut = sentence(lowered, start, len(lowered))[1]
    contrast = language.contrast.search(lowered, start, cut)
    if contrast is not None:
        return _answer(text, answer_in(text, offset + contrast.end()), offset + start, contrast[0], language)
    return Denied(offset + cut + (lowered[cut : cut + 1] in _ENDS))


def _answer(text: str, spans: list[Span], start: int, said: str, language: Language | None) -> Found:
    if not spans:
        return NoAnswer("empty_answer", f"nothing follows the final {said.strip()[:60]!r}", (start, start))
    if len(spans) > 1:
        return answer_of(text, RULE, spans, candidates=tuple(text[slice(*span)].strip() for span in spans))
    [(begin, end)] = spans
    for tail in language.tails if language else ():
        if text.endswith(tail, begin, end) and end - len(tail) > begin:
            end -= len(tail)
            break
    return Answer(text[begin:end], RULE, (begin, end))
