"""``detectable_format:*``: lists, highlights, sections, titles, JSON, one of three answers."""

from __future__ import annotations

import json
import re
from typing import ClassVar, Never

from verifiers.instructions.constraint import Constraint, Count, Finding, Passage, Phrase, compare_count

_BULLET = re.compile(r"^[^\S\n]*+[*+-][^\S\n]++\S", re.MULTILINE)
_RULER = re.compile(r"^[^\S\n]*+([*-])(?:[^\S\n]*+\1){2,}+[^\S\n]*+$", re.MULTILINE)
_HIGHLIGHT = re.compile(r"(\*{1,3})(?=[^\s*])[^*\n]++(?<=\S)\1")
_FENCE = re.compile(r"\A```[^\S\n]*(?:json|JSON|Json)?(?=[\s{\[])(?P<inside>.*)```\Z", re.DOTALL)
_CHANGED = re.compile(r"\*[^*\n]++\*")
_ANSWERS = ("My answer is yes.", "My answer is no.", "My answer is maybe.")


class NumberBulletLists(Constraint):
    """Exactly so many bullet points in Markdown: ``*``, ``-`` or ``+``, a blank, and the point."""

    id: ClassVar[str] = "detectable_format:number_bullet_lists"
    num_bullets: Count

    def check(self, text: str) -> Finding:
        found = len(_BULLET.findall(_RULER.sub("", text)))
        return compare_count(found, "exactly", self.num_bullets, "bullet points")


class NumberHighlightedSections(Constraint):
    """At least so many stretches set off as ``*so*``, ``**so**`` or ``***so***`` within a line."""

    id: ClassVar[str] = "detectable_format:number_highlighted_sections"
    num_highlights: Count

    def check(self, text: str) -> Finding:
        return compare_count(len(_HIGHLIGHT.findall(text)), "at least", self.num_highlights, "highlights")


class MultipleSections(Constraint):
    """At least so many lines that begin a section, such as ``Section 1`` or ``## Section 1: Why``."""

    id: ClassVar[str] = "detectable_format:multiple_sections"
    section_spliter: Phrase
    num_sections: Count

    def check(self, text: str) -> Finding:
        head = re.compile(rf"^[^\S\n]*+[#*_>]*+[^\S\n]*+{re.escape(self.section_spliter)}[^\S\n]?\d", re.MULTILINE)
        return compare_count(len(head.findall(text)), "at least", self.num_sections, "sections")


class JsonFormat(Constraint):
    """All of the response is one JSON object or array, bare or in a fenced block."""

    id: ClassVar[str] = "detectable_format:json_format"

    def check(self, text: str) -> Finding:
        text = text.strip()
        fenced = _FENCE.match(text)
        try:
            # numbers are only read, never converted: their size costs nothing
            value = json.loads(
                fenced["inside"] if fenced else text, parse_int=len, parse_float=len, parse_constant=_refuse
            )
        except ValueError as failure:
            return Finding(False, f"not JSON: {str(failure)[:100]}")
        except RecursionError:
            return Finding(False, "JSON nested too deeply")
        if not isinstance(value, (dict, list)):
            return Finding(False, "JSON, but neither an object nor an array")
        return Finding(True, "JSON")


class Title(Constraint):
    """A title in double angular brackets, such as ``<<poem of joy>>``, within a line."""

    id: ClassVar[str] = "detectable_format:title"

    def check(self, text: str) -> Finding:
        titled = any(_title(line) for line in text.split("\n"))
        return Finding(titled, "a title" if titled else "no title")


class ConstrainedResponse(Constraint):
    """One of "My answer is yes.", "My answer is no." and "My answer is maybe." occurs, and only one."""

    id: ClassVar[str] = "detectable_format:constrained_response"

    def check(self, text: str) -> Finding:
        found = [answer for answer in _ANSWERS if answer in text]
        return Finding(len(found) == 1, " and ".join(found) or "none of the options")


class Rephrase(Constraint):
    """Nothing differs from a message but what stands between asterisks, such as ``*change me*``."""

    id: ClassVar[str] = "detectable_format:rephrase"
    original_message: Passage

    def check(self, text: str) -> Finding:
        if not _CHANGED.search(text):
            return Finding(False, "nothing stands between asterisks")
        same = _CHANGED.sub("*", text).strip() == _CHANGED.sub("*", self.original_message).strip()
        return Finding(same, f"the rest is {'the same' if same else 'changed'}")


def _title(line: str) -> str:
    start = line.find("<<")
    end = line.rfind(">>")
    return line[start + 2 : end].strip("<> \t\r") if 0 <= start < end else ""


def _refuse(constant: str) -> Never:
    raise ValueError(f"{constant} is not JSON")
