"""``copy:*``, ``new:*``: the request, a part of it or a phrase, said again."""

from __future__ import annotations

from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Count, Finding, Ordinal, Phrase, Verbatim


class Copy(Constraint):
    """The request and nothing else, case and outer white space aside."""

    id: ClassVar[str] = "copy:copy"
    prompt_to_repeat: Verbatim

    def check(self, text: str) -> Finding:
        return _same(text, self.prompt_to_repeat)


class CopyingSimple(Copy):
    """The request and nothing else, case and outer white space aside."""

    id: ClassVar[str] = "copy:copying_simple"


class CopyingMultiple(Constraint):
    """The request so many times, with ``******`` between, case and outer white space aside."""

    id: ClassVar[str] = "copy:copying_multiple"
    prompt_to_repeat: Verbatim
    N: Ordinal

    def check(self, text: str) -> Finding:
        parts = text.split("******")
        same = sum(_same(part, self.prompt_to_repeat).followed for part in parts)
        return Finding(same == len(parts) == self.N, f"{same} of {len(parts)} parts are it, wanted {self.N}")


class CopySpan(Constraint):
    """The request from character ``n_start`` up to and without ``n_end``, case and outer white space aside."""

    id: ClassVar[str] = "new:copy_span_idx"
    prompt_to_repeat: Verbatim
    n_start: Count
    n_end: Count

    def check(self, text: str) -> Finding:
        return _same(text, self.prompt_to_repeat[self.n_start : self.n_end])


class RepeatPhrase(Constraint):
    """The phrase so many times, at most one of its inner words changed each time, and one the last time."""

    id: ClassVar[str] = "copy:repeat_phrase"
    phrase: Phrase
    small_n: Ordinal

    def check(self, text: str) -> Finding:
        wanted = self.phrase.split()
        found = [part.split() for line in text.split("\n") for part in _between(line, wanted[0], wanted[-1])]
        if len(found) != self.small_n:
            return Finding(False, f"{len(found)} phrases with its first and last word, wanted {self.small_n}")
        changed = [_changed(part, wanted) for part in found]
        return Finding(max(changed) <= 1 == changed[-1], f"words changed: {', '.join(map(str, changed[:20]))}")


def _changed(words: list[str], wanted: list[str]) -> int:
    if len(words) != len(wanted):
        return len(wanted) + 1
    return sum(word != other for word, other in zip(words, wanted, strict=True))


def _between(line: str, first: str, last: str) -> list[str]:
    """What begins with one word and ends with the next occurrence of another, from left to right."""
    found: list[str] = []
    start = line.find(f"{first} ")
    while start >= 0:
        end = line.find(f" {last}", start + len(first) + 1)
        if end < 0:
            break
        end += len(last) + 1
        found.append(line[start:end])
        start = line.find(f"{first} ", end)
    return found


def _same(text: str, wanted: str) -> Finding:
    same = text.strip().lower() == wanted.strip().lower()
    return Finding(same, "the text wanted" if same else "not the text wanted")
