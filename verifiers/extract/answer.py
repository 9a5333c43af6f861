"""What an extraction gives: the answer, or why there is none."""

from __future__ import annotations

from dataclasses import dataclass

from trueward.wire.verdict import Verdict
from verifiers.legible import shorten

DENIED = "the response says only what the answer is not, or might be"


@dataclass(frozen=True, slots=True)
class Answer:
    r"""The final answer of a response: its text, the rule that found it, where (characters, or None).

    Boxes or formulas side by side are one answer in ``parts``: then ``text`` joins them by a comma, ``span`` reaches
    from the first to the last, and ``labels`` are the names before boxes (``x`` of ``x = \boxed{1}``, empty where a
    part has none; no labels at all where no part has one). ``candidates`` are the parts, or all boxes of the final
    sentence or line, where they are not all the same text. An answer without company has none of the three. Parts
    and candidates are spelled as the rules read them: full width folded, invisible characters left out.
    """

    text: str
    rule: str
    span: tuple[int, int] | None = None
    parts: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    candidates: tuple[str, ...] = ()

    def invalid(self, code: str, reason: str) -> Verdict:
        """The verdict on an answer that cannot be judged."""
        return Verdict.invalid(code, reason, evidence={"extracted": shorten(self.text), "rule": self.rule})


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """Why there is no answer to judge: always the policy's own doing, so the verdict is ``invalid``.

    ``span`` is where the defect stands (characters), where it stands somewhere.
    """

    reason_code: str
    reason: str
    span: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Denied:
    """The response says what the answer is not; the search goes on in what follows ``rest`` (a position)."""

    rest: int
