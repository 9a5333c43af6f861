"""The reference in the place of the answer, after reasoning that was sampled: the rows of VeriFree.

The reasoning is cut where the answer begins: behind the last ``marker`` of the text, and white space after it. The last
token before the cut is made anew together with the reference, because the two may merge; whatever comes out must say
exactly the text that was meant. Those of its tokens that are the sampled ones stay reasoning; one that begins before
the reference and ends in it is the reference's; what else stands before the reference is context alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from transformers import PreTrainedTokenizerBase

from trueward_trainer.offsets import offsets_of


class Spliced(NamedTuple):
    """``reasoning`` and ``answer`` have 1 on their tokens; ``tokens`` begins with those that were sampled."""

    tokens: list[int]
    reasoning: list[float]
    answer: list[float]


def answer_place(text: str, marker: str) -> int | None:
    """Where the answer begins; None without a marker."""
    found = text.rfind(marker)
    if found < 0:
        return None
    rest = text[found + len(marker) :]
    return len(text) - len(rest.lstrip())


def splice_reference(
    tokens: Sequence[int], text: str, place: int, reference: str, tokenizer: PreTrainedTokenizerBase
) -> Spliced | None:
    """The row of this response; None where no tokens say its reasoning and the reference after it."""
    sampled = offsets_of(tokens, text, tokenizer)
    if sampled is None:
        return None
    wanted = text[:place] + reference
    kept = sum(end < place for _, end in sampled)
    stands = sampled[kept - 1][1] if kept else 0
    for made in ([*tokens[:kept], *_ids(tokenizer, wanted[stands:])], _ids(tokenizer, wanted)):
        spans = offsets_of(made, wanted, tokenizer)
        if spans is None or made[:kept] != list(tokens[:kept]):
            continue
        answer = [float(end > place) for _, end in spans]
        alike = next((at for at, pair in enumerate(zip(made, tokens, strict=False)) if pair[0] != pair[1]), len(made))
        reasoning = [float(at < alike and not own) for at, own in enumerate(answer)]
        return Spliced(made, reasoning, answer)
    return None


def _ids(tokenizer: PreTrainedTokenizerBase, text: str) -> list[int]:
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])
