"""``format:*``: brackets, quotation marks, lists, lines, emoji, templates, white space."""

from __future__ import annotations

import re
from collections import defaultdict, deque
from functools import cached_property
from itertools import pairwise
from string import digits, punctuation
from typing import ClassVar

import regex

from verifiers.instructions.constraint import Constraint, Finding, Verbatim, compare_count
from verifiers.instructions.english.plain import bare, trim
from verifiers.instructions.english.words import words
from verifiers.instructions.sets.ifbench.sentenced import Sentenced
from verifiers.legible import shorten

_PAIRS = {")": "(", "]": "[", "}": "{"}
_DEEP = 5
_QUOTED = 3
# one code point that is an emoji by itself: no digit, and no half of a flag
_EMOJI = regex.compile(r"(?V1)[\p{Emoji}--[#*0-9\U0001F1E6-\U0001F1FF]]")
_LETTERS = re.compile(r"\W*[aA]\W*[bB]\W*[cC]\W*")
_STRAIGHT = str.maketrans("“”", '""')
_AROUND_QUOTES = digits + punctuation.replace('"', "")


class Parentheses(Constraint):
    """Brackets nested five deep, the innermost closed; a bracket that closes no open one begins anew."""

    id: ClassVar[str] = "format:parentheses"

    def check(self, text: str) -> Finding:
        open_: list[str] = []
        deepest = 0
        for mark in text:
            if mark in "([{":
                open_.append(mark)
                deepest = max(deepest, len(open_))
            elif mark in ")]}":
                if not open_ or open_.pop() != _PAIRS[mark]:
                    open_, deepest = [], 0
                elif deepest >= _DEEP:
                    return Finding(True, f"brackets nested {deepest} deep")
        return Finding(False, f"no brackets nested {_DEEP} deep")


class Quotes(Constraint):
    """Three levels of quotation, ``"`` and ``'`` by turns, opened and closed; an apostrophe opens one too."""

    id: ClassVar[str] = "format:quotes"

    def check(self, text: str) -> Finding:
        open_: list[str] = []
        deepest = 0
        for mark in text:
            if mark not in "\"'":
                continue
            if open_ and open_[-1] == mark:
                open_.pop()
                if deepest - len(open_) >= _QUOTED:
                    return Finding(True, f"quotations nested {deepest} deep")
            else:
                open_.append(mark)
                deepest = max(deepest, len(open_))
        return Finding(False, f"no quotations nested {_QUOTED} deep and closed")


class Options(Constraint):
    """One of the options and nothing else: as it stands where they are a), b), c), otherwise without outer marks."""

    id: ClassVar[str] = "format:options"
    options: Verbatim

    def check(self, text: str) -> Finding:
        if _LETTERS.match(self.options):
            found = text in self._choices
        else:
            found = trim(text).lower() in {trim(choice).lower() for choice in self._choices}
        return Finding(found, "one of the options" if found else f"{shorten(text[:60])!r} is not one of the options")

    @cached_property
    def _choices(self) -> list[str]:
        separator = next((mark for mark in ("/", "or") if mark in self.options), ",")
        return [choice.strip() for choice in self.options.split(separator)]


class Newline(Constraint):
    """As many lines as words, punctuation and empty lines aside."""

    id: ClassVar[str] = "format:newline"

    def check(self, text: str) -> Finding:
        text = bare(text).strip()
        lines, found = sum(map(bool, text.split("\n"))), len(text.split())
        return Finding(lines == found, f"{found} words on {lines} lines")


class Emoji(Sentenced):
    """Each sentence ends with an emoji, or the next begins with one, punctuation aside."""

    id: ClassVar[str] = "format:emoji"

    def check(self, text: str) -> Finding:
        sentences = [bare(sentence).strip() for sentence in self.sentences(text)]
        for sentence, following in pairwise([*sentences, ""]):
            # the last character may be a mark that belongs to the emoji before it
            if not sentence or not any(map(_EMOJI.match, (sentence[-1], sentence[-2:-1], following[:1]))):
                return Finding(False, f"no emoji after {shorten(sentence[-60:])!r}")
        return Finding(True, "an emoji after each sentence")


class LineIndent(Constraint):
    """Each line begins with more blanks than the one before. Of blank lines in a row, every other one counts."""

    id: ClassVar[str] = "format:line_indent"

    def check(self, text: str) -> Finding:
        indents = [len(line) - len(line.lstrip(" ")) for line in _kept(text.split("\n"))]
        stairs = all(after > before for before, after in pairwise(indents))
        more = ", ..." if len(indents) > 20 else ""
        return Finding(stairs, f"indented by {', '.join(map(str, indents[:20]))}{more}")


class QuoteUnquote(Constraint):
    """No two double quotation marks meet, white space aside, and none is the last but for digits and marks."""

    id: ClassVar[str] = "format:quote_unquote"

    def check(self, text: str) -> Finding:
        text = text.translate(_STRAIGHT).replace("'\"'", "")
        text = "".join(text.split())
        if '""' in text:
            return Finding(False, "two quotation marks with nothing between them")
        ended = text.strip(_AROUND_QUOTES).endswith('"')
        return Finding(not ended, "it ends with a quotation" if ended else "something follows each quotation")


class List(Constraint):
    """The separator occurs at least twice, wherever."""

    id: ClassVar[str] = "format:list"
    sep: Verbatim

    def check(self, text: str) -> Finding:
        return compare_count(text.count(self.sep), "at least", 2, "separators")


class Thesis(Constraint):
    """Something in HTML italics, and something after it."""

    id: ClassVar[str] = "format:thesis"

    def check(self, text: str) -> Finding:
        start = _first(text, "<i>", "<em>")
        if start < 0:
            return Finding(False, "no italics")
        text = text[start:]
        end = _first(text, "</i>", "</em>")
        followed = end >= 0 and bool(text[3:end].strip()) and bool(text[end + 4 :].strip())
        return Finding(followed, "a thesis and text after it" if followed else "no italics with text after them")


class SubBullets(Constraint):
    """A ``-`` occurs between each ``*`` and the next. A text without ``*`` follows it."""

    id: ClassVar[str] = "format:sub-bullets"

    def check(self, text: str) -> Finding:
        bullets = text.split("*")[1:]
        lacking = sum("-" not in bullet for bullet in bullets)
        return Finding(not lacking, f"{lacking} of {len(bullets)} bullet points without a sub-point")


class NoBulletsBullets(Sentenced):
    """At least two sentences, then at least two lines that begin with ``*``, and nothing after them.

    An empty line ends the sentences.
    """

    id: ClassVar[str] = "format:no_bullets_bullets"

    def check(self, text: str) -> Finding:
        sentences = bullets = 0
        writing = True
        for line in map(str.strip, text.split("\n")):
            if line.startswith("*"):
                writing = False
                bullets += 1
                if sentences < 2:
                    return Finding(False, f"{sentences} sentences before the first bullet point, wanted at least 2")
            elif not writing:
                return Finding(False, "a line that is no bullet point after an empty line or a bullet point")
            else:
                found = len(self.sentences(line))
                writing = found > 0
                sentences += found
        return compare_count(bullets, "at least", 2, "bullet points")


class TitleCase(Constraint):
    """No word of two letters or more is in small letters, or in capitals but for its first; mixed case is let pass."""

    id: ClassVar[str] = "format:title_case"

    def check(self, text: str) -> Finding:
        small = next((word for word in words(text) if self.small(word)), None)
        return Finding(small is None, "title case" if small is None else f"not in title case: {shorten(small[:60])!r}")

    def small(self, word: str) -> bool:
        """Whether a word should have begun with a capital."""
        return word[0].islower() and (word[1:].islower() or word[1:].isupper())


class OutputTemplate(Constraint):
    """``My Answer:``, ``My Conclusion:`` and ``Future Outlook:`` occur."""

    id: ClassVar[str] = "format:output_template"

    def check(self, text: str) -> Finding:
        missing = [part for part in ("My Answer:", "My Conclusion:", "Future Outlook:") if part not in text]
        return Finding(not missing, f"missing: {', '.join(missing)}" if missing else "every part")


class NoWhitespace(Constraint):
    """No white space at all, at the ends neither."""

    id: ClassVar[str] = "format:no_whitespace"

    def check(self, text: str) -> Finding:
        found = any(map(str.isspace, text))
        return Finding(not found, "white space" if found else "no white space")


def _first(text: str, *tags: str) -> int:
    """Where the first of the tags that occurs at all does so; -1 where none does."""
    return next((at for at in map(text.find, tags) if at >= 0), -1)


def _kept(lines: list[str]) -> list[str]:
    """The lines that the official checker compares.

    It removes blank lines from the list that it is walking through, so that it never looks at the line after a
    removed one, and where blank lines are equal it removes the first that is left.
    """
    removed: set[int] = set()
    left: defaultdict[str, deque[int]] = defaultdict(deque)
    skip = False
    for at, line in enumerate(lines):
        if line.strip():
            skip = False
            continue
        left[line].append(at)
        if skip:
            skip = False
        else:
            removed.add(left[line].popleft())
            skip = True
    return [line for at, line in enumerate(lines) if at not in removed]
