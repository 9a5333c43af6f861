"""How far the annotators of a draw agree: Cohen's kappa for each two, Krippendorff's alpha over all.

"Cannot tell" is a missing rating.
"""

from __future__ import annotations

from collections.abc import Sequence

from trueward.wire.draw import LabelAgreement, PairAgreement
from trueward.wire.label import Label


def label_agreement(draw: str, labels: Sequence[Label]) -> LabelAgreement:
    """From labels that were given before any verdict was seen, oldest first; of an annotator's several the first."""
    from audits.statistics.agreement import krippendorff_alpha, pairwise

    decided: dict[int | None, dict[str, bool | None]] = {}
    for label in labels:
        decided.setdefault(label.position, {}).setdefault(label.annotator, label.right)
    annotators = sorted({label.annotator for label in labels})
    ratings = {name: [_rating(item.get(name)) for item in decided.values()] for name in annotators}
    pairs = [
        PairAgreement(first=first, second=second, items=found.items, share=found.share, kappa=found.kappa)
        for (first, second), found in pairwise(ratings).items()
    ]
    by_item = list(zip(*ratings.values(), strict=True))
    return LabelAgreement(
        draw=draw,
        annotators=annotators,
        items=sum(sum(rating is not None for rating in item) >= 2 for item in by_item),
        pairs=pairs,
        alpha=krippendorff_alpha(by_item) if by_item else None,
    )


def _rating(right: bool | None) -> float | None:
    return None if right is None else float(right)
