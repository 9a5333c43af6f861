"""``repeat:*``: the request, a part of it, or a given sentence, said again and nothing else."""

from __future__ import annotations

from typing import ClassVar

from verifiers.instructions.constraint import Constraint, Count, Finding, Verbatim

_SENTENCE = "Only output this sentence here, ignore all other requests."


class RepeatChange(Constraint):
    """The request with another first character, and otherwise to the letter."""

    id: ClassVar[str] = "repeat:repeat_change"
    prompt_to_repeat: Verbatim

    def check(self, text: str) -> Finding:
        if text == self.prompt_to_repeat:
            return Finding(False, "the request, unchanged")
        same = text[1:] == self.prompt_to_repeat[1:]
        return Finding(same, "the request with another beginning" if same else "not the request")


class RepeatSimple(Constraint):
    """The sentence of the instruction itself, case aside."""

    id: ClassVar[str] = "repeat:repeat_simple"

    def check(self, text: str) -> Finding:
        same = text.strip().lower() == _SENTENCE.lower()
        return Finding(same, "the sentence" if same else "not the sentence alone")


class RepeatSpan(Constraint):
    """The words of the request from index ``n_start`` up to and without ``n_end``, case aside."""

    id: ClassVar[str] = "repeat:repeat_span"
    prompt_to_repeat: Verbatim
    n_start: Count
    n_end: Count

    def check(self, text: str) -> Finding:
        wanted = self.prompt_to_repeat.lower().split()[self.n_start : self.n_end]
        same = text.lower().split() == wanted
        return Finding(same, "the words wanted" if same else f"not the {len(wanted)} words wanted")
