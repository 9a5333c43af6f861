r"""math-verify as a careful trainer's reward function calls it: strip the thinking, parse, verify.

The set-up is the best of those tried on the open pairs: the reference between dollars (bare, the parser finds no LaTeX
in it), LaTeX and plain expressions on both sides, the last box first, sets and inequalities comparable. Without
stripping the thinking its boxes would count as answers. Timeouts stay as they are by default (signals, so the caller
must be the main thread of its process).
"""

from __future__ import annotations

from collections.abc import Sequence

from math_verify import ExprExtractionConfig, LatexExtractionConfig, parse, verify

_EXTRACTION = [LatexExtractionConfig(boxed_match_priority=0), ExprExtractionConfig()]


def judge(response: str, references: Sequence[str]) -> bool | None:
    """Accepted or not; None where a reference cannot be read and no other fits."""
    golds = [parse(f"${reference}$") for reference in references]
    answer = parse(response.rpartition("</think>")[2], extraction_config=_EXTRACTION)
    if any(gold and verify(gold, answer, allow_set_relation_comp=True) for gold in golds):
        return True
    return False if all(golds) else None
